"""Licensing: reflexives by their subject, negative polarity items by negation above them."""

from collections.abc import Callable

from pommel.training.english_suites.design import Conditions, Design, Row, rows
from pommel.training.english_suites.nouns import plural_of

CIRCUIT = "licensing"

# subject | distractor | preposition | verb of the relative clause | verb with the reflexive
REFLEXIVE_TABLE = """
author | senator | next to | admired | embarrassed
pilot | engineer | behind | trusted | blamed
surgeon | nurse | near | praised | injured
farmer | merchant | in front of | visited | hurt
singer | musician | beside | hired | introduced
lawyer | judge | across from | criticized | defended
teacher | student | opposite | helped | burned
baker | customer | near | thanked | washed
soldier | officer | next to | followed | saved
manager | client | behind | ignored | praised
novelist | editor | alongside | interviewed | described
driver | passenger | in front of | warned | scared
swimmer | coach | beside | encouraged | motivated
sailor | captain | close to | feared | protected
inventor | investor | across from | contacted | surprised
witness | detective | opposite | questioned | harmed
gardener | neighbor | near | greeted | amused
mayor | voter | alongside | disappointed | mocked
architect | builder | next to | challenged | doubted
runner | athlete | behind | watched | impressed
criminal | guard | in front of | deceived | punished
chef | tourist | beside | welcomed | upset
actor | critic | across from | despised | entertained
scientist | journalist | close to | recognized | prepared
"""

# subject | distractor | verb of the relative clause | after "ever" | after "any"
POLARITY_TABLE = """
author | senators | liked | been popular | success
pilot | guards | called | been nervous | trouble
surgeon | bankers | trusted | been careless | doubt
farmer | tourists | visited | been rich | money
singer | dancers | admired | been nervous | talent
lawyer | detectives | questioned | been honest | influence
teacher | students | hated | been happy | support
baker | customers | thanked | been rude | help
soldier | nurses | saved | been famous | fun
manager | clerks | ignored | been kind | respect
novelist | editors | interviewed | been proud | experience
driver | passengers | warned | been careful | luck
musician | reporters | followed | been wealthy | attention
sailor | merchants | deceived | been smart | training
inventor | engineers | challenged | been lazy | work
witness | officers | recognized | been shy | courage
gardener | neighbors | greeted | been lonely | time
mayor | voters | disappointed | been powerful | power
architect | builders | hired | been greedy | interest
coach | runners | encouraged | been cruel | patience
candidate | judges | feared | been brave | support
waiter | chefs | scolded | been polite | success
actor | critics | despised | been talented | money
scientist | journalists | contacted | been wise | trouble
"""

REFLEXIVE_FORMULA = (
    "(({n};%match_sing%) < ({n};%mismatch_sing%)) & "
    "(({n};%match_plural%) < ({n};%mismatch_plural%))"
)
REFLEXIVE_IN_WORDS = (
    "The reflexive is less surprising when it agrees with the subject of its clause in number, "
    "for singular and for plural subjects."
)
SIMPLE_POLARITY = (
    "(4;%neg%) < (4;%pos%)",
    "The negative polarity item is less surprising when the subject is negative.",
)
POLARITY = (
    (
        "((8;%neg_pos%) < (8;%pos_pos%)) & ((8;%neg_neg%) < (8;%pos_neg%)) & "
        "((8;%neg_pos%) < (8;%pos_neg%))"
    ),
    (
        "The negative polarity item is less surprising when the subject is negative, whether or "
        "not the relative clause is, and a negative subject licenses it better than a negative "
        "relative clause does."
    ),
)


def designs() -> tuple[Design, ...]:
    """Return the licensing suites: reflexives of either gender, then polarity items."""
    reflexives = (
        _reflexive(f"reflexive_{modifier}_{gender}", modifier, pronoun)
        for modifier in ("simple", "prep", "src", "orc")
        for gender, pronoun in (("masc", "himself"), ("fem", "herself"))
    )
    return (
        *reflexives,
        _simple_polarity("npi_simple_ever", "has", "ever", 3),
        _polarity("npi_src_ever", "has", "ever", 3),
        _polarity("npi_orc_ever", "has", "ever", 3),
        _simple_polarity("npi_simple_any", "has had", "any", 4),
        _polarity("npi_src_any", "has had", "any", 4),
        _polarity("npi_orc_any", "has had", "any", 4),
    )


