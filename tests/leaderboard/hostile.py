"""A board on which suites, and all that submitters say, are texts that would do something."""

from pathlib import Path

from tests.builders import make_suite
from tests.leaderboard.samples import RIGHT, NamedModel, board_at
from tests.leaderboard.submission.samples import BIRDS, SOURCE, packed
from tests.store.run_samples import FORMULAS, ITEMS

from pommel.leaderboard import BoardFolder
from pommel.leaderboard.submission import Submitter
from pommel.suite import Suite

TEXTS = {
    "html": "</title></style><script>stolen=1</script><img src=x onerror=stolen=2><style>*{top:0}",
    "attribute": '" onmouseover="stolen=3" style=\'position:fixed;inset:0\' x="',
    "template": "{{7*7}}{% raw %}${7*7}<!--]]>--&gt;&lt;b&gt;",
    "hebrew": "שלום 12 <b>עולם</b> (3.5]",
    "directions": "a\u200f(0.99)\u200e שב\u200fג 1.00",
    "long": "W" * 100,
    "blanks": "i" * 30 + "<wbr>" + "\u0e01" * 60,
    "address": "javascript:stolen=4//",
    "marks": "Z\u0300\u0301\u0302a\u200dl\u200cg\u0303o",
}
ADDRESS = 'https://example.org/?a="onclick="stolen=5"&b=\'><script>stolen=6</script>'
LONG = "V" * 200


def hostile_board(folder: Path) -> tuple[BoardFolder, tuple[Suite, ...]]:
    """Make a board of two suites in a folder; return both."""
    html = TEXTS["html"]
    suites = (
        make_suite(
            ITEMS, FORMULAS, name="&lt;b&gt; 'x'", circuit=html, language="en", version=html
        ),
        make_suite(BIRDS, FORMULAS, name="שלום 12.5 x", circuit=LONG, language="he"),
    )
    description = f"{html} {TEXTS['hebrew']} {LONG}"
    return board_at(folder, suites, name=html, description=description), suites


def hostile_submission(folder: Path, suites: tuple[Suite, ...], text: str, number: int) -> Path:
    """Return the file of a submission that says a text wherever it can say something."""
    about = Submitter(by=text, name=text, note=text * 3, url=ADDRESS)
    bits = {**RIGHT, "bark": number / 4}
    shown = text if text.isprintable() else TEXTS["html"]
    own = NamedModel(methods=("causal",), name=f"m{number}", reference=shown, bits=bits)
    place = folder / f"hostile-{number}"
    place.mkdir()
    packed(place, suites, own, about=about)
    return place / SOURCE
