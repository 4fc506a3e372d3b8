"""Command lines drawn at random end as documented, whatever their files and values are."""

import collections

import pytest
from tests.crashes.command_lines import Lines, all_commands, bugs


@pytest.mark.timeout(600)  # a minute of the processor; others have it, too
def test_no_traceback_no_hang_nothing_half_written() -> None:
    counts: collections.Counter[str] = collections.Counter()
    assert [*bugs(300, seed=0, counts=counts)] == []
    assert {"0", "1", "2", "3", "4"} <= {*counts}
    assert counts["0"] > 40


def test_every_option_is_drawn() -> None:
    lines = Lines(0, ["suite.json"], "0123456789ab")
    drawn = [lines.draw() for _ in range(2000)]
    for path, command in all_commands().items():
        words = path.split()
        own = {
            word.partition("=")[0] for each in drawn if each[: len(words)] == words for word in each
        }
        missing = [
            each.opts
            for each in command.params
            if each.param_type_name == "option" and not {*each.opts, *each.secondary_opts} & own
        ]
        assert missing in ([], [["--watch"]]), path
