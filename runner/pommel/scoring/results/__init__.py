"""What came out: predictions per item, scores per suite. Values only; computed elsewhere."""

from pommel.scoring.results.prediction_result import ItemResult, PredictionResult
from pommel.scoring.results.score import Score
from pommel.scoring.results.suite_result import SCORE_RULES, SUITE_COLUMNS, ScoreRule, SuiteResult

__all__ = [
    "SCORE_RULES",
    "SUITE_COLUMNS",
    "ItemResult",
    "PredictionResult",
    "Score",
    "ScoreRule",
    "SuiteResult",
]
