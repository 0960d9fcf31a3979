"""A test of one claim made a test of many: a few cases that two processes share, each of which names every fault."""

import functools

import pytest

CHUNKS = 8  # a case for each claim costs more than most of what is asked of it; one case for all, the second process


def chunks(ids, count=CHUNKS, marks=()):
    """The parameters of ``each``: the ids dealt out, so that neighbours, which cost alike, are in different cases."""
    ids = list(ids)
    count = min(count, len(ids))
    return [pytest.param(ids[k::count], id=f"{k + 1}of{count}", marks=marks) for k in range(count)]


def faults(test, ids):
    """What ``test(id)`` finds wrong, a text for each id: the line of the test, and what it says."""
    found = []
    for id in ids:
        try:
            test(id)
        except Exception as error:
            line = error.__traceback__.tb_next.tb_lineno
            found.append(f"{id}, line {line}: {type(error).__name__}: {error}")
    return found


def each(parameters, scope=None):
    """Make ``test(id)`` a test of the ids of every parameter; it goes through all of them before it fails."""

    def made(test):
        def of_many(ids):
            found = faults(test, ids)
            assert not found, "\n".join(found)

        functools.update_wrapper(of_many, test)
        del of_many.__wrapped__  # pytest would take the arguments from there
        return pytest.mark.parametrize("ids", parameters, scope=scope)(of_many)

    return made
