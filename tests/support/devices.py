"""What stands beside a statement in its folder of checks, for tests: files that begin with an underscore."""

from pathlib import Path

from theorytools.claims.papers.loading import load_module

CHECKS = Path(__file__).resolve().parents[2] / "checks"


def device(place, *names):
    """The module at that place below ``checks``, or the things of these names in it."""
    module = load_module(CHECKS / f"{place}.py")
    return tuple(getattr(module, name) for name in names) if names else module
