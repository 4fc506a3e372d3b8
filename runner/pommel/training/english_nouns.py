"""The nouns, adjectives, names and small words of the training English, as plain lists.

A noun is written as its singular; an irregular plural follows a slash (`man/men`).
"""

PEOPLE = """
accountant activist actor advisor agent ambassador analyst architect artist assistant athlete
author baby baker banker barber biologist boss builder butcher candidate captain carpenter cashier
chef chemist child/children clerk client clown coach composer conductor consultant cook counselor
critic customer dancer dean dentist designer detective diplomat director doctor driver editor
electrician employee engineer expert farmer gardener geologist governor guard guest guide
hero/heroes historian hunter inspector inventor investor janitor jeweler journalist judge juggler
landlord lawyer librarian magician manager mayor mechanic merchant minister musician neighbor
novelist nurse officer owner painter passenger pastor patient pharmacist philosopher photographer
physicist pianist pilot player plumber poet porter potter president principal prisoner producer
professor programmer publisher pupil referee reporter researcher runner sailor scientist sculptor
secretary senator sheriff singer soldier spy stranger student surgeon swimmer tailor teacher
teenager tenant thief/thieves tourist trader translator victim villager violinist visitor
volunteer voter weaver witness worker writer criminal friend
"""

MEN = """
man/men boy king prince uncle father brother son grandfather nephew husband gentleman/gentlemen
waiter monk duke wizard policeman/policemen fisherman/fishermen
"""

WOMEN = """
woman/women girl queen princess aunt mother sister daughter grandmother niece wife/wives lady
waitress nun duchess widow actress policewoman/policewomen
"""

# Kin and friends take possessives: "our uncle", "his friend".
KIN = """
uncle father brother son grandfather nephew aunt mother sister daughter grandmother niece friend
neighbor boss teacher lawyer doctor
"""

ANIMALS = """
dog cat horse cow goat pig rabbit bird parrot duck chicken lion tiger bear wolf/wolves fox monkey
elephant camel donkey mouse/mice turtle snake frog whale dolphin eagle owl swan goose/geese puppy
kitten lamb calf/calves pony squirrel
"""

PLACES = """
kitchen garden park office library museum school hospital hotel restaurant theater studio
classroom hallway basement attic bedroom village city town forest valley desert lobby cafeteria
stadium station airport harbor market church castle factory farm garage gallery laboratory palace
prison shop store street square tower bakery cabin field yard warehouse courtroom bank
"""

EVENTS = """
party meeting concert wedding lecture ceremony festival conference dinner lunch parade auction
reception funeral picnic rehearsal interview trial performance exhibition tournament banquet
"""

GARMENTS_WORN = "coat jacket hat scarf uniform dress suit sweater apron cloak vest robe"

MASS_NOUNS = """
success luck trouble money fun experience training influence support interest power talent help
attention respect patience courage work doubt time
"""

PERSON_ADJECTIVES = """
good smart tall kind famous popular brave honest polite clever young old rich poor happy sad angry
tired lazy busy nervous calm proud shy quiet friendly rude generous greedy cheerful lonely
curious careful careless serious wise foolish strong weak healthy sick hungry thirsty patient
gentle cruel loyal stubborn talented skilled confident anxious charming elegant energetic grumpy
humble jealous mean modest noisy sleepy thoughtful wealthy successful important powerful
"""

THING_ADJECTIVES = """
big small large little old new heavy light clean dirty cheap expensive strange beautiful ugly
red blue green yellow white black brown gray huge tiny lovely plain fancy broken ordinary rare
simple modern ancient bright dark round square smooth rough soft hard wet dry long short
wide narrow valuable useful useless perfect fragile remarkable colorful dusty impressive
"""

MEN_NAMES = """
John Robert Michael William David Richard Thomas Charles Daniel Matthew Anthony Mark Steven Paul
Andrew George Kevin Brian Edward Peter Henry Arthur Jack Samuel Frank Oliver Simon Victor Walter
"""

WOMEN_NAMES = """
Mary Patricia Linda Susan Jessica Sarah Karen Nancy Lisa Margaret Sandra Emily Donna Michelle
Carol Amanda Laura Helen Anna Emma Julia Alice Diana Martha Rachel Maria Olivia Sophie Clara
"""

# Where one person stands with respect to another.
PERSON_PREPOSITIONS = (
    "near", "next to", "behind", "beside", "in front of", "across from", "with", "opposite",
    "alongside", "close to",
)  # fmt: skip
# Who shares in an event: "sang for the guests".
ADJUNCT_PREPOSITIONS = (*PERSON_PREPOSITIONS, "for")
THING_PREPOSITIONS = ("near", "next to", "behind", "beside", "in front of", "under", "above", "on")
PLACE_PREPOSITIONS = ("in", "near", "behind", "outside", "inside", "beside")
MOTION_PREPOSITIONS = ("into", "toward", "through", "past", "around", "to")

MANNER_ADVERBS = """
quickly slowly quietly loudly carefully suddenly happily sadly angrily calmly bravely politely
gladly eagerly nervously patiently proudly gently secretly immediately again together
"""

FREQUENCY_ADVERBS = "often always sometimes usually rarely once recently already clearly certainly"

# Those of the first list go with any tense, those of the second with the past alone.
TIMES = (
    "on Monday", "on Tuesday", "on Friday", "on Sunday", "at night", "in the morning",
    "in the evening", "after lunch", "before dinner", "at noon", "in the afternoon",
    "after breakfast", "during the day", "in winter", "in summer", "on weekends",
)  # fmt: skip
PAST_TIMES = (
    "yesterday", "last night", "last week", "last year", "this morning", "yesterday afternoon",
    "two days ago", "last month", "yesterday morning", "last summer", "years ago", "last Friday",
)  # fmt: skip

SUBORDINATORS = (
    "After", "As", "When", "While", "Although", "Because", "Before", "Since", "If", "Once",
    "Until", "Though", "Unless", "Whenever",
)  # fmt: skip

NUMERALS = ("two", "three", "four", "five", "several", "many", "some", "most", "all", "these")
