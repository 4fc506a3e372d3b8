"""Signals wait until what is under way is whole."""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from pommel.training.lstm.session import StoppedError, deferred_signals

ENDINGS = [(signal.SIGINT, KeyboardInterrupt, ()), (signal.SIGTERM, SystemExit, (143,))]


DONE: list[list[str]] = []


def work_on(*signals: signal.Signals, asking: bool = False, error: bool = False) -> list[str]:
    """Work while signals come; return what was done meanwhile."""
    done = []
    with deferred_signals() as stop:
        for number in signals:
            signal.raise_signal(number)
            done.append(number.name)
        if asking:
            stop.check()
        if error:
            raise ZeroDivisionError(*done)
        DONE.append(done)
    return done


@pytest.mark.parametrize(("number", "ending", "arguments"), ENDINGS)
def test_a_signal_that_nobody_asks_for_is_followed_at_the_end(
    number: signal.Signals, ending: type[BaseException], arguments: tuple[int, ...]
) -> None:
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    DONE.clear()
    with pytest.raises(ending) as caught:
        work_on(number)
    assert caught.value.args == arguments
    assert [[number.name]] == DONE
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_who_asks_is_told() -> None:
    assert work_on(asking=True) == []
    with pytest.raises(StoppedError):
        work_on(signal.SIGINT, asking=True)


def test_an_error_goes_before_a_signal() -> None:
    with pytest.raises(ZeroDivisionError, match="SIGINT"):
        work_on(signal.SIGINT, error=True)


def test_the_second_signal_does_not_wait() -> None:
    # The error would come before a signal that waits.
    with pytest.raises(KeyboardInterrupt):
        work_on(signal.SIGINT, signal.SIGINT, error=True)


def test_another_thread_has_no_signals() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work_on).result() == []
