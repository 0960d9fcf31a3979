"""theorytools: theorems of learning-theory papers as executable claims.

The construction of a proof is an importable network, the bound one symbolic expression, the statement a check that
can fail, with a control that must fail.  The names in ``__init__.pyi`` load their module on first use; everything else
is imported from the module where it is defined.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
