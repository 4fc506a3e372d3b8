from .launching.launcher import Launcher as Launcher, Worker as Worker
from .plan import Plan as Plan
from .segments import PlanFolder as PlanFolder
