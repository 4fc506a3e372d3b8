"""Which pommel this is."""

from importlib import metadata


def pommel_version() -> str:
    """Return the installed version; "0+unknown" in a checkout that was never installed."""
    return package_version("pommel") or "0+unknown"


def package_version(name: str) -> str | None:
    """Return the version of an installed package, None if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
