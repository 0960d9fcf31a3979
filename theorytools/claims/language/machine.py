"""The machine whose own arithmetic gave a number, in words."""

from __future__ import annotations

from functools import cache

from theorytools.errors import DomainError


@cache
def machine(*libraries: str) -> dict[str, str]:
    """Return processor, architecture and the versions of packages, as an observed number names them."""
    import platform
    from importlib import metadata

    try:
        versions = {name: metadata.version(name) for name in libraries}
    except metadata.PackageNotFoundError as error:
        raise DomainError(f"the package {error}", required="the name of an installed package") from None
    return {"machine": platform.machine(), "processor": _processor(), **versions}


@cache
def _processor() -> str:
    """The processor's name in the system's words."""
    import platform
    from pathlib import Path

    info = Path("/proc/cpuinfo")
    lines = info.read_text(errors="replace").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
