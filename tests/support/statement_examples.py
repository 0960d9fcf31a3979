"""A letter and a quantity for tests of statements."""

from theorytools import Quantity, letter

beta = letter("beta", "a temperature", latex=r"\beta", nonnegative=True)
leakage = Quantity("leakage", "L", "weight elsewhere", (0, 1))
