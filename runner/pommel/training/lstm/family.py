"""A family: the same recipe on the same text with several seeds."""

from typing import TYPE_CHECKING

from pommel.models import find_device
from pommel.training.lstm.recipe import Plan, Watcher

if TYPE_CHECKING:
    from pommel.training.lstm.session import Member


def train_family(plan: Plan, watcher: Watcher) -> "list[Member]":
    """Train each seed that is not trained yet, one after another; return all of them.

    A training that was interrupted goes on where it stood. Raises `UsageError` if a folder holds
    another training (nothing is trained then), `InputError` for a text that cannot be trained on,
    `ModelNotAvailableError` without torch or the device, and what `Session.train` raises.
    """
    find_device(plan.device, asked_by="training an LSTM")
    # Imported here: it needs torch.
    from pommel.training.lstm.session import train_members

    return train_members(plan, watcher)
