# ruff: noqa: E501 - a table's row stays on its line
"""Subordination: a subordinator calls for a main clause, and without one there is none."""

from pommel.training.english_suites.design import Conditions, Design, Row, rows

CIRCUIT = "gross-syntactic-state"

# subordinator | subject | its PP | its relative | verb and object | its PP | its relative | main
TABLE = """
After | doctor | in a long white coat | who helped the soldiers | read the report | about medicine | that the editor reviewed | the nurse walked into the lobby
When | tailor | in an old hat | who disliked the waiter | mended the jacket | from the shop | that the weaver stitched | the customers waited outside the shop
While | chef | in a clean apron | who hired the butchers | tasted the soup | from the cafeteria | that the baker heated | the guests danced in the garden
Because | mechanic | from the village | who trusted the owner | repaired the truck | near the barn | that the pilot rented | the farmers smiled at the party
Although | author | next to the mayor | who met the senators | published the novel | about politics | that the poet praised | the critics laughed at the lecture
After | carpenter | behind the house | who greeted the porter | moved the table | in the hallway | that the clerk polished | the children ran into the kitchen
As | singer | near the musicians | who admired the composer | performed the ballad | from the opera | that the pianist rehearsed | the visitors wept at the funeral
When | gardener | in a green apron | who feared the wolves | watered the roses | behind the church | that the widow planted | the birds escaped into the forest
Once | inventor | with the engineers | who impressed the judges | tested the robot | from the factory | that the physicist designed | the reporters arrived at the laboratory
Since | senator | from the city | who defended the workers | rejected the proposal | about the law | that the minister drafted | the voters cheered in the square
Before | thief | in a dark cloak | who deceived the sheriff | stole the necklace | from the palace | that the queen admired | the guards slept in the tower
While | teacher | beside the librarian | who scolded the pupils | translated the story | about nature | that the historian discovered | the students yawned in the classroom
Though | captain | close to the sailors | who ignored the tourists | sold the ship | near the harbor | that the merchant inspected | the passengers returned to the market
Because | painter | across from the sculptor | who loved the duchess | restored the portrait | in the gallery | that the prince framed | the tourists traveled to the museum
After | engineer | from the airport | who questioned the driver | inspected the engine | in the garage | that the electrician assembled | the manager resigned on Monday
When | pharmacist | with the chemist | who warned the patients | developed the vaccine | in the laboratory | that the surgeon recommended | the doctors gathered at the conference
Although | architect | opposite the builders | who respected the mayor | renovated the bridge | near the market | that the soldiers constructed | the villagers complained at the meeting
As | grandmother | near the girls | who hugged the babies | knitted the scarf | in the kitchen | that the nieces wanted | the puppies slept in the bedroom
While | clown | in front of the children | who amused the princess | juggled the marbles | from the basket | that the juggler tossed | the monkeys danced in the street
Once | publisher | alongside the editors | who encouraged the novelist | printed the memoir | about the war | that the journalist wrote | the writers celebrated at the restaurant
Since | baker | with a big basket | who thanked the farmer | prepared the cakes | in the kitchen | that the cooks sampled | the workers rested after lunch
Before | diplomat | from the palace | who persuaded the king | signed the treaty | about world trade | that the ambassador proposed | the ministers quarreled at the banquet
Though | conductor | in a black suit | who interrupted the singers | recorded the symphony | at the concert | that the violinist composed | the dancers relaxed at the reception
When | porter | behind the waiters | who offended the actress | delivered the packages | from the warehouse | that the secretary wrapped | the neighbors gathered near the hotel
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
    """Return the subordination suites: without modifiers, with two PPs, with two relatives."""
    return (
        _design("subordination", "", ()),
        _design("subordination_pp-pp", "prepositional phrases", (2, 5)),
        _design("subordination_src-orc", "relative clauses", (3, 6)),
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
