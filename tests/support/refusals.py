"""Calls that must be refused, each a function or a pair of a function and words of the message."""

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
