# ruff: noqa: E501 - a table's row stays on its line
"""Subordination: a subordinator calls for a main clause, and without one there is none."""

from pommel.training.english_suites.design import Conditions, Design, Row, rows

CIRCUIT = "gross-syntactic-state"

# subordinator | subject | its PP | its subject relative | verb and object | its PP | its object
# relative | main clause | the subject's object relative | the object's subject relative
TABLE = """
After | doctor | in a long white coat | who helped the soldiers | read the report | about medicine | that the editor reviewed | the nurse walked into the lobby | who the senator admired | that described the vaccine
When | tailor | in an old hat | who disliked the waiter | mended the jacket | from the shop | that the weaver stitched | the customers waited outside the shop | who the duchess trusted | that tore at the wedding
While | chef | in a clean apron | who hired the butchers | tasted the soup | from the cafeteria | that the baker heated | the guests danced in the garden | who the mayor hired | that pleased the customers
Because | mechanic | from the village | who trusted the owner | repaired the truck | near the barn | that the pilot rented | the farmers smiled at the party | who the tourists contacted | that stalled near the bridge
Although | author | next to the mayor | who met the senators | published the novel | about politics | that the poet praised | the critics laughed at the lecture | who the students admired | that upset the ministers
After | carpenter | behind the house | who greeted the porter | moved the table | in the hallway | that the clerk polished | the children ran into the kitchen | who the landlord hired | that wobbled during dinner
As | singer | near the musicians | who admired the composer | performed the ballad | from the opera | that the pianist rehearsed | the visitors wept at the funeral | who the director recommended | that comforted the widow
When | gardener | in a green apron | who feared the wolves | watered the roses | behind the church | that the widow planted | the birds escaped into the forest | who the nuns welcomed | that flourished during the summer
Once | inventor | with the engineers | who impressed the judges | tested the robot | from the factory | that the physicist designed | the reporters arrived at the laboratory | who the investors supported | that frightened the workers
Since | senator | from the city | who defended the workers | rejected the proposal | about the law | that the minister drafted | the voters cheered in the square | who the journalists criticized | that disappointed the farmers
Before | thief | in a dark cloak | who deceived the sheriff | stole the necklace | from the palace | that the queen admired | the guards slept in the tower | who the detective followed | that sparkled in the light
While | teacher | beside the librarian | who scolded the pupils | translated the story | about nature | that the historian discovered | the students yawned in the classroom | who the principal respected | that entertained the children
Though | captain | close to the sailors | who ignored the tourists | sold the ship | near the harbor | that the merchant inspected | the passengers returned to the market | who the fishermen feared | that leaked during the winter
Because | painter | across from the sculptor | who loved the duchess | restored the portrait | in the gallery | that the prince framed | the tourists traveled to the museum | who the critics praised | that faded in the attic
After | engineer | from the airport | who questioned the driver | inspected the engine | in the garage | that the electrician assembled | the manager resigned on Monday | who the pilots trusted | that overheated at the station
When | pharmacist | with the chemist | who warned the patients | developed the vaccine | in the laboratory | that the surgeon recommended | the doctors gathered at the conference | who the nurses respected | that protected the children
Although | architect | opposite the builders | who respected the mayor | renovated the bridge | near the market | that the soldiers constructed | the villagers complained at the meeting | who the king chose | that deteriorated during the war
As | grandmother | near the girls | who hugged the babies | knitted the scarf | in the kitchen | that the nieces wanted | the puppies slept in the bedroom | who the children visited | that impressed the neighbors
While | clown | in front of the children | who amused the princess | juggled the marbles | from the basket | that the juggler tossed | the monkeys danced in the street | who the magician mocked | that surprised the visitors
Once | publisher | alongside the editors | who encouraged the novelist | printed the memoir | about the war | that the journalist wrote | the writers celebrated at the restaurant | who the poets feared | that embarrassed the governor
Since | baker | with a big basket | who thanked the farmer | prepared the cakes | in the kitchen | that the cooks sampled | the workers rested after lunch | who the waitress loved | that impressed the chef
Before | diplomat | from the palace | who persuaded the king | signed the treaty | about world trade | that the ambassador proposed | the ministers quarreled at the banquet | who the president sent | that ended the war
Though | conductor | in a black suit | who interrupted the singers | recorded the symphony | at the concert | that the violinist composed | the dancers relaxed at the reception | who the pianist admired | that startled the critics
When | porter | behind the waiters | who offended the actress | delivered the packages | from the warehouse | that the secretary wrapped | the neighbors gathered near the hotel | who the tenants thanked | that arrived on Tuesday
"""

FORMULA = (
    "(({n};%sub_no-matrix%) > ({n};%no-sub_no-matrix%)) & "
    "(({n};%sub_matrix%) < ({n};%no-sub_matrix%))"
)
IN_WORDS = (
    "An end without a main clause is more surprising with a subordinator than without one, and a "
    "second clause is less surprising with a subordinator than without one."
)


def designs() -> tuple[Design, ...]:
    """Return the subordination suites: without modifiers, with PPs, with relatives."""
    return (
        _design("subordination", "", ()),
        _design("subordination_pp-pp", "prepositional phrases", (2, 5)),
        _design("subordination_src-orc", "relative clauses", (3, 6)),
        _design("subordination_src-src", "subject relative clauses", (3, 9)),
        _design("subordination_orc-orc", "object relative clauses", (8, 6)),
    )


def _design(name: str, modifiers: str, columns: tuple[int, ...]) -> Design:
    regions: tuple[str, ...] = ("clause_1", "clause_2", "main_clause")
    if columns:
        regions = ("clause_1", "subj_modifier", "clause_2", "obj_modifier", "main_clause")

    def conditions(row: Row) -> Conditions:
        subordinator, subject, predicate, main = row[0], row[1], row[4], row[7]
        rest = [predicate]
        if columns:
            rest = [row[columns[0]], predicate, row[columns[1]]]
        return {
            "sub_no-matrix": [f"{subordinator} the {subject}", *rest, "."],
            "no-sub_no-matrix": [f"The {subject}", *rest, "."],
            "sub_matrix": [f"{subordinator} the {subject}", *rest, f", {main} ."],
            "no-sub_matrix": [f"The {subject}", *rest, f", {main} ."],
        }

    between = f", {modifiers} after its subject and its object" if modifiers else ""
    return Design(
        name=name,
        circuit=CIRCUIT,
        comment=f"A clause with or without a subordinator{between}, ends or goes on.",
        regions=regions,
        predictions=((FORMULA.format(n=len(regions)), IN_WORDS),),
        rows=rows(TABLE),
        conditions=conditions,
        modifier_of="subordination" if modifiers else "",
    )
