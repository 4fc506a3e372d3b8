from .lstm.recipe import EpochFigures as EpochFigures
from .lstm.recipe import Plan as Plan
from .lstm.recipe import Progress as Progress
from .lstm.recipe import Recipe as Recipe
from .lstm.recipe import Watcher as Watcher
from .ngram_recipe import NgramRecipe as NgramRecipe
from .text import TextFile as TextFile
