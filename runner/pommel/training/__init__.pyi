from .lstm.recipe import (
    EpochFigures as EpochFigures,
    Plan as Plan,
    Progress as Progress,
    Recipe as Recipe,
    Watcher as Watcher,
)
from .ngram_recipe import NgramRecipe as NgramRecipe
