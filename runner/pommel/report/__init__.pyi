from .imported import ImportedModels as ImportedModels
from .page.writing import page_environment as page_environment, write_report as write_report
from .plots.look import Look as Look
from .plots.table import PLOTS as PLOTS
from .results import Results as Results
from .run_list import ListedRun as ListedRun
from .suite_preview import PreviewLine as PreviewLine
from .suite_sheet import SuiteSheet as SuiteSheet
from .tables import result_tables as result_tables
from .text_tables import TABLES as TABLES
