from .launching.launcher import Launcher as Launcher
from .plan import Plan as Plan
from .segments import PlanFolder as PlanFolder
