"""Run SyntaxGym test suites on language models.

import pommel

results = pommel.run("builtin://en-gpt2", "suites:en")
results.to_frame("suites")

What is here, and in each room below, stands in the `__init__.pyi` beside this file: names are
looked up when they are first used, so that `import pommel` costs next to nothing.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
