from .frequencies import Frequencies as Frequencies
from .rules import RULES as RULES, check_suite as check_suite
from .subject import Remark as Remark, Tokenized as Tokenized
