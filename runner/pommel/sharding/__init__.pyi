from .costs import Costs as Costs
from .plan import Plan as Plan
from .segments import PlanFolder as PlanFolder
from .status import Status as Status
