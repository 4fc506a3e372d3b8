"""What the tests of checks share."""

from collections.abc import Callable

from pommel.images.check import CheckResult
from pommel.models.container.commands import ImageCommands

# How a command of the template's is run, for scripts that change what it prints.
RUN = 'python3 "${0%/*}/../protocol.py" "${0##*/}" "$@"'
N_SENTENCES = 300

CommandsOf = Callable[..., ImageCommands]
ResultOf = Callable[..., CheckResult]
