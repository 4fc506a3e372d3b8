# ruff: noqa: E501 - a table's row stays on its line
"""Fillers and gaps: embedded questions with their gaps, pseudo-clefts."""

from pommel.training.english_suites.design import Conditions, Design, Row, rows

CIRCUIT = "long-distance-dependencies"

# prefix | subject | verb | object | preposition | its object | rest | two clauses between | a third | a fourth
GAP_TABLE = """
I know | our uncle | tasted | the cake | in front of | the guests | at the picnic | the nurse said the mayor remarked | the clerk believed | the pastor claimed
I remember | your brother | dropped | the plates | next to | the waitress | at the wedding | the chef thought the clerk noticed | the butcher said | the porter suspected
They discovered | the thief | stole | the watch | behind | the guard | at the museum | the sheriff believed the witness reported | the lawyer claimed | the banker said
We learned | my niece | hid | the basket | with | the farmer | near the barn | the teacher said the neighbor believed | the mechanic thought | the principal suspected
She realized | the senator | discussed | the budget | with | the mayor | at the conference | the editor claimed the lawyer knew | the banker suspected | the journalist reported
I forgot | his sister | wore | the necklace | beside | the duchess | at the banquet | the tailor said the queen remembered | the duke claimed | the princess believed
He revealed | the mechanic | installed | the engine | for | the pilot | at the airport | the manager thought the captain said | the engineer claimed | the inspector believed
We recall | the actor | threw | the hat | in front of | the critics | at the rehearsal | the director said the singer suspected | the dancer believed | the composer claimed
They know | your aunt | bought | the roses | near | the musicians | at the market | the boy thought the girl said | the teacher claimed | the clown believed
I noticed | the porter | opened | the crate | in front of | the merchant | at the harbor | the sailor reported the clerk announced | the captain thought | the fisherman said
She remembers | the captain | repaired | the radio | with | the sailors | on Sunday | the cook believed the passenger said | the waiter claimed | the pilot suspected
He discovered | my father | burned | the letters | behind | the painter | in the library | the librarian said the historian claimed | the student thought | the detective believed
We know | the engineer | tested | the telescope | alongside | the scientists | in the laboratory | the dean thought the professor said | the students claimed | the biologist suspected
I learned | our neighbor | sold | the bicycle | next to | the tourists | in the square | the reporter said the banker knew | the cashier claimed | the landlord believed
They realized | the chemist | developed | the vaccine | with | the surgeon | at the hospital | the doctor said the patient thought | the nurse claimed | the pharmacist suspected
She revealed | the princess | kept | the diary | near | the king | in the palace | the duke suspected the prince knew | the minister believed | the nun claimed
I know | the clown | tossed | the marbles | in front of | the children | at the festival | the mother said the father believed | the teacher thought | the magician reported
He forgot | her nephew | polished | the trophy | beside | the coach | in the stadium | the player thought the referee said | the runner suspected | the journalist claimed
We discovered | the baker | kept | the pies | behind | the butcher | in the bakery | the waiter said the customer noticed | the cook believed | the tenant claimed
They remember | the carpenter | lifted | the bench | with | the janitor | in the hallway | the pupil thought the principal said | the secretary claimed | the counselor believed
I recall | his daughter | drew | the mural | opposite | the artists | in the studio | the sculptor said the critic believed | the potter claimed | the poet thought
She noticed | the journalist | examined | the contract | behind | the president | at the reception | the agent feared the senator knew | the minister believed | the detective reported
He knows | the gardener | trimmed | the hedge | across from | the widow | in the yard | the nephew said the uncle claimed | the niece believed | the grandmother thought
We remember | their grandfather | repaired | the clock | for | the pastor | in the church | the monk thought the nun said | the neighbor believed | the villagers claimed
"""

