# ruff: noqa: E501 - a table's row stays on its line
"""Garden paths: a noun phrase taken for an object, a participle taken for a main verb."""

from pommel.training.english_suites.design import Conditions, Design, Row, rows

CIRCUIT = "garden-path-effects"

# start | verb that can lack its object | an object | verb that has none | noun phrase | extension
# | verb of the main clause | rest
NPZ_TABLE = """
As the man | hunted | the wolf | slept | the rabbit | from the valley | escaped | into the forest
While the child | ate | the cookie | rested | the cake | near the kettle | burned | in the kitchen
When the criminal | shot | the bear | fled | the fox | behind the barn | died | in the field
As the boy | kicked | the balloon | laughed | the ball | from the store | rolled | into the garden
While the tailor | sewed | the coat | yawned | the dress | near the desk | fell | in the studio
When the stranger | attacked | the guard | arrived | the woman | from the village | screamed | in the hallway
As the detective | followed | the spy | hesitated | the thief | with the old suitcase | vanished | at the station
While the neighbors | visited | their aunt | rested | the baker | from the town | slept | in the bedroom
When the nurse | called | the doctor | sneezed | the patient | from the village | fainted | in the hallway
As the teacher | helped | the pupil | coughed | the student | with the red scarf | cried | in the classroom
While the tourists | watched | the dancers | relaxed | the clowns | in the square | danced | toward the castle
When the soldiers | fought | the sailors | arrived | the villagers | near the bridge | hid | in the church
As the carpenter | carved | the statue | smiled | the sculpture | in the gallery | cracked | last week
While the driver | parked | the van | paused | the truck | behind the bank | stalled | near the station
When the pianist | played | the sonata | fainted | the song | from the opera | ended | at the concert
As the waiter | washed | the plate | stumbled | the bowl | from the cabin | shattered | in the kitchen
While the porter | packed | the basket | slept | the box | in the hallway | toppled | at the hotel
When the gardener | planted | the tree | disappeared | the roses | behind the house | withered | in summer
As the novelist | wrote | the poem | sighed | the story | about history | appeared | in the magazine
While the chef | cooked | the stew | rested | the soup | from the kitchen | cooled | in the restaurant
When the painter | painted | the portrait | retired | the mural | in the library | faded | last year
As the captain | steered | the ferry | trembled | the boat | near the harbor | sank | in the evening
While the grandmother | knitted | the scarf | smiled | the sweater | from the shop | shrank | at night
When the lions | hunted | the goats | slept | the camels | near the village | ran | toward the desert
"""

# subject | ambiguous participle | unambiguous one | what was given | modifier | verb | rest
MVRR_TABLE = """
student | sent | shown | the letter from the library | near the square | fainted | in the hallway
nurse | brought | given | the pills from the shop | behind the hospital | smiled | in the lobby
tourist | offered | given | the meal from the restaurant | in the old town | slept | at the hotel
boy | tossed | thrown | the ball from the garden | behind the house | stumbled | in the yard
author | mailed | given | the book from the store | near the harbor | complained | at the lecture
queen | lent | shown | the crown from the palace | outside the city | laughed | at the banquet
detective | brought | shown | the box from the factory | near the bank | hesitated | at the station
guest | served | given | the soup from the kitchen | inside the castle | coughed | at the wedding
soldier | awarded | given | the medal from the museum | in the city | wept | at the ceremony
actress | sold | shown | the dress from the shop | beside the theater | frowned | at the party
clown | tossed | thrown | the balloon from the store | near the park | grinned | in the square
pupil | handed | given | the textbook from the school | in the village | sneezed | in the classroom
merchant | passed | shown | the coin from the market | outside the town | blushed | in the street
princess | sent | given | the necklace from the shop | behind the church | giggled | in the garden
waiter | handed | given | the cups from the cafeteria | near the airport | tripped | in the restaurant
singer | mailed | shown | the script from the studio | behind the theater | yawned | at the rehearsal
juggler | tossed | thrown | the marbles from the basket | near the tower | fell | at the festival
patient | brought | given | the syrup from the laboratory | inside the hospital | fell | in the bedroom
child | handed | shown | the puzzle from the school | near the farm | cried | at night
secretary | passed | given | the report from the office | outside the bank | resigned | on Monday
player | tossed | thrown | the toy from the warehouse | behind the stadium | limped | in the field
villager | lent | given | the coat from the cabin | near the forest | shivered | in winter
judge | handed | shown | the contract from the bank | beside the courtroom | sighed | in the courtroom
prisoner | offered | given | the pie from the bakery | behind the prison | knelt | in the yard
"""

