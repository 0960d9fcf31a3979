"""Properties of drawn examples: the same ones in every run, so that who sees a failure has caused it."""

from hypothesis import given, settings


def examples(count, *strategies, **named):
    """Test a property on so many examples drawn from the strategies."""
    same = settings(max_examples=count, deadline=None, derandomize=True, database=None)
    return lambda test: same(given(*strategies, **named)(test))
