"""Centre embedding: of two verbs, the inner one belongs to the inner subject."""

from pommel.training.english_suites.design import Conditions, Design, Row, rows

CIRCUIT = "center-embedding"

# outer subject | inner subject | modifier | verb of the inner subject | verb of the outer one
TABLE = """
portrait | artist | who admired the queen | painted | faded
truck | mechanic | who met the driver | repaired | stalled
soup | chef | who hired the waiter | prepared | cooled
novel | author | who trusted the editor | wrote | sold
bridge | builder | who knew the mayor | designed | collapsed
jacket | tailor | who helped the customer | sewed | shrank
table | carpenter | who lived in the village | polished | wobbled
rose | gardener | who worked at the palace | watered | withered
robot | engineer | who greeted the visitors | assembled | malfunctioned
vase | potter | who loved the princess | glazed | shattered
treaty | diplomat | who persuaded the king | signed | expired
pill | pharmacist | who warned the patient | prescribed | dissolved
ring | jeweler | who feared the thief | polished | glittered
package | porter | who ignored the guests | carried | arrived
balloon | child | who hugged the clown | tossed | burst
anthem | musician | who thanked the conductor | composed | resounded
puppy | farmer | who visited the neighbors | trained | barked
sculpture | sculptor | who lived in the city | carved | cracked
generator | electrician | who liked the manager | installed | overheated
ferry | captain | who encouraged the sailors | steered | sank
meal | cook | who scolded the baker | tasted | burned
letter | reporter | who interviewed the senator | edited | vanished
mansion | architect | who impressed the duchess | renovated | crumbled
scarf | grandmother | who comforted the girl | knitted | unraveled
proposal | minister | who disappointed the voters | drafted | failed
tree | biologist | who followed the guide | planted | flourished
"""

FORMULA = "(({first};%plaus%) + ({second};%plaus%)) < (({first};%implaus%) + ({second};%implaus%))"
IN_WORDS = (
    "The two verbs are less surprising together in the order in which each has the subject that "
    "suits it than in the opposite order."
)


def designs() -> tuple[Design, ...]:
    """Return the two suites, without and with a modifier of the inner subject."""
    return _design("center_embed", modified=False), _design("center_embed_mod", modified=True)


def _design(name: str, *, modified: bool) -> Design:
    modifier = ("modifier",) if modified else ()
    regions = ("intro", "np_1", "that", "det_2", "np_2", *modifier, "verb1", "verb2")

    def conditions(row: Row) -> Conditions:
        outer, inner, extra, inner_verb, outer_verb = row
        start = ["The", outer, "that", "the", inner, *([extra] if modified else [])]
        return {
            "plaus": [*start, inner_verb, outer_verb],
            "implaus": [*start, outer_verb, inner_verb],
        }

    n = len(regions)
    return Design(
        name=name,
        circuit=CIRCUIT,
        comment="An object relative clause between a subject and its verb; the verbs are swapped.",
        regions=regions,
        predictions=((FORMULA.format(first=n - 1, second=n), IN_WORDS),),
        rows=rows(TABLE),
        conditions=conditions,
        modifier_of="center_embed" if modified else "",
    )
