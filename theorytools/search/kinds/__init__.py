"""Kinds of objects that a letter may stand for: each knows its simple members, its neighbours and its own form.

A kind yields its members with the structured and simplest first, draws them with ties and zeros, changes one a little,
makes one simpler, and writes it as JSON.  Members are built of integers and fractions, never of floats, and cannot be
changed.  The names in ``__init__.pyi`` load their module on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
