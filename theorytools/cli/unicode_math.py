"""Formulas as Unicode for a terminal; pages need them, too, so that they are made in a room below."""

from theorytools.reporting.unicode_math import unicode_math, with_unicode

__all__ = ["unicode_math", "with_unicode"]
