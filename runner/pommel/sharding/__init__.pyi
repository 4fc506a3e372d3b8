from .costs import Costs as Costs
from .plan import Plan as Plan
from .status import Status as Status
