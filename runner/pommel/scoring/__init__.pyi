from .choices import (
    Choices as Choices,
    Compat as Compat,
    Oov as Oov,
    Regions as Regions,
    ResultsTable as ResultsTable,
    ScoreRule as ScoreRule,
    Swallowed as Swallowed,
)
from .conditional import ConditionalScore as ConditionalScore
from .family_scores import FamilyScore as FamilyScore
from .regions import RegionTable as RegionTable
from .results import (
    PredictionResult as PredictionResult,
    Score as Score,
    SuiteResult as SuiteResult,
)
from .run import (
    NeededSentences as NeededSentences,
    Run as Run,
    SuiteSurprisals as SuiteSurprisals,
    run_suites as run_suites,
)
from .run_record import (
    ModelFacts as ModelFacts,
    RunRecord as RunRecord,
    SuiteFacts as SuiteFacts,
    SuiteKey as SuiteKey,
)
from .sentences import SentenceScores as SentenceScores
