"""arXiv 2406.09347: what one layer of attention, two layers and recurrent networks represent, and what they cannot.

What this paper alone needs: its explicit networks, its communication protocols and its problems.  The claims about it
are in ``checks/sep``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
