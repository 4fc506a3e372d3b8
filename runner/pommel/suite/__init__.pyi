from .checks import Finding as Finding
from .drafts import Design as Design
from .formula.parser import Formula as Formula
from .lint.frequencies import Frequencies as Frequencies
from .lint.rules import RULES as RULES, check_suite as check_suite
from .lint.subject import Tokenized as Tokenized
from .metrics import METRICS as METRICS
from .published import PublishedSuite as PublishedSuite
from .read import LoadedDraft as LoadedDraft, LoadedSuite as LoadedSuite
from .suite import (
    Condition as Condition,
    Item as Item,
    Region as Region,
    Sentence as Sentence,
    Suite as Suite,
)
