"""Measured quantities: bounds with certificates, confidence intervals, exact counts."""

from theorytools._lazy import attach

_NAMES = {
    "MinNorm": "min_norm",
    "TotalVariation": "total_variation",
    "least_total_variation": "total_variation",
    "min_norm_interpolant": "min_norm",
    "total_slope_change": "total_variation",
    "Packing": "packing",
    "covering_constant": "packing_bounds",
    "log_volume_bound": "packing_bounds",
    "packing_constant": "packing_bounds",
    "unit_axes": "packing",
    "lattice_points": "packing_sets",
    "line_points": "packing_sets",
    "maximal_points": "packing_sets",
    "named_packing": "packing_sets",
    "InputSpan": "span",
    "loss_moments": "span",
    "orthonormal_basis": "span",
    "pooled_blocks": "span",
}
__all__ = sorted(_NAMES)
__getattr__, __dir__ = attach(__name__, _NAMES)
