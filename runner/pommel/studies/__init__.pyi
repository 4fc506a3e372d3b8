from .folder import StudyFolder as StudyFolder
from .steps import Asked as Asked
from .study import Study as Study
