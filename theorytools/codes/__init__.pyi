"""Types of the names that theorytools.codes loads on first use."""

from theorytools.codes.bch_code import BCHCode as BCHCode
from theorytools.codes.bch_code import bch as bch
from theorytools.codes.dimensions import expected_violations as expected_violations
from theorytools.codes.dimensions import hoeffding_dimension as hoeffding_dimension
from theorytools.codes.dimensions import smallest_dimension as smallest_dimension
from theorytools.codes.dimensions import threshold_dimension as threshold_dimension
from theorytools.codes.equiangular import EquiangularCode as EquiangularCode
from theorytools.codes.equiangular import orthonormal as orthonormal
from theorytools.codes.equiangular import simplex as simplex
from theorytools.codes.families import binary_index as binary_index
from theorytools.codes.families import e8_roots as e8_roots
from theorytools.codes.families import hadamard as hadamard
from theorytools.codes.families import rademacher as rademacher
from theorytools.codes.families import reed_muller as reed_muller
from theorytools.codes.gram import GramCode as GramCode
from theorytools.codes.linear import LinearCode as LinearCode
from theorytools.codes.mixture import mixture as mixture
from theorytools.codes.named import family as family
from theorytools.codes.protocol import Code as Code
from theorytools.codes.selected import subcode as subcode
from theorytools.codes.signs import SignCode as SignCode
