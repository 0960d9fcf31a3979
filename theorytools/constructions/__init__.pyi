"""Types of the names that theorytools.constructions loads on first use."""

from theorytools.constructions.block_attention import BlockAttention as BlockAttention
from theorytools.constructions.few_heads import FewHeads as FewHeads
from theorytools.constructions.interpolant import Interpolant1D as Interpolant1D
from theorytools.constructions.interpolant import alternating_data as alternating_data
from theorytools.constructions.leakage import worst_leakage as worst_leakage
from theorytools.constructions.one_head import CrossHead as CrossHead
from theorytools.constructions.one_head import UniformHead as UniformHead
from theorytools.constructions.quadratic_readout import AttentionRows as AttentionRows
from theorytools.constructions.quadratic_readout import best_error as best_error
from theorytools.constructions.relu_head import ReluHead as ReluHead
from theorytools.constructions.relu_head import linear_head as linear_head
from theorytools.constructions.span_predictor import PerIndexRidge as PerIndexRidge
from theorytools.constructions.span_predictor import SpanPredictor as SpanPredictor
