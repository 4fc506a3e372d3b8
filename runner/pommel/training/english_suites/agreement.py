"""Subject-verb number agreement: alone, and across a modifier with a distracting noun."""

from collections.abc import Callable

from pommel.training.english_suites.design import Conditions, Design, Row, rows
from pommel.training.english_suites.nouns import plural_of

CIRCUIT = "agreement"

# subject | distractor | preposition | verb of the relative clause | singular | plural | rest
TABLE = """
author | senator | next to | praised | is | are | famous
pilot | guard | behind | called | is | are | calm
surgeon | banker | near | trusted | is | are | rich
farmer | tourist | in front of | visited | is | are | tired
singer | dancer | beside | admired | is | are | talented
lawyer | detective | across from | questioned | is | are | young
teacher | student | opposite | helped | is | are | patient
baker | customer | near | thanked | is | are | busy
soldier | nurse | next to | saved | is | are | brave
manager | clerk | behind | ignored | is | are | rude
novelist | editor | alongside | interrupted | is | are | angry
driver | passenger | in front of | warned | is | are | careful
musician | reporter | beside | interviewed | was | were | nervous
sailor | merchant | close to | deceived | was | were | poor
inventor | engineer | across from | challenged | was | were | clever
witness | officer | opposite | recognized | was | were | honest
gardener | neighbor | near | greeted | was | were | friendly
mayor | voter | alongside | disappointed | was | were | sad
architect | builder | next to | hired | has | have | arrived
coach | runner | behind | encouraged | has | have | left
judge | criminal | in front of | feared | has | have | retired
chef | waitress | beside | scolded | has | have | complained
actor | critic | across from | despised | has | have | disappeared
scientist | journalist | close to | contacted | has | have | resigned
"""

FORMULA = (
    "(({n};%match_sing%) < ({n};%mismatch_sing%)) & "
    "(({n};%match_plural%) < ({n};%mismatch_plural%))"
)
IN_WORDS = (
    "The verb is less surprising when it agrees with its subject in number, for singular and for "
    "plural subjects."
)


def designs() -> tuple[Design, ...]:
    """Return the agreement suites; the first has no modifier."""
    return (
        _design(
            "number_simple",
            "The verb follows its subject at once.",
            ("intro", "np", "matrix_v", "continuation"),
            lambda subject, _, __: [subject],
        ),
        _design(
            "number_prep",
            "A prepositional phrase with a noun of the other number stands before the verb.",
            ("intro", "np", "prep", "the", "prep_np", "matrix_v", "continuation"),
            lambda subject, other, row: [subject, row[2], "the", other],
        ),
        _design(
            "number_src",
            "A subject relative clause with an object of the other number stands before the verb.",
            ("intro", "np", "that", "embed_vp", "the", "embed_np", "matrix_v", "continuation"),
            lambda subject, other, row: [subject, "that", row[3], "the", other],
        ),
        _design(
            "number_orc",
            "An object relative clause with a subject of the other number stands before the verb.",
            ("intro", "np", "that", "the", "embed_np", "embed_vp", "matrix_v", "continuation"),
            lambda subject, other, row: [subject, "that", "the", other, row[3]],
        ),
    )


def _design(
    name: str,
    comment: str,
    regions: tuple[str, ...],
    subject_phrase: Callable[[str, str, Row], list[str]],
) -> Design:
    """Return the design whose subject, distractor and modifier `subject_phrase` lays out."""

    def conditions(row: Row) -> Conditions:
        subject, other, _, _, singular, plural, rest = row
        one = ["The", *subject_phrase(subject, plural_of(other), row)]
        many = ["The", *subject_phrase(plural_of(subject), other, row)]
        return {
            "match_sing": [*one, singular, rest],
            "mismatch_sing": [*one, plural, rest],
            "match_plural": [*many, plural, rest],
            "mismatch_plural": [*many, singular, rest],
        }

    return Design(
        name=name,
        circuit=CIRCUIT,
        comment=comment,
        regions=regions,
        predictions=((FORMULA.format(n=len(regions) - 1), IN_WORDS),),
        rows=rows(TABLE),
        conditions=conditions,
        modifier_of="" if name == "number_simple" else "number_simple",
    )
