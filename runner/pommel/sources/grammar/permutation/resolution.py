"""From a design as its file has it, without faults, to the design that is expanded."""

from pommel.sources.grammar.permutation.lexicon import Lexicon
from pommel.sources.grammar.permutation.tree import (
    Design,
    DesignFile,
    Frame,
    Part,
    Template,
    TemplateLine,
)


def resolved(design: DesignFile, lexicon: Lexicon) -> Design:
    """Return the design that a file and its lexicon are."""
    assert design.frame  # noqa: S101 - without one there were faults
    doubled = tuple(each.text for each in design.violations[1:]) or design.case_names
    return Design(
        meta=design.meta,
        cases=design.case_names,
        doubled=doubled,
        region_names={
            number: "".join(map(_name, region))
            for number, region in enumerate(design.frame.regions, start=1)
        },
        templates=tuple(
            _template(each, design.frame, design.case_names, lexicon) for each in design.templates
        ),
    )


def _template(
    line: TemplateLine, frame: Frame, cases: tuple[str, ...], lexicon: Lexicon
) -> Template:
    said = {entry.name.text: entry.content.text for entry in line.entries}
    nouns = tuple(said[case] for case in cases)
    return Template(
        place=line.place,
        nouns=nouns,
        forms=tuple(tuple(lexicon.nouns[noun].cells[case] for case in cases) for noun in nouns),
        regions=tuple("".join(_filled(part, said) for part in region) for region in frame.regions),
    )


def _filled(part: Part, said: dict[str, str]) -> str:
    # The lexer lets no braces into words, so that all those in a format string are ours.
    text = f"{{{int(part.text) - 1}}}" if part.is_argument else part.text
    if part.is_slot and not part.is_argument:
        text = said[part.text]
    return f" {text}" if part.is_apart else text


def _name(part: Part) -> str:
    text = f"argument {part.text}" if part.is_argument else part.text
    return f" {text}" if part.is_apart else text
