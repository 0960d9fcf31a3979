"""Properties of drawn examples: the same ones in every run, so that who sees a failure has caused it."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

half = Fraction(1, 2)
eighths = st.integers(-8, 8).map(lambda x: Fraction(x, 8))


def examples(count, *strategies, **named):
    """Test a property on so many examples drawn from the strategies."""
    same = settings(max_examples=count, deadline=None, derandomize=True, database=None)
    return lambda test: same(given(*strategies, **named)(test))
