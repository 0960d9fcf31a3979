"""Both sides of the edge of a domain: a call that must be refused, and its neighbour that must be accepted."""

import pytest


def edges(error, call, *pairs):
    """Return a test with one item for each pair of arguments, refused and accepted, that differ in one of them.

    Parameters
    ----------
    error : the refusal.
    call : what is called.
    pairs : ``(refused, accepted)``, each a tuple of arguments or a dict of them by name.
    """

    @pytest.mark.parametrize("pair", pairs, ids=[f"{number}" for number in range(len(pairs))])
    def test(pair):
        refused, accepted = pair
        with pytest.raises(error) as refusal:
            _called(call, refused)
        assert refusal.value.given
        assert refusal.value.required
        _called(call, accepted)

    return test


def _called(call, arguments):
    return call(**arguments) if isinstance(arguments, dict) else call(*arguments)
