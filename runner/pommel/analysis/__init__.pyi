from .accuracy import Accuracies as Accuracies, Accuracy as Accuracy
from .asking import (
    Option as Option,
    Settings as Settings,
    WithAverage as WithAverage,
    WithDraws as WithDraws,
)
from .cells import (
    Answer as Answer,
    FamilyColumn as FamilyColumn,
    add_sections as add_sections,
    circuit_cell as circuit_cell,
    grouped as grouped,
    interval_cell as interval_cell,
    number_cell as number_cell,
    plain_table as plain_table,
)
from .comparison import Comparison as Comparison
from .complexity import Complexity as Complexity
from .items import ItemTable as ItemTable
from .models_compared import ModelsCompared as ModelsCompared
from .scaling import Scaling as Scaling
from .sentence_sets import SentenceSets as SentenceSets
from .stability import Stability as Stability
from .training import Training as Training
