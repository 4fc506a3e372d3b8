"""What results show of themselves in a notebook."""

from html.parser import HTMLParser

from tests.analysis.records import record

from pommel.scoring.notebook import predictions_html, scores_html
from pommel.scoring.results import SuiteResult


class _Reader(HTMLParser):
    """Collects the cells of tables row by row, and the text of paragraphs."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.paragraphs: list[str] = []
        self.tags: set[str] = set()
        self._into: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self._into = self.rows[-1]
            self._into.append("")
        elif tag == "p":
            self._into = self.paragraphs
            self._into.append("")
        elif tag == "br":
            self._into[-1] += "\n"

    def handle_data(self, data: str) -> None:
        self._into[-1] += data


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    assert reader.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "br"}
    return reader


def result(*arguments: object, **facts: object) -> SuiteResult:
    return record(*arguments, **facts).result  # type: ignore[arg-type]


def test_scores_of_models_on_suites_with_their_mean() -> None:
    found = read(
        scores_html(
            [
                result("a", "t", "1110"),
                result("a", "s", "1100", circuit="c"),
                result("b", "s", "----", circuit="c"),
                result("b", "u", share=0.826),
                result("b", "v"),
            ]
        )
    )
    assert found.rows == [
        ["circuit", "suite", "a", "b"],
        ["c", "s", "0.50 [0.15, 0.85]", "-"],
        ["", "t", "0.75 [0.30, 0.95]", ""],
        ["", "u", "", "0.83"],
        ["", "v", "", "no predictions"],
        ["all suites", "SG score", "0.62 (2 of 3)", "0.83 (1 of 3)"],
    ]
    assert found.paragraphs == [
        (
            "Share of items on which a suite's predictions hold [95% Wilson interval]; SG "
            "score: the mean over suites, every suite counts alike. "
            "2 models, 4 suites · Score rule: all\n"
            "k of n: over k of the n suites. Models do not have the same ones, and such numbers "
            "cannot be compared.\n"
            "No suite is one of all; pommel compare takes those that two models have."
        )
    ]


def test_each_prediction_has_its_line() -> None:
    html = scores_html([result("a", "s", ["11", "10"], rule="each")])
    assert read(html).rows[1] == ["", "s", "0: 1.00 [0.34, 1.00]\n1: 0.50 [0.09, 0.91]"]


def test_one_result_shows_its_predictions() -> None:
    found = read(predictions_html(result("a", "s", ["110-", "1111"], [[3, 1, -1, 0], [2] * 4])))
    assert found.paragraphs[0] == "a on s: 0.67 [0.21, 0.94]"
    assert found.rows == [
        ["prediction", "holds", "mean margin (bits)", "ties"],
        ["0: (1;%a%) < (1;%b%)", "2/3", "+1.00", "0"],
        ["1: (1;%a%) < (1;%b%)", "4/4", "+2.00", "0"],
    ]


def test_names_are_text() -> None:
    hostile = "<script>alert('1')</script>&amp;"
    for html in (
        scores_html([result(hostile, hostile, "11", circuit=hostile)]),
        predictions_html(result(hostile, hostile, "11", formulas=[hostile])),
    ):
        found = read(html)
        assert any(hostile in text for text in (*found.paragraphs, *found.rows[1]))
    assert read(html).rows[1][0] == f"0: {hostile}"


def test_without_runs() -> None:
    assert scores_html([]) == "<p>no runs</p>"
