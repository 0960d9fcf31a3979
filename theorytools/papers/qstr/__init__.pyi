"""The public names of this paper's room, each from the module where it is defined."""

from .attention.query_key_block import alignment as alignment
from .attention.readout_risk import ReadoutRisk as ReadoutRisk
from .attention.stored_norms import scattered_norms as scattered_norms
from .attention.streaming import streamed_retrieval as streamed_retrieval
from .attention.two_hop import TwoStepAttention as TwoStepAttention
from .capacity.generalisation import GeneralisationBound as GeneralisationBound
from .capacity.waterfall import waterfall as waterfall
from .feedforward.feature_readout import FeatureReadout as FeatureReadout
from .feedforward.interpolant import Interpolant1D as Interpolant1D
from .feedforward.linear_interpolant import LinearInterpolant as LinearInterpolant
from .feedforward.min_norm_relu import MinNormReLU as MinNormReLU
from .feedforward.span_predictor import PerIndexRidge as PerIndexRidge
from .feedforward.span_predictor import SpanPredictor as SpanPredictor
from .feedforward.stationary import StationaryMember as StationaryMember
from .few_heads.block_diagonal import FewHeads as FewHeads
from .few_heads.decoder import HeadDecoder as HeadDecoder
from .few_heads.log_readout import LogReadout as LogReadout
from .few_heads.short_codes import ShortCodeDecoder as ShortCodeDecoder
from .first_layers.certificate import certify_first_layer as certify_first_layer
from .gaussians.label_law import LabelLaw as LabelLaw
from .interpolation.convex_relu import least_norm_relu as least_norm_relu
from .interpolation.line import MinNorm as MinNorm
from .interpolation.line import min_norm_interpolant as min_norm_interpolant
from .interpolation.norm_gap import memory_bound as memory_bound
from .interpolation.orthogonal_inputs import orthogonal_norm as orthogonal_norm
from .memory.index_blind import partial_index_risk as partial_index_risk
from .memory.packing import Packing as Packing
from .precision.frontier import counted_code as counted_code
from .precision.machine import MachineAttention as MachineAttention
from .recurrent.code_state import CodeStateRNN as CodeStateRNN
from .recurrent.digit_memory import parity_memory as parity_memory
from .recurrent.rectified import RectifiedRNN as RectifiedRNN
from .recurrent.residual import ResidualRNN as ResidualRNN
from .recurrent.slow_memory import slow_parity_memory as slow_parity_memory
from .recurrent.slow_memory import with_positions as with_positions

# training
from .training.experiment import Experiment as Experiment
