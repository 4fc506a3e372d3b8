"""A check of what the image was allowed while it was checked: others will not allow it more."""

from pommel.images.check import Check, Failed
from pommel.images.subject import Subject
from pommel.models.container.engines.sandbox import Sandbox

_FREEDOMS = ("network", "read_only", "capabilities", "new_privileges", "user")


def _needs_no_more_than_usual(subject: Subject) -> str:
    # What has never run has needed nothing.
    _ = subject.spec
    default, allowed = Sandbox().to_dict(), subject.commands.sandbox.to_dict()
    changed = [name for name in _FREEDOMS if allowed[name] != default[name]]
    if changed:
        names = ", ".join(name.replace("_", "-") for name in changed)
        raise Failed(f"it was checked with other settings than pommel's own: {names}")
    return ""


SANDBOX_CHECKS = (
    Check(
        name="sandbox",
        shows="all of this without network, with a read-only file system, and not as root",
        mend="make it work without --sandbox: write to /tmp only, download nothing",
        run=_needs_no_more_than_usual,
        only_warns=True,
    ),
)
