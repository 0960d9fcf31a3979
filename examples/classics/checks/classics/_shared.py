"""What several checks make of their letters: rows of numbers and their images, laws on spaced values, means."""

from fractions import Fraction

from theorytools.measures import Law, expectation


def rows(x, length):
    """The rows of a matrix whose numbers are written row by row."""
    return [x[i : i + length] for i in range(0, len(x), length)]


def mapped(function, matrix):
    """The matrix with a function applied to each entry."""
    return [list(map(function, row)) for row in matrix]


def kinked(at_zero, right, left):
    """The function with a kink at 0 that has this value there and these slopes beside it."""
    return lambda y: at_zero + right * max(y, 0) + left * min(y, 0)


def spaced(masses, low=0, high=1):
    """The law with these masses on equally spaced values from ``low`` to ``high``."""
    return Law({low + Fraction(i, len(masses) - 1) * (high - low): mass for i, mass in enumerate(masses)})


def mean(law):
    """The expectation of a law on numbers."""
    return expectation(law, lambda value: value)
