"""Records as rows of the store, also those that an earlier version has written."""

import json

from tests.analysis.records import record

from pommel.store.run_tables import bare_record, run_row


def test_what_is_known_of_chance_comes_back() -> None:
    for chance in (None, 0.0, 0.25):
        row = run_row(record("m", "s", share=0.5, n_items=4, chance=chance))
        assert bare_record(row).suite.chance == chance


def test_a_record_of_before_chance_was_kept_has_none() -> None:
    *others, text = run_row(record("m", "s", share=0.5, n_items=4, chance=0.25))
    described = json.loads(text)
    del described["suite"]["chance"]
    old = bare_record((*others, json.dumps(described)))
    assert old.suite.chance is None
    assert old.result.score == 0.5
