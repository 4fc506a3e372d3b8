from .alignment import PrintedToken as PrintedToken, TokenizerSpec as TokenizerSpec
from .container.commands import ImageCommands as ImageCommands
from .container.engines.docker_engine import DockerEngine as DockerEngine
from .container.names import LmZooRegistry as LmZooRegistry
from .family import Membership as Membership, Named as Named, NamedModel as NamedModel
from .lstm.folder import LstmConfig as LstmConfig, LstmFolder as LstmFolder
from .model import (
    DistinctSentence as DistinctSentence,
    LoadOptions as LoadOptions,
    Method as Method,
    Model as Model,
    ModelInfo as ModelInfo,
    Policy as Policy,
    Spans as Spans,
    closing as closing,
)
from .neural.memory import find_device as find_device
from .recorded import Recording as Recording
from .registry import (
    known_references as known_references,
    load_model as load_model,
)
from .tokenizing import TokenizingModel as TokenizingModel
from .word_level import read_word_list as read_word_list, words_of_text as words_of_text
