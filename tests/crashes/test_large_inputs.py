"""Files of 20 MB in which one thing has no end: refused in seconds, with less than 1 GiB."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.crashes.mutated_inputs import limited_memory, run, sound_inputs

pytestmark = pytest.mark.full

N_BYTES = 20_000_000


def _long(piece: bytes) -> bytes:
    return piece * (N_BYTES // len(piece))


# What each file is, the commands that read it, and what is said.
LINE = "this line has more than 1,048,576 "
VALUES = "has more than 8,000,000 values"
INPUTS: Mapping[str, tuple[bytes, tuple[str, ...], str]] = {
    "words in a line": (
        _long(b"The author is good . "),
        (
            "tokenize dummy:// FILE",
            "train ngram FILE --order 2 --output OUT",
            "suites check SOUND/suite.json --frequencies FILE",
            "generate FILE.cfg",
            "run ngram://FILE?reader=python SOUND/suite.json --no-store",
            "run recorded://FILE SOUND/suite.json --no-store",
            "conditional dummy:// FILE",
            "import-results FILE --from items --store OUT",
            "convert FILE --from tsv --output OUT",
            "run dummy:// FILE.csv --no-store",
        ),
        LINE,
    ),
    "marks in a line": (_long(b"."), ("tokenize dummy:// FILE",), LINE),
    "lists": (
        b"[" + _long(b"[],") + b"[]]",
        (
            "run dummy:// FILE --no-store",
            "evaluate FILE",
            "suites preview FILE",
            "conditional dummy:// FILE",
            "convert FILE --from context-pairs --output OUT",
        ),
        VALUES,
    ),
    "a line of JSON": (
        b'{"sentence_good":"' + _long(b"a ") + b'","sentence_bad":"b"}\n',
        (
            "convert FILE --from blimp --output OUT",
            "import-results FILE --from items --store OUT",
        ),
        LINE,
    ),
    "rows": (
        b"model,suite,item,result\n" + _long(b"m,s,1,1\n"),
        (
            "import-results FILE --store OUT",
            "stats correlate --with FILE --key model --value item --store SOUND/store.sqlite",
        ),
        "has more than 1,000,000 lines",
    ),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", INPUTS)
def test_what_has_no_end_is_refused(tmp_path: Path, name: str) -> None:
    sound = tmp_path / "sound"
    sound.mkdir()
    sound_inputs(sound)
    content, commands, said = INPUTS[name]
    for command in commands:
        words = (
            command.replace("SOUND", str(sound)).replace("OUT", str(tmp_path / "out.json")).split()
        )
        (ending,) = {Path(each).suffix for each in words if "FILE." in each} or {""}
        path = tmp_path / f"file{ending}"
        path.write_bytes(content)
        with limited_memory():
            status, told = run([each.replace(f"FILE{ending}", str(path)) for each in words])
        assert (status, said in told) == (3, True), (command, status, told[:300])
        assert not (tmp_path / "out.json").exists()
