"""Calls that must be refused, each a function or a pair of a function and words of the message; edges of domains."""

import pytest


def refuses(error, *calls):
    """Make each call; it must end in this error."""
    for number, call in enumerate(calls):
        run, words = call if isinstance(call, tuple) else (call, None)
        try:
            with pytest.raises(error, match=words):
                run()
        except BaseException as other:
            other.add_note(f"call {number} of {len(calls)}, to be refused with {words or error}")
            raise


def refused(error, *calls):
    """Return a test with one item for each call."""

    @pytest.mark.parametrize("call", calls)
    def test(call):
        refuses(error, call)

    return test


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
