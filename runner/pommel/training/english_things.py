"""The fields of inanimate nouns: what they are, who deals with them, what is done to them.

A field is what the plausibility of an event is made of: an artist paints a portrait, and a
portrait fades; neither can be exchanged.
"""

from typing import NamedTuple


class FieldWords(NamedTuple):
    """One field as word lists: nouns, people who deal with it, verbs on it, verbs of its own."""

    nouns: str
    experts: str
    transitive: str
    intransitive: str


FIELDS = {
    "food": FieldWords(
        "sandwich cake soup pie stew salad pizza cookie meal omelet pudding muffin pancake steak "
        "burger sausage",
        "chef cook baker butcher waiter waitress grandmother mother",
        "eat cook bake taste prepare heat season devour sample chew",
        "spoil rot burn cool vanish",
    ),
    "text": FieldWords(
        "book letter novel report article essay poem story script manual diary memoir "
        "biography magazine document textbook",
        "author writer novelist journalist editor publisher poet translator historian reporter",
        "write read publish translate print edit review revise copy cite",
        "sell appear circulate disappear",
    ),
    "art": FieldWords(
        "painting portrait sculpture mural sketch statue drawing mosaic",
        "artist painter sculptor designer",
        "paint draw sketch restore frame exhibit carve display",
        "fade deteriorate crack decay",
    ),
    "vehicle": FieldWords(
        "car truck boat bus bicycle van taxi tractor motorcycle wagon ship ferry jeep",
        "mechanic driver captain sailor pilot",
        "drive repair park steer wash rent inspect tow",
        "stall skid crash rust stop swerve",
    ),
    "device": FieldWords(
        "machine engine phone radio computer printer camera clock telescope alarm generator "
        "robot scanner heater elevator",
        "engineer electrician inventor programmer scientist mechanic physicist",
        "fix install invent test adjust operate program assemble",
        "malfunction overheat fail beep work",
    ),
    "building": FieldWords(
        "house bridge tunnel barn fence wall temple cottage mansion skyscraper dam lighthouse "
        "shed roof",
        "builder architect carpenter engineer",
        "build design renovate demolish construct survey",
        "collapse crumble lean sink",
    ),
    "clothing": FieldWords(
        "shirt coat dress hat jacket sweater scarf skirt blouse suit uniform glove sock robe "
        "apron vest cloak",
        "tailor weaver designer grandmother aunt",
        "wear sew iron fold knit mend stitch",
        "shrink tear stretch unravel",
    ),
    "music": FieldWords(
        "song melody tune anthem symphony ballad lullaby opera sonata duet",
        "musician singer composer pianist violinist conductor",
        "sing compose perform record hum rehearse play",
        "echo resound end",
    ),
    "furniture": FieldWords(
        "chair table bench cabinet desk shelf/shelves bookcase sofa stool crib dresser cradle",
        "carpenter janitor porter",
        "polish move lift varnish sand",
        "wobble break creak squeak",
    ),
    "vessel": FieldWords(
        "vase cup bottle bowl jar plate mug pitcher glass kettle bucket barrel teapot",
        "potter waiter waitress merchant jeweler",
        "fill drop rinse empty glaze shape",
        "shatter leak fall tip",
    ),
    "plant": FieldWords(
        "tree flower bush rose tulip vine fern orchid hedge shrub lily",
        "gardener farmer biologist",
        "plant water trim prune grow dig",
        "bloom wither sprout flourish die",
    ),
    "plan": FieldWords(
        "plan idea proposal theory policy law budget strategy treaty project program scheme "
        "contract",
        "senator governor mayor president minister manager lawyer diplomat consultant",
        "propose reject support discuss approve criticize defend sign draft",
        "succeed fail expire progress",
    ),
    "toy": FieldWords(
        "ball toy kite doll puzzle balloon marble rattle whistle drum frisbee",
        "child boy girl teenager clown juggler",
        "throw kick toss catch juggle chase",
        "roll bounce burst float",
    ),
    "parcel": FieldWords(
        "package box parcel suitcase basket bag crate envelope trunk",
        "porter clerk merchant trader passenger",
        "open deliver pack wrap seal ship carry weigh",
        "arrive slide topple",
    ),
    "treasure": FieldWords(
        "ring necklace bracelet crown coin medal diamond jewel watch trophy brooch",
        "jeweler thief prince princess king queen duchess",
        "steal wear hide polish value admire",
        "sparkle glitter shine gleam",
    ),
    "medicine": FieldWords(
        "pill drug vaccine ointment bandage syrup potion",
        "doctor nurse pharmacist chemist surgeon dentist patient",
        "prescribe swallow administer develop study",
        "dissolve help",
    ),
}

# Verbs that anyone can apply to any thing.
GENERAL_TRANSITIVE = (
    "buy sell find lose see want keep take hold bring notice describe like need get examine grab"
)

# What is carried to somebody: the themes of verbs of giving.
GIFT_FIELDS = ("food", "text", "clothing", "toy", "parcel", "treasure", "vessel", "medicine")

# The optional adjunct of a text: "the book about the war".
TOPICS = (
    "history", "music", "art", "science", "politics", "nature", "medicine", "education",
    "economics", "religion", "animals", "gardening", "cancer therapy", "modern architecture",
    "space travel", "world trade", "local government",
    "the war", "the law", "foreign countries",
)  # fmt: skip
