"""Right sides of the learning theorems: covering numbers and norms of tokens as symbolic expressions."""

from theorytools._lazy import attach

_NAMES = {
    "GaussianTokens": "tokens",
    "Step": "covering",
    "TwoPointTokens": "tokens",
    "attention": "covering",
    "attention_parameters": "covering",
    "ball": "covering",
    "chi_square_tail": "tokens",
    "head": "covering",
    "log_covering": "covering",
    "product": "covering",
    "sparse_attention_parameters": "covering",
    "token_failure": "tokens",
    "token_radius": "tokens",
    "transformer": "covering",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
