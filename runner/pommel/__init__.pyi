from .api import (
    Results as Results,
    SuiteWarning as SuiteWarning,
    compute_surprisals as compute_surprisals,
    conditional_scores as conditional_scores,
    evaluate as evaluate,
    load_model as load_model,
    load_suite as load_suite,
    open_store as open_store,
    run as run,
    score as score,
    stored_results as stored_results,
)
from .errors import PommelError as PommelError, SuiteError as SuiteError
from .models.model import Policy as Policy
from .suite.suite import Suite as Suite
