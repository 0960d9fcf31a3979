"""The public names, each from the module where it is defined: the one list, and what type checkers read."""

# what is said
# what is decided
from .claims.judging.falsify import Findings as Findings
from .claims.judging.falsify import falsify as falsify
from .claims.judging.judge import judge as judge
from .claims.judging.run import verify as verify
from .claims.judging.verdict import Outcome as Outcome
from .claims.judging.verdict import Verdict as Verdict
from .claims.language.anchor import Anchor as Anchor
from .claims.language.assertion import Assertion as Assertion
from .claims.language.assertion import implies as implies
from .claims.language.bound import Bound as Bound
from .claims.language.claim import Claim as Claim
from .claims.language.control import Control as Control
from .claims.language.decisions import decide as decide
from .claims.language.estimate import Budget as Budget
from .claims.language.estimate import Estimate as Estimate
from .claims.language.estimate import Evidence as Evidence
from .claims.language.estimate import Recipe as Recipe
from .claims.language.estimate import enclosed as enclosed
from .claims.language.estimate import enclosed_between as enclosed_between
from .claims.language.estimate import exactly as exactly
from .claims.language.estimate import observed as observed
from .claims.language.grid import grid as grid
from .claims.language.grid import points as points
from .claims.language.quantity import Quantity as Quantity
from .claims.language.quantity import largest as largest
from .claims.language.quantity import smallest as smallest
from .claims.language.running import Run as Run
from .claims.language.slope import curve_slope as curve_slope
from .claims.language.symbol import letter as letter
from .claims.papers.catalogue import Catalogue as Catalogue
from .claims.papers.right_side import bound_of as bound_of

# codes
from .codes.bch import BCHCode as BCHCode
from .codes.bch import bch as bch
from .codes.encodings import Encodings as Encodings
from .codes.encodings import named_encodings as named_encodings
from .codes.equiangular import EquiangularCode as EquiangularCode
from .codes.equiangular import orthonormal as orthonormal
from .codes.families import binary_index as binary_index
from .codes.families import hadamard as hadamard
from .codes.gram import GramCode as GramCode
from .codes.linear import LinearCode as LinearCode
from .codes.protocol import Code as Code
from .codes.signs import SignCode as SignCode

# networks
from .constructions.attention.block import BlockAttention as BlockAttention
from .constructions.attention.boolean import TwoLayerBoolean as TwoLayerBoolean
from .constructions.attention.equality import OneLayerEquality as OneLayerEquality
from .constructions.attention.few_heads.block_diagonal import FewHeads as FewHeads
from .constructions.attention.few_heads.decoder import HeadDecoder as HeadDecoder
from .constructions.attention.few_heads.decoder import LogReadout as LogReadout
from .constructions.attention.few_heads.short_codes import ShortCodeDecoder as ShortCodeDecoder
from .constructions.attention.fixed_point import FixedPointAttention as FixedPointAttention
from .constructions.attention.fixed_point import MarginAttention as MarginAttention
from .constructions.attention.index_lookup import IndexLookup as IndexLookup
from .constructions.attention.nearest_neighbour import NearestNeighbour as NearestNeighbour
from .constructions.attention.position_copy import CodeCopy as CodeCopy
from .constructions.attention.precision.frontier import counted_code as counted_code
from .constructions.attention.precision.machine import MachineAttention as MachineAttention
from .constructions.attention.query_key_block import alignment as alignment
from .constructions.attention.readout_risk import ReadoutRisk as ReadoutRisk
from .constructions.attention.selector import SparseSelector as SparseSelector
from .constructions.attention.selector_rules import RuleSelector as RuleSelector
from .constructions.attention.stored_norms import scattered_norms as scattered_norms
from .constructions.attention.streaming import streamed_retrieval as streamed_retrieval
from .constructions.attention.temperature import minimal_temperature as minimal_temperature
from .constructions.attention.temperature import sufficient_temperature as sufficient_temperature
from .constructions.attention.two_hop import TwoStepAttention as TwoStepAttention
from .constructions.conformance import check_network as check_network
from .constructions.feedforward.bottleneck import LinearBottleneck as LinearBottleneck
from .constructions.feedforward.bottleneck import OptimalLinearBottleneck as OptimalLinearBottleneck
from .constructions.feedforward.feature_readout import FeatureReadout as FeatureReadout
from .constructions.feedforward.interpolant import Interpolant1D as Interpolant1D
from .constructions.feedforward.linear_interpolant import LinearInterpolant as LinearInterpolant
from .constructions.feedforward.min_norm_relu import MinNormReLU as MinNormReLU
from .constructions.feedforward.piecewise_linear import InnerProductUnits as InnerProductUnits
from .constructions.feedforward.piecewise_linear import LineUnits as LineUnits
from .constructions.feedforward.piecewise_linear import LipschitzUnits as LipschitzUnits
from .constructions.feedforward.readout import LinkHead as LinkHead
from .constructions.feedforward.readout import ReluHead as ReluHead
from .constructions.feedforward.span_predictor import PerIndexRidge as PerIndexRidge
from .constructions.feedforward.span_predictor import SpanPredictor as SpanPredictor
from .constructions.feedforward.stationary import StationaryMember as StationaryMember
from .constructions.network import Network as Network
from .constructions.network import absent as absent
from .constructions.network import changed as changed
from .constructions.recurrent.code_state import CodeStateRNN as CodeStateRNN
from .constructions.recurrent.digit_memory import parity_memory as parity_memory
from .constructions.recurrent.dyck import DyckRNN as DyckRNN
from .constructions.recurrent.position_tracker import GeneralTracker as GeneralTracker
from .constructions.recurrent.position_tracker import PositionTracker as PositionTracker
from .constructions.recurrent.rectified import RectifiedRNN as RectifiedRNN
from .constructions.recurrent.registers import SymbolRegister as SymbolRegister
from .constructions.recurrent.residual import ResidualRNN as ResidualRNN
from .constructions.recurrent.simple_retrieval import SimpleRetrievalRNN as SimpleRetrievalRNN
from .constructions.recurrent.slow_memory import slow_parity_memory as slow_parity_memory
from .constructions.recurrent.slow_memory import with_positions as with_positions
from .constructions.recurrent.store_all import StoreAllRNN as StoreAllRNN
from .constructions.recurrent.stores import BlockStore as BlockStore
from .constructions.torch.last_token import LastTokenLayer as LastTokenLayer

