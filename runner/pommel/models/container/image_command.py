"""A command of an image whose output is read with suspicion."""

from pommel.errors import ContainerError
from pommel.models.container.engines.process import Command
from pommel.models.container.quoting import shortened

# Of a message, before it is made fit to be shown: it may quote a line of many millions.
_LONGEST = 10_000


class ImageCommand(Command):
    """A command that may be blamed for what it has printed."""

    def fault(self, what: str) -> ContainerError:
        """Return an error about output that is wrong.

        Raises the one that ended the command instead, if something did: a command that fails may
        leave half a line, or say on standard output what is wrong.
        """
        error = self.failure(shortened(what[:_LONGEST]))
        # The error has just waited for the last words: if that was all, the end is known.
        if self.ended:
            self.finish()
        return error
