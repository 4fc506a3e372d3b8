# ruff: noqa: E501 - a table's row stays on its line
"""Fillers and gaps: embedded questions with their gaps, pseudo-clefts."""

from pommel.training.english_suites.design import Conditions, Design, Row, rows

CIRCUIT = "long-distance-dependencies"

# prefix | subject | verb | object | preposition | its object | rest | clauses between (embedding)
GAP_TABLE = """
I know | our uncle | tasted | the cake | in front of | the guests | at the picnic | the nurse said the mayor remarked
I remember | your brother | dropped | the plates | next to | the waitress | at the wedding | the chef thought the clerk noticed
They discovered | the thief | stole | the watch | behind | the guard | at the museum | the sheriff believed the witness reported
We learned | my niece | hid | the basket | with | the farmer | near the barn | the teacher said the neighbor believed
She realized | the senator | discussed | the budget | with | the mayor | at the conference | the editor claimed the lawyer knew
I forgot | his sister | wore | the necklace | beside | the duchess | at the banquet | the tailor said the queen remembered
He revealed | the mechanic | installed | the engine | for | the pilot | at the airport | the manager thought the captain said
We recall | the actor | threw | the hat | in front of | the critics | at the rehearsal | the director said the singer suspected
They know | your aunt | bought | the roses | near | the musicians | at the market | the boy thought the girl said
I noticed | the porter | opened | the crate | in front of | the merchant | at the harbor | the sailor reported the clerk announced
She remembers | the captain | repaired | the radio | with | the sailors | on Sunday | the cook believed the passenger said
He discovered | my father | burned | the letters | behind | the painter | in the library | the librarian said the historian claimed
We know | the engineer | tested | the telescope | alongside | the scientists | in the laboratory | the dean thought the professor said
I learned | our neighbor | sold | the bicycle | next to | the tourists | in the square | the reporter said the banker knew
They realized | the chemist | developed | the vaccine | with | the surgeon | at the hospital | the doctor said the patient thought
She revealed | the princess | kept | the diary | near | the king | in the palace | the duke suspected the prince knew
I know | the clown | juggled | the marbles | in front of | the children | at the festival | the mother said the father believed
He forgot | her nephew | polished | the trophy | beside | the coach | in the stadium | the player thought the referee said
We discovered | the baker | kept | the pies | behind | the butcher | in the bakery | the waiter said the customer noticed
They remember | the carpenter | lifted | the bench | with | the janitor | in the hallway | the pupil thought the principal said
I recall | his daughter | drew | the mural | opposite | the artists | in the studio | the sculptor said the critic believed
She noticed | the journalist | examined | the contract | behind | the president | at the reception | the agent feared the senator knew
He knows | the gardener | trimmed | the hedge | across from | the widow | in the yard | the nephew said the uncle claimed
We remember | their grandfather | repaired | the clock | for | the pastor | in the church | the monk thought the nun said
"""

# subject | verb that the object is a result of | "did" ... verb | object | what comes between
CLEFT_TABLE = """
he | ate | prepare | the meal | after the guests arrived
the tailor | sewed | mend | the coat | before the customers returned
Mary | read | translate | the letter | when the children slept
the chef | cooked | taste | the soup | while the waiter rested
the artist | painted | frame | the portrait | at the exhibition
they | built | renovate | the cottage | after the king died
our uncle | drove | wash | the truck | before the parade
the engineer | invented | test | the robot | at the factory
she | wrote | publish | the memoir | after her husband retired
the musician | composed | perform | the symphony | before the concert
the gardener | planted | water | the rose | while the children played
Thomas | bought | polish | the ring | at the auction
the pharmacist | developed | sell | the vaccine | when the doctors left
the carpenter | carved | varnish | the cradle | after the baby slept
the thief | stole | hide | the crown | while the guards slept
my mother | baked | sample | the cake | before the picnic
the senators | proposed | approve | the budget | at the conference
the potter | shaped | glaze | the vase | in the studio
the boys | kicked | catch | the ball | when the coach arrived
the mechanic | repaired | inspect | the engine | after the driver complained
the merchant | shipped | weigh | the crate | before the sailors returned
Emily | knitted | fold | the sweater | while the grandmother rested
the poet | translated | revise | the essay | after the critics laughed
your brother | drafted | sign | the contract | at the meeting
"""

