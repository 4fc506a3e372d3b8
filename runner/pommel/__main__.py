"""`python -m pommel` is `pommel`: its process, and the signals that end it."""

import gc
import signal
import sys
from types import FrameType

# A terminal that is closed sends SIGHUP, a scheduler before a job's time is over SIGUSR1, if it is
# asked to; Windows has neither.
_ENDING = {getattr(signal, name, signal.SIGTERM) for name in ("SIGTERM", "SIGHUP", "SIGUSR1")}

# After so many new objects Python looks for cycles, and 20 times as many before older ones are
# looked through again: a store's runs are millions of objects without a cycle.
_COLLECTED = (50_000, 20, 100)


def main() -> None:
    """Run the command line, and end the process with its exit status.

    Ctrl-C never shows a traceback: while Python loads and tears down it ends the process at once,
    in between it is `KeyboardInterrupt`. So are SIGTERM, SIGHUP and SIGUSR1, with a status each.
    """
    gc.set_threshold(*_COLLECTED)
    came: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        # A second one ends the process at once, but for a terminal that is closed: there the kernel
        # sends one, and the shell another.
        is_term = number == signal.SIGTERM
        signal.signal(number, signal.SIG_DFL if is_term else signal.SIG_IGN)
        # asyncio, for one, has a handler of its own.
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    # What `nohup` or a shell has us ignore stays so.
    handlers = {signal.SIGINT: signal.default_int_handler, **dict.fromkeys(_ENDING, interrupt)}
    ours = [each for each in handlers if signal.getsignal(each) is not signal.SIG_IGN]
    for number in ours:
        signal.signal(number, signal.SIG_DFL)
    from pommel.cli import main as run

    try:
        for number in ours:
            signal.signal(number, handlers[number])
        run()
    except KeyboardInterrupt:
        # A second one came while the first was told.
        sys.exit(128 + signal.SIGINT)
    finally:
        for number in {*ours} - {*came}:
            signal.signal(number, signal.SIG_DFL)
        if came:
            sys.exit(128 + came[0])


if __name__ == "__main__":
    main()