# prefix | clause with a question in it | its clause | object | rest | main verb | object | rest
HIERARCHY_TABLE = """
The report that | the witness remembered | the thief deceived | the guard | at the museum | surprised | the sheriff | last week
The idea that | my niece knew | the principal punished | the pupil | in the classroom | amused | my sister | last night
The claim that | the nurse revealed | the surgeon blamed | the dentist | at the hospital | shocked | the patients | on Monday
The story that | the sailor recalled | the captain rescued | the merchant | near the lighthouse | pleased | the villagers | yesterday
The idea that | the editor forgot | the journalist interviewed | the actress | at the theater | irritated | the publisher | last month
The theory that | the detective discovered | the spy betrayed | the ambassador | in the palace | startled | the queen | on Friday
The report that | the clerk noticed | the cashier insulted | the customer | in the shop | annoyed | the manager | yesterday
The idea that | your nephew guessed | the clown hugged | the princess | at the parade | confused | our neighbors | last summer
The claim that | the lawyer learned | the senator contacted | the banker | before the meeting | upset | the investors | last year
The story that | the porter saw | the duke escorted | the singer | in the garden | embarrassed | the duchess | on Sunday
The idea that | our uncle remembered | the coach praised | the runner | in the stadium | pleased | the players | last week
The report that | the journalist revealed | the inspector questioned | the pilot | at the airport | disappointed | the passengers | on Tuesday
The claim that | the secretary mentioned | the director rejected | the dancer | at the rehearsal | offended | the composer | last month
The idea that | the librarian realized | the historian avoided | the professor | at the lecture | amused | the students | yesterday afternoon
The theory that | the sheriff knew | the criminal threatened | the witness | near the harbor | startled | the lawyers | during the trial
The report that | the minister announced | the president welcomed | the diplomat | at the banquet | irritated | the activists | last month
The story that | her grandmother forgot | the gardener thanked | the visitor | in the yard | confused | her neighbor | after dinner
The idea that | the waiter saw | the chef ignored | the baker | in the kitchen | upset | the owner | on Friday
The claim that | the referee noticed | the player congratulated | the swimmer | after the tournament | shocked | the athletes | last year
The report that | the critic understood | the artist mocked | the poet | at the exhibition | offended | the writers | last summer
The idea that | his daughter recalled | the wizard frightened | the children | in the tower | scared | the girls | last night
The claim that | the tailor learned | the prince forgave | the thief | at the wedding | surprised | the king | on Sunday
The report that | the assistant admitted | the chemist distracted | the biologist | in the laboratory | disappointed | the scientists | on Tuesday
The idea that | my grandfather guessed | the soldiers freed | the prisoners | near the castle | impressed | the historian | last year
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

# The licensing interaction (Wilcox, Levy, Morita & Futrell 2018): how much a filler adds where no
# gap is, and takes away after a gap; both where the sentence goes on.
_INTERACTION = (
    "((({n};%what_nogap%) - ({n};%that_nogap%)) + (({n};%that_{gap}%) - ({n};%what_{gap}%)))"
)
_HIERARCHY_FORMULA = (
    f"{_INTERACTION.format(n=6, gap='subjgap')} > {_INTERACTION.format(n=9, gap='matrixgap')}"
)
_LICENSED_WORDS = (
    "With a filler in the clause inside the subject, what follows its object is more surprising "
    'than with "that", and what follows a gap in the place of the object is less surprising.'
)
_HIERARCHY_WORDS = (
    "Taken together, a filler inside the subject raises the surprisal without a gap and lowers it "
    "after one by more inside the subject than in the main clause."
)

# Name, how many clauses are between, the same in words, and which one the gap is in.
_EMBEDDED_GAPS = (
    ("fgd-embed2", 2, "two", "third"),
    ("fgd-embed3", 3, "three", "fourth"),
    ("fgd-embed4", 4, "four", "fifth"),
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
        *(_embedded_gap(*gap) for gap in _EMBEDDED_GAPS),
        _hierarchy(),
        _cleft("cleft", modified=False),
        _cleft("cleft_modifier", modified=True),
    )


def _formula(gap: int, after: int, no_gap: str = "nogap", a_gap: str = "gap") -> str:
    return (
        f"(({gap};%what_{no_gap}%) > ({gap};%that_{no_gap}%)) & "
        f"(({after};%what_{a_gap}%) < ({after};%that_{a_gap}%))"
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


def _embedded_gap(name: str, n_between: int, between: str, last: str) -> Design:
    def conditions(row: Row) -> Conditions:
        prefix, subject, verb, target, preposition, other, _, first_two, *more = row
        embedding = " ".join((first_two, *more[: n_between - 2]))
        end = f"{preposition} {other}"
        return {
            "what_gap": [prefix, "what", embedding, subject, verb, "", end],
            "that_gap": [prefix, "that", embedding, subject, verb, "", end],
            "what_no-gap": [prefix, "what", embedding, subject, verb, target, end],
            "that_no-gap": [prefix, "that", embedding, subject, verb, target, end],
        }

    return Design(
        name=name,
        circuit=CIRCUIT,
        comment=f'"what" or "that", {between} clauses, and a {last} one with or without an object.',
        regions=("prefix", "comp", "embedding", "subj", "verb", "object", "continuation"),
        predictions=((_formula(6, 7, "no-gap"), _GAP_WORDS.format(noun="an object")),),
        rows=rows(GAP_TABLE),
        conditions=conditions,
        modifier_of="fgd_object",
    )


def _hierarchy() -> Design:
    def conditions(row: Row) -> Conditions:
        prefix, question, clause, target, rest, *main = row
        verb, main_target, end = main

        def sentence(complementizer: str, target: str, main_target: str) -> list[str]:
            inner = [question, complementizer, clause, target, rest]
            return [prefix, *inner, verb, main_target, end]

        return {
            f"{filler}_{gap}": sentence(complementizer, *objects)
            for gap, objects in (
                ("nogap", (target, main_target)),
                ("subjgap", ("", main_target)),
                ("matrixgap", (target, "")),
            )
            for filler, complementizer in (("what", "who"), ("that", "that"))
        }

    inside = ("subj_subj", "subj_wh", "subj_embed", "subject_gap", "subj_end")
    return Design(
        name="fgd_hierarchy",
        circuit=CIRCUIT,
        comment='"who" or "that" in a clause inside the subject; a gap there, or after the main verb.',
        regions=("prefix", *inside, "matrix_verb", "matrix_gap", "continuation"),
        predictions=(
            (_formula(6, 6, a_gap="subjgap"), _LICENSED_WORDS),
            (_HIERARCHY_FORMULA, _HIERARCHY_WORDS),
        ),
        rows=rows(HIERARCHY_TABLE),
        conditions=conditions,
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
