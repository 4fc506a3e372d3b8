from .lstm.recipe import (
    EpochFigures as EpochFigures,
    Plan as Plan,
    Recipe as Recipe,
    Watcher as Watcher,
)
from .ngram_recipe import NgramRecipe as NgramRecipe
from .transformer.recipe import TransformerRecipe as TransformerRecipe
