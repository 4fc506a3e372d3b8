"""What is costly to make, kept as long as others ask for it."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Recent(Generic[_Key, _Value]):
    """The values that were asked for last, `most` of them; each is made once, for all threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        # Each with a lock of its own, held while it is made, and empty until then.
        self._kept: OrderedDict[_Key, tuple[threading.Lock, list[_Value]]] = OrderedDict()

    def get(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        """Return the value of a key; whoever wants it meanwhile waits for the one who makes it."""
        with self._lock:
            making, made = self._kept.setdefault(key, (threading.Lock(), []))
            self._asked(key)
        with making:
            if made:
                return made[0]
            value = make()
            # What is not there yet may come.
            if value is not None:
                made.append(value)
            return value

    def put(self, key: _Key, value: _Value) -> None:
        """Keep a value that was made elsewhere."""
        with self._lock:
            self._kept[key] = threading.Lock(), [value]
            self._asked(key)

    def made(self) -> dict[_Key, _Value]:
        """Return all that is kept."""
        with self._lock:
            return {key: made[0] for key, (_, made) in self._kept.items() if made}

    def _asked(self, key: _Key) -> None:
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
