"""A phase diagram decided once in a process, for tests of what is told of it in one format or another."""

from theorytools.phase import diagram

_decide, _kept = diagram.decide, {}


def decided(phase, progress=None):
    """What ``decide`` says of a diagram of the repository, kept by its title."""
    if phase.title not in _kept:
        _kept[phase.title] = _decide(phase, progress=progress)
    return _kept[phase.title]
