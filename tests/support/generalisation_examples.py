"""How tests of the generalisation chain draw their examples, and the number that they share."""

from fractions import Fraction

from hypothesis import settings

quick = settings(deadline=None, derandomize=True, database=None, max_examples=20)
half = Fraction(1, 2)
