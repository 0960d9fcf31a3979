"""Types of the names that theorytools.quantities loads on first use."""

from theorytools.quantities.min_norm import MinNorm as MinNorm
from theorytools.quantities.min_norm import min_norm_interpolant as min_norm_interpolant
from theorytools.quantities.packing import Packing as Packing
from theorytools.quantities.packing import unit_axes as unit_axes
from theorytools.quantities.packing_bounds import covering_constant as covering_constant
from theorytools.quantities.packing_bounds import log_volume_bound as log_volume_bound
from theorytools.quantities.packing_bounds import packing_constant as packing_constant
from theorytools.quantities.packing_sets import lattice_points as lattice_points
from theorytools.quantities.packing_sets import line_points as line_points
from theorytools.quantities.packing_sets import maximal_points as maximal_points
from theorytools.quantities.packing_sets import named_packing as named_packing
from theorytools.quantities.span import InputSpan as InputSpan
from theorytools.quantities.span import loss_moments as loss_moments
from theorytools.quantities.span import orthonormal_basis as orthonormal_basis
from theorytools.quantities.span import pooled_blocks as pooled_blocks
from theorytools.quantities.total_variation import TotalVariation as TotalVariation
from theorytools.quantities.total_variation import least_total_variation as least_total_variation
from theorytools.quantities.total_variation import total_slope_change as total_slope_change
