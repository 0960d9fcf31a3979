"""Standard left sides: what is commonly measured, written once, each with objects whose value is known beforehand.

Exact numbers go in (integers, fractions, enclosures; a float is refused), and out comes an integer, a Fraction or an
Enclosure, as ``measure`` of a claim may return it.  What has no rational value is computed in ball arithmetic at the
ambient precision: ``enclosed(lambda: entropy(law, base=2))``.  The names in ``__init__.pyi`` load their module on first
use; ``ANCHORS`` of each module holds the objects of known value.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
