"""How long to wait before a request is repeated."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pommel.values import frozen


@frozen
class Waiting:
    """Twice as long each time, from `first_seconds` to `longest_seconds`.

    A server's own wish goes before that, up to the same limit.
    """

    first_seconds: float = 0.5
    longest_seconds: float = 60.0

    def seconds(self, n_failures: int, wished_seconds: float | None = None) -> float:
        """Return how long to wait after so many failures of one request (1 or more)."""
        if wished_seconds is not None:
            return min(wished_seconds, self.longest_seconds)
        doubled = self.first_seconds * 2.0 ** min(n_failures - 1, 32)
        # Requests that failed together are not to come back together.
        return min(doubled, self.longest_seconds) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret

    @staticmethod
    def wished_seconds(retry_after: str | None, now: datetime | None = None) -> float | None:
        """Return what `Retry-After` asks for, a number or a date; None if it says nothing.

        A date that has passed is 0. `now` is the present.
        """
        if not retry_after:
            return None
        if retry_after.strip().isdecimal():
            return float(retry_after)
        try:
            date = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