_NPZ_WORDS = (
    "Without a comma, the main verb is more surprising than with one, more surprising than after "
    "{control}, and the comma matters more than it does there."
)
_MVRR_WORDS = (
    "The main verb is most surprising after a reduced relative clause whose participle could be a "
    "past tense: more than after the full relative clause, more than after an unambiguous "
    "participle, and reduction matters more than it does with the latter."
)


def designs() -> tuple[Design, ...]:
    """Return the garden-path suites; every second one has a modifier before the main verb."""
    return (
        _npz("npz_ambig", modified=False),
        _npz("npz_ambig_mod", modified=True),
        _npz("npz_obj", modified=False),
        _npz("npz_obj_mod", modified=True),
        _mvrr("mvrr", modified=False),
        _mvrr("mvrr_mod", modified=True),
    )


def _effect(region: int, trap: str, cue: str, control: str, control_cue: str) -> str:
    """Return the formula of a garden-path effect, and that it is larger than the control's."""
    at = {name: f"({region};%{name}%)" for name in (trap, cue, control, control_cue)}
    return (
        f"({at[trap]} > {at[cue]}) & ({at[trap]} > {at[control]}) & "
        f"(({at[trap]} - {at[cue]}) > ({at[control]} - {at[control_cue]}))"
    )


def _npz(name: str, *, modified: bool) -> Design:
    with_object = "_obj" in name
    trap, control = ("no-obj", "obj") if with_object else ("ambig", "unambig")
    separator = "_no-comma" if with_object else "_nocomma"
    extension = ("extension",) if modified else ()

    def conditions(row: Row) -> Conditions:
        start, verb, target, intransitive, subject, extra, matrix, rest = row
        other = f"{verb} {target}" if with_object else intransitive
        tail = [subject, *([extra] if modified else []), matrix, rest]
        return {
            trap + separator: [start, verb, "", *tail],
            control + separator: [start, other, "", *tail],
            f"{trap}_comma": [start, verb, ",", *tail],
            f"{control}_comma": [start, other, ",", *tail],
        }

    after = "a verb with its object" if with_object else "a verb that takes none"
    formula = _effect(
        6 if modified else 5,
        trap + separator,
        f"{trap}_comma",
        control + separator,
        f"{control}_comma",
    )
    return Design(
        name=name,
        circuit=CIRCUIT,
        comment="The subject of the main clause is taken for the object of the verb before it.",
        regions=("start", "transitive_verb", "comma", "np_z", *extension, "verb", "continuation"),
        predictions=((formula, _NPZ_WORDS.format(control=after)),),
        rows=rows(NPZ_TABLE),
        conditions=conditions,
        modifier_of=name.removesuffix("_mod") if modified else "",
    )


def _mvrr(name: str, *, modified: bool) -> Design:
    extension = ("intervener",) if modified else ()

    def conditions(row: Row) -> Conditions:
        noun, ambiguous, unambiguous, contents, extra, verb, rest = row
        tail = [contents, *([extra] if modified else []), verb, rest]
        return {
            "reduced_ambig": ["The", noun, ambiguous, *tail],
            "unreduced_ambig": ["The", noun, f"who was {ambiguous}", *tail],
            "reduced_unambig": ["The", noun, unambiguous, *tail],
            "unreduced_unambig": ["The", noun, f"who was {unambiguous}", *tail],
        }

    formula = _effect(
        6 if modified else 5,
        "reduced_ambig",
        "unreduced_ambig",
        "reduced_unambig",
        "unreduced_unambig",
    )
    return Design(
        name=name,
        circuit=CIRCUIT,
        comment="A reduced relative clause is taken for the main clause.",
        regions=(
            "start",
            "noun",
            "ambiguous_verb",
            "rc_contents",
            *extension,
            "disambiguator",
            "end",
        ),
        predictions=((formula, _MVRR_WORDS),),
        rows=rows(MVRR_TABLE),
        conditions=conditions,
        modifier_of=name.removesuffix("_mod") if modified else "",
    )
