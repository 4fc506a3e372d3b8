from .lm_zoo.commands import opened as opened
from .lm_zoo.models import Registry as Registry
