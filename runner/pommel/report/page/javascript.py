"""The scripts of a report, and what lets a browser run these and no others."""

import base64
import hashlib

from pommel.errors import PommelError

_GLOBAL_NAME = "window.vegaEmbed = vegaEmbed;"


def vega_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script; raises `PommelError` without the extra.

    It is what vl-convert has with it: nothing is fetched.
    """
    try:
        import jinja2  # noqa: F401, PLC0415 - comes with altair
        import vl_convert  # noqa: PLC0415 - `import pommel` stays fast without it
    except ImportError:
        raise PommelError("reports need the plots extra: pip install 'pommel[plots]'") from None
    bundle: str = vl_convert.javascript_bundle(_GLOBAL_NAME)
    # A script element ends at the first end tag, wherever it stands.
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def content_security_policy(*scripts: str) -> str:
    """Return a policy under which these scripts run, and nothing is fetched from anywhere.

    Vega-Embed writes a style element, and charts have styles of their own.
    """
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
