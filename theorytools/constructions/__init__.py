"""Explicit networks: the proofs' constructions with exact weights and certified errors."""

from theorytools._lazy import attach

_NAMES = {
    "BlockAttention": "block_attention",
    "ReluHead": "relu_head",
    "linear_head": "relu_head",
    "worst_leakage": "leakage",
    "Interpolant1D": "interpolant",
    "alternating_data": "interpolant",
    "AttentionRows": "quadratic_readout",
    "CrossHead": "one_head",
    "FewHeads": "few_heads",
    "UniformHead": "one_head",
    "best_error": "quadratic_readout",
    "PerIndexRidge": "span_predictor",
    "SpanPredictor": "span_predictor",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