_GAP_WORDS = (
    'With a filler before it, {noun} is more surprising than after "that", and what follows a '
    'gap in its place is less surprising than after "that".'
)
_CLEFT_FORMULA = (
    "((({n};%np_mismatch%) - ({n};%np_match%)) + "
    "((({v};%vp_mismatch%) + ({n};%vp_mismatch%)) - (({v};%vp_match%) + ({n};%vp_match%)))) > 0"
)
_CLEFT_WORDS = (
    'Taken together, a noun phrase after "did" and a verb phrase after any other verb are more '
    "surprising than the other way round."
)

# Name, filler, the region of the noun phrase that is the gap, and what it is called.
_GAPS = (
    ("fgd_subject", "who", 3, "a subject"),
    ("fgd_object", "what", 5, "an object"),
    ("fgd_pp", "who", 7, "the object of a preposition"),
)


def designs() -> tuple[Design, ...]:
    """Return the suites on gaps, then those on pseudo-clefts."""
    return (
        *(_gap(*gap) for gap in _GAPS),
        _embedded_gap(),
        _cleft("cleft", modified=False),
        _cleft("cleft_modifier", modified=True),
    )


def _formula(gap: int, after: int, no_gap: str = "nogap") -> str:
    return (
        f"(({gap};%what_{no_gap}%) > ({gap};%that_{no_gap}%)) & "
        f"(({after};%what_gap%) < ({after};%that_gap%))"
    )


def _gap(name: str, filler: str, gap: int, noun: str) -> Design:
    def conditions(row: Row) -> Conditions:
        def sentence(complementizer: str, *, with_gap: bool) -> list[str]:
            contents = [row[0], complementizer, *row[1:7]]
            if with_gap:
                contents[gap - 1] = ""
            return contents

        return {
            "what_nogap": sentence(filler, with_gap=False),
            "that_nogap": sentence("that", with_gap=False),
            "what_gap": sentence(filler, with_gap=True),
            "that_gap": sentence("that", with_gap=True),
        }

    return Design(
        name=name,
        circuit=CIRCUIT,
        comment=f'"{filler}" or "that" before a clause with or without {noun}.',
        regions=("prefix", "comp", "np1", "verb", "np2", "prep", "np3", "end"),
        predictions=((_formula(gap, gap + 1), _GAP_WORDS.format(noun=noun)),),
        rows=rows(GAP_TABLE),
        conditions=conditions,
    )


def _embedded_gap() -> Design:
    def conditions(row: Row) -> Conditions:
        prefix, subject, verb, target, preposition, other, _, embedding = row
        end = f"{preposition} {other}"
        return {
            "what_gap": [prefix, "what", embedding, subject, verb, "", end],
            "that_gap": [prefix, "that", embedding, subject, verb, "", end],
            "what_no-gap": [prefix, "what", embedding, subject, verb, target, end],
            "that_no-gap": [prefix, "that", embedding, subject, verb, target, end],
        }

    return Design(
        name="fgd-embed2",
        circuit=CIRCUIT,
        comment='"what" or "that", two clauses, and a third one with or without an object.',
        regions=("prefix", "comp", "embedding", "subj", "verb", "object", "continuation"),
        predictions=((_formula(6, 7, "no-gap"), _GAP_WORDS.format(noun="an object")),),
        rows=rows(GAP_TABLE),
        conditions=conditions,
        modifier_of="fgd_object",
    )


def _cleft(name: str, *, modified: bool) -> Design:
    modifier = ("modifier",) if modified else ()
    regions = ("intro", "subj", "verb", *modifier, "copula", "embedded_verb", "object")

    def conditions(row: Row) -> Conditions:
        subject, verb, act, target, between = row
        middle = [*([between] if modified else []), "was"]
        return {
            "np_mismatch": ["What", subject, "did", *middle, "", target],
            "np_match": ["What", subject, verb, *middle, "", target],
            "vp_match": ["What", subject, "did", *middle, act, target],
            "vp_mismatch": ["What", subject, verb, *middle, act, target],
        }

    n = len(regions)
    return Design(
        name=name,
        circuit=CIRCUIT,
        comment="A pseudo-cleft of a noun phrase or of a verb phrase, after its verb or another.",
        regions=regions,
        predictions=((_CLEFT_FORMULA.format(n=n, v=n - 1), _CLEFT_WORDS),),
        rows=rows(CLEFT_TABLE),
        conditions=conditions,
        modifier_of="cleft" if modified else "",
    )
