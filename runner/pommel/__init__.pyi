from .api import Results as Results
from .api import SuiteWarning as SuiteWarning
from .api import compute_surprisals as compute_surprisals
from .api import conditional_scores as conditional_scores
from .api import evaluate as evaluate
from .api import load_model as load_model
from .api import load_suite as load_suite
from .api import open_store as open_store
from .api import run as run
from .api import stored_results as stored_results
from .errors import PommelError as PommelError
from .errors import SuiteError as SuiteError
from .models.model import Policy as Policy
from .suite.suite import Suite as Suite

__all__: list[str]
