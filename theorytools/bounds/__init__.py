"""Right sides of the learning theorems: covering numbers and norms of tokens as symbolic expressions."""

from theorytools._lazy import attach

_NAMES = {
    "Factor": "generalisation",
    "GaussianTokens": "tokens",
    "GeneralisationBound": "generalisation",
    "Growth": "growth",
    "Step": "covering",
    "TwoPointLabels": "truncation",
    "TwoPointTokens": "tokens",
    "attention": "covering",
    "attention_parameters": "covering",
    "ball": "covering",
    "chi_square_tail": "tokens",
    "crossing": "sample_size",
    "deviation": "rademacher",
    "dudley": "rademacher",
    "gaussian_excess": "truncation",
    "head": "covering",
    "label_tail": "truncation",
    "leading_term": "growth",
    "log_covering": "covering",
    "massart": "rademacher",
    "one_step": "rademacher",
    "product": "covering",
    "root_fourth_moment": "truncation",
    "slope": "sample_size",
    "sparse_attention_parameters": "covering",
    "token_failure": "tokens",
    "token_radius": "tokens",
    "transformer": "covering",
    "truncation_level": "truncation",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