# What stands between a subject and its verb: the regions' names, and their contents.
_MODIFIERS: dict[str, tuple[tuple[str, ...], Callable[[str, Row], list[str]]]] = {
    "simple": ((), lambda _, __: []),
    "prep": (("prep", "the", "prep_np"), lambda other, row: [row[2], "the", other]),
    "src": (
        ("that", "embed_vp", "the", "embed_np"),
        lambda other, row: ["that", row[3], "the", other],
    ),
    "orc": (
        ("that", "the", "embed_np", "embed_vp"),
        lambda other, row: ["that", "the", other, row[3]],
    ),
}
_MODIFIER_NAMES = {
    "simple": "nothing stands",
    "prep": "a prepositional phrase with a noun of the other number stands",
    "src": "a subject relative clause with an object of the other number stands",
    "orc": "an object relative clause with a subject of the other number stands",
}


def _reflexive(name: str, modifier: str, pronoun: str) -> Design:
    names, contents = _MODIFIERS[modifier]
    regions = ("intro", "np", *names, "matrix_v", "reflexive")

    def conditions(row: Row) -> Conditions:
        subject, other, verb = row[0], row[1], row[4]
        one = ["The", subject, *contents(plural_of(other), row), verb]
        many = ["The", plural_of(subject), *contents(other, row), verb]
        return {
            "match_sing": [*one, pronoun],
            "mismatch_sing": [*one, "themselves"],
            "match_plural": [*many, "themselves"],
            "mismatch_plural": [*many, pronoun],
        }

    return Design(
        name=name,
        circuit=CIRCUIT,
        comment=f'"{pronoun}" or "themselves": {_MODIFIER_NAMES[modifier]} before the verb.',
        regions=regions,
        predictions=((REFLEXIVE_FORMULA.format(n=len(regions)), REFLEXIVE_IN_WORDS),),
        rows=rows(REFLEXIVE_TABLE),
        conditions=conditions,
        modifier_of="" if modifier == "simple" else name.replace(modifier, "simple"),
    )


def _simple_polarity(name: str, verb: str, item: str, continuation: int) -> Design:
    def conditions(row: Row) -> Conditions:
        rest = [row[0], verb, item, row[continuation]]
        return {"neg": ["No", *rest], "pos": ["The", *rest]}

    return Design(
        name=name,
        circuit=CIRCUIT,
        comment=f'"{item}" after a subject with or without negation.',
        regions=("licensor", "np", "matrix_v", "npi", "continuation"),
        predictions=(SIMPLE_POLARITY,),
        rows=rows(POLARITY_TABLE),
        conditions=conditions,
    )


def _polarity(name: str, verb: str, item: str, continuation: int) -> Design:
    by_subject = "_src_" in name
    middle = ("rc_verb", "rc_dp", "rc_obj") if by_subject else ("rc_dp", "rc_subj", "rc_verb")

    def conditions(row: Row) -> Conditions:
        def sentence(licensor: str, inner: str) -> list[str]:
            clause = [row[2], inner, row[1]] if by_subject else [inner, row[1], row[2]]
            return [licensor, row[0], "that", *clause, verb, item, row[continuation]]

        return {
            "neg_pos": sentence("No", "the"),
            "neg_neg": sentence("No", "no"),
            "pos_pos": sentence("The", "the"),
            "pos_neg": sentence("The", "no"),
        }

    return Design(
        name=name,
        circuit=CIRCUIT,
        comment=f'"{item}" after a subject and a relative clause, each with or without negation.',
        regions=("licensor", "np", "compl", *middle, "matrix_v", "npi", "continuation"),
        predictions=(POLARITY,),
        rows=rows(POLARITY_TABLE),
        conditions=conditions,
        modifier_of=f"npi_simple_{item}",
    )
