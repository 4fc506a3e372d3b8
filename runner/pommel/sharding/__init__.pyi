from .plan import Plan as Plan
from .segments import PlanFolder as PlanFolder
