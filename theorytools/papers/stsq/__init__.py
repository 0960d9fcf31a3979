"""arXiv 2406.06893: sparse token selection, which one trained head of attention learns and a plain network does not.

Here is what this paper alone needs: the selector, its loss and gradient flow.  The claims about it are in
``checks/stsq``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