# errors
from .errors import BudgetError as BudgetError
from .errors import CertificateError as CertificateError
from .errors import CheckError as CheckError
from .errors import DomainError as DomainError
from .errors import TheoryError as TheoryError
from .errors import TruthValueError as TruthValueError
from .errors import UndecidedError as UndecidedError
from .errors import UnexpectedVerdictError as UnexpectedVerdictError
from .numbers.enclosure import Enclosure as Enclosure

# reports
from .reporting.folder import write_report as write_report
from .reporting.tables import latex_table as latex_table
from .reporting.tables import markdown_table as markdown_table

# statistics
from .statistics.growth_forms import compare_forms as compare_forms
from .statistics.slopes import SlopeFit as SlopeFit
from .statistics.slopes import likelihood_slope as likelihood_slope
from .statistics.t_intervals import geometric_mean as geometric_mean
from .statistics.t_intervals import mean_interval as mean_interval

# theory
from .theory.attention.trained import certify_attention as certify_attention
from .theory.capacity.exact_rademacher import rademacher_complexity as rademacher_complexity
from .theory.capacity.generalisation import GeneralisationBound as GeneralisationBound
from .theory.capacity.waterfall import waterfall as waterfall
from .theory.communication.margin_protocol import MarginProtocol as MarginProtocol
from .theory.communication.matrix import AcceptanceMatrix as AcceptanceMatrix
from .theory.communication.matrix import CommunicationMatrix as CommunicationMatrix
from .theory.communication.nearest_messages import NearestMessages as NearestMessages
from .theory.communication.protocol import OneLayerProtocol as OneLayerProtocol
from .theory.first_layers.bottleneck import certify_compressor as certify_compressor
from .theory.first_layers.certificate import certify_first_layer as certify_first_layer
from .theory.first_layers.certified_span import CertifiedSpan as CertifiedSpan
from .theory.first_layers.exact_span import InputSpan as InputSpan
from .theory.gaussians.label_law import LabelLaw as LabelLaw
from .theory.interpolation.convex_relu import least_norm_relu as least_norm_relu
from .theory.interpolation.line import MinNorm as MinNorm
from .theory.interpolation.line import min_norm_interpolant as min_norm_interpolant
from .theory.interpolation.norm_gap import memory_bound as memory_bound
from .theory.interpolation.orthogonal_inputs import orthogonal_norm as orthogonal_norm
from .theory.memory.counting import count_states as count_states
from .theory.memory.fano import fano_bits as fano_bits
from .theory.memory.fano import state_bits as state_bits
from .theory.memory.index_blind import partial_index_risk as partial_index_risk
from .theory.memory.packing import Packing as Packing
from .theory.memory.recognised_language import recognition as recognition
from .theory.memory.residual_classes import residual_counts as residual_counts
from .theory.memory.residual_classes import symbol_order as symbol_order
from .theory.selection.cross_talk import CrossTalk as CrossTalk
from .theory.selection.flow import SelectionFlow as SelectionFlow
from .theory.selection.loss import population_loss as population_loss

# training
from .trained.certify import certify as certify
from .trained.states import certify_states as certify_states
from .training.experiment import Experiment as Experiment
from .training.record import SweepRecord as SweepRecord
from .training.record import recorded as recorded
from .training.sweep import Sweep as Sweep
from .training.trials.driver import drive as drive
from .training.trials.executors import dask_executor as dask_executor
from .training.trials.executors import executor as executor
from .training.trials.store import Store as Store

__version__: str
