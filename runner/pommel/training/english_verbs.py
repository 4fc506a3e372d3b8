"""The verbs of the training English, as plain lists of base forms, by the frames they occur in."""

# Person does something to person; the reflexive ones come first in the paragraph below.
PERSON_TRANSITIVE = """
admire amuse annoy approach attack avoid beat believe betray blame call challenge comfort confuse
congratulate contact convince criticize cure deceive defend describe despise disappoint distract
dislike embarrass encourage entertain envy escort face fear fight fire follow forget forgive
frighten greet guide harm hate hear help hire hug hurt identify ignore impress injure insult
interrupt interview introduce invite irritate judge kiss know leave like love meet mention miss
mock motivate notice obey offend overhear persuade photograph please praise protect punish push
question recognize recommend reject rescue respect save scare scold see shock startle surprise
support teach tease thank threaten touch trust understand upset visit warn watch welcome wake
choose pick catch
"""

REFLEXIVE = """
admire amuse blame comfort convince criticize deceive defend describe disappoint dislike embarrass
encourage entertain forgive hate help hurt identify impress injure introduce hear love motivate
praise protect punish question recognize respect save scare see surprise teach trust understand
upset warn watch harm like mock shock doubt burn wash free prepare calm
"""

PERSON_INTRANSITIVE = """
laugh smile sleep arrive leave cry shout yell scream whisper wait dance run walk jump fall trip
stumble faint sneeze cough yawn sigh nod blush frown giggle grin kneel complain hesitate pause
resign retire relax rest recover suffer struggle travel vanish disappear escape return
swim work live die lie quarrel argue flee celebrate cheer gather vote wave weep wink shiver tremble
hide
"""

# Nothing can follow these as an object: what follows is a new clause.
STRICTLY_INTRANSITIVE = """
arrive sleep laugh sneeze cough yawn faint stumble disappear vanish hesitate resign
retire relax rest smile fall flee tremble blush giggle weep shiver sigh pause
"""

# Each with the fields its object comes from; all of them also occur without an object.
OPTIONALLY_TRANSITIVE = {
    "eat": "food", "cook": "food", "bake": "food", "chew": "food", "taste": "food",
    "read": "text", "write": "text", "edit": "text", "paint": "art", "draw": "art",
    "sketch": "art", "carve": "art", "drive": "vehicle", "park": "vehicle", "steer": "vehicle",
    "sew": "clothing", "knit": "clothing", "iron": "clothing", "sing": "music", "hum": "music",
    "rehearse": "music", "perform": "music", "play": "music", "compose": "music", "pack": "parcel",
    "kick": "toy", "juggle": "toy", "dig": "plant", "plant": "plant", "weave": "clothing",
    "hunt": "animal", "study": "text", "follow": "person", "visit": "person", "attack": "person",
    "shoot": "animal", "call": "person", "help": "person", "watch": "person", "win": "treasure",
    "investigate": "plan", "clean": "vessel", "wash": "vessel", "fight": "person",
    "lecture": "person",
}  # fmt: skip

# Ambiguous ones have a participle equal to their past tense.
# Each with the fields of what is given; "any" stands for all that can be carried.
GIVING = {
    "bring": "any", "send": "any", "offer": "any", "hand": "any", "lend": "any", "mail": "any",
    "sell": "any", "buy": "any", "leave": "any", "pass": "any", "owe": "any", "award": "treasure",
    "serve": "food", "feed": "food", "read": "text", "toss": "toy", "teach": "music", "tell":
"text",
    "give": "any", "show": "any", "throw": "toy", "write": "text", "draw": "art", "sing": "music",
}  # fmt: skip
AMBIGUOUS_GIVING = "bring send offer hand lend serve award toss mail sell pass feed"
UNAMBIGUOUS_GIVING = "give give show throw"

CLAUSE_EMBEDDING = """
say think claim believe know report remark notice hope suspect insist announce feel hear mention
admit argue declare deny doubt explain fear imagine learn predict realize recall
remember reveal state suggest suppose swear discover observe
"""

WH_EMBEDDING = """
know remember see reveal discover learn guess understand notice explain recall forget realize
hear mention
"""

ANIMAL_TRANSITIVE = """
feed chase train catch pet rescue ride raise brush tame hunt adopt buy sell see find follow
"""
ANIMAL_INTRANSITIVE = "sleep run escape swim jump eat hide drink wander growl limp play yawn bark"
ANIMAL_EXPERTS = "farmer hunter shepherd child villager girl boy trader"

IRREGULAR = """
beat/beat/beaten bite/bit/bitten break/broke/broken
bring/brought/brought build/built/built buy/bought/bought catch/caught/caught
choose/chose/chosen dig/dug/dug do/did/done draw/drew/drawn drink/drank/drunk
drive/drove/driven eat/ate/eaten fall/fell/fallen feed/fed/fed feel/felt/felt
fight/fought/fought find/found/found forget/forgot/forgotten forgive/forgave/forgiven
get/got/gotten give/gave/given grow/grew/grown flee/fled/fled hear/heard/heard hide/hid/hidden
hold/held/held
hurt/hurt/hurt keep/kept/kept kneel/knelt/knelt know/knew/known burst/burst/burst leave/left/left
lend/lent/lent
lose/lost/lost meet/met/met overhear/overheard/overheard pay/paid/paid read/read/read
ride/rode/ridden run/ran/run say/said/said see/saw/seen sell/sold/sold send/sent/sent
sew/sewed/sewn shake/shook/shaken shine/shone/shone shoot/shot/shot show/showed/shown
shrink/shrank/shrunk sing/sang/sung sink/sank/sunk sleep/slept/slept slide/slid/slid
steal/stole/stolen swear/swore/sworn swim/swam/swum take/took/taken
teach/taught/taught tear/tore/torn tell/told/told think/thought/thought throw/threw/thrown
understand/understood/understood upset/upset/upset wake/woke/woken wear/wore/worn
weave/wove/woven weep/wept/wept win/won/won write/wrote/written have/had/had
"""

# Verbs that double their last letter before -ed and -ing.
DOUBLING = """
grab hug hum knit nod pet plan skid stop tip trim trip ship wrap grin drop program begin
dig forget get run swim win upset admit
"""

# No progressive: "was knowing" is not English.
STATIVE = """
know believe hate like love want need understand doubt see hear owe value own respect admire
despise dislike trust recognize fear envy notice find lose think suppose forget remember realize
hope get miss mention
"""
