"""What the Python package `lm_zoo` 1.4a3 offered to those who call models, under the same names.

    from pommel.compat import lm_zoo as Z

    model = Z.get_registry()["docker://lmzoo-template"]
    Z.get_surprisals(model, ["This is a test sentence ."])

`model` is what the registry gives, as before, or any reference that `pommel run` takes
("builtin://en-gpt2"), or a loaded model; `backend` names what has to run it. New code is better off
with `import pommel`.

What is not as it was, and why:

* A command that ends with an exit status other than 0 is an error (`ContainerError`); only 99 was.
  Containers run without a network, with limits, and are removed whatever happens.
* Tokens are what a model prints: `NA`, `null`, `"` and `007` came back as missing values, not at
  all, and as a number. A surprisal of -0 is 0.
* A blank sentence keeps its place and has no tokens; at either end of the list it was lost, and an
  empty list gave `[[""]]`. A sentence with a line break in it is an error; it moved all that
  followed. A list that is a `str` is an error, too.
* `backend` is obeyed, or `IncompatibleBackendError` is raised; another one ran, with a warning.
* The registry ships with the package; every import downloaded it. An unknown name is an
  `UnknownModelError`, a KeyError, with the nearest name; a model's `maintainer` is the one in the
  registry.
* Models in this process: a sentence that is too long is an error, and of GPT-2's tokens none is
  "unknown". An n-gram model's tokens are the words of the sentence, known or not. Where the
  first token has no context it has 0 bits, as it had.
* `spec` of such a model leaves out what nobody knows (a maintainer, a date), and guesses the rest
  from the vocabulary, not from how the word "Testing" is cut.
"""

from pommel.compat.lm_zoo import errors, models
from pommel.compat.lm_zoo.api import (
    get_predictions,
    get_registry,
    get_surprisals,
    spec,
    tokenize,
    unkify,
)
from pommel.compat.lm_zoo.errors import (
    BackendConnectionError,
    IncompatibleBackendError,
    UnknownModelError,
    UnsupportedFeatureError,
    UnsupportedModelError,
)
from pommel.compat.lm_zoo.models import Model, Registry

__all__ = [
    "BackendConnectionError",
    "IncompatibleBackendError",
    "Model",
    "Registry",
    "UnknownModelError",
    "UnsupportedFeatureError",
    "UnsupportedModelError",
    "errors",
    "get_predictions",
    "get_registry",
    "get_surprisals",
    "models",
    "spec",
    "tokenize",
    "unkify",
]
