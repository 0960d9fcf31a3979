"""arXiv 2503.11272: q-sparse token regression, Transformers against feedforward and recurrent networks.

What this paper alone needs: its explicit networks beside the shared ones, and the arguments of its proofs.  The claims
about it are in ``checks/qstr``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
