"""Small rationals, few examples and always the same, for tests of coverings."""

from fractions import Fraction as F

from hypothesis import settings
from hypothesis import strategies as st

quick = settings(deadline=None, derandomize=True, database=None, max_examples=20)
eighths = st.integers(-8, 8).map(lambda x: F(x, 8))
