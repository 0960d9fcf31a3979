"""The public names, each from the module where it is defined: the one list, and what type checkers read."""

# what is said
# what is decided
from .claims.judging.falsify import Findings as Findings
from .claims.judging.falsify import falsify as falsify
from .claims.judging.judge import judge as judge
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
from .constructions.attention.fixed_point import FixedPointAttention as FixedPointAttention
from .constructions.attention.fixed_point import MarginAttention as MarginAttention
from .constructions.attention.least_temperature import minimal_temperature as minimal_temperature
from .constructions.attention.temperature import sufficient_temperature as sufficient_temperature
from .constructions.conformance import check_network as check_network
from .constructions.feedforward.inner_products import InnerProductUnits as InnerProductUnits
from .constructions.feedforward.link_heads import LinkHead as LinkHead
from .constructions.feedforward.lipschitz_units import LipschitzUnits as LipschitzUnits
from .constructions.feedforward.piecewise_linear import LineUnits as LineUnits
from .constructions.feedforward.readout import ReluHead as ReluHead
from .constructions.network import Network as Network
from .constructions.network import absent as absent
from .constructions.network import changed as changed
from .constructions.recurrent.general_tracker import GeneralTracker as GeneralTracker
from .constructions.recurrent.position_tracker import PositionTracker as PositionTracker
from .constructions.recurrent.simple_retrieval import SimpleRetrievalRNN as SimpleRetrievalRNN
from .constructions.recurrent.store_all import StoreAllRNN as StoreAllRNN
from .constructions.torch.last_token import LastTokenLayer as LastTokenLayer
from .constructions.torch.saved import load as load
from .constructions.torch.saved import save as save

# errors
from .errors import BudgetError as BudgetError
from .errors import CertificateError as CertificateError
from .errors import CheckError as CheckError
from .errors import DomainError as DomainError
from .errors import TheoryError as TheoryError
from .errors import TruthValueError as TruthValueError
from .errors import UndecidedError as UndecidedError
from .errors import UnexpectedVerdictError as UnexpectedVerdictError
from .mistakes.asked import verify as verify
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
from .theory.capacity.exact_rademacher import rademacher_complexity as rademacher_complexity
from .theory.communication.acceptance_matrix import AcceptanceMatrix as AcceptanceMatrix
from .theory.communication.margin_protocol import MarginProtocol as MarginProtocol
from .theory.communication.matrix import CommunicationMatrix as CommunicationMatrix
from .theory.communication.nearest_messages import NearestMessages as NearestMessages
from .theory.communication.protocol import OneLayerProtocol as OneLayerProtocol
from .theory.first_layers.certified_span import CertifiedSpan as CertifiedSpan
from .theory.first_layers.compressor_certificate import certify_compressor as certify_compressor
from .theory.first_layers.exact_span import InputSpan as InputSpan
from .theory.memory.counting import count_states as count_states
from .theory.memory.fano import fano_bits as fano_bits
from .theory.memory.state_bits import state_bits as state_bits

# theory
from .trained.attention import certify_attention as certify_attention

# training
from .trained.certify import certify as certify
from .trained.states import certify_states as certify_states
from .trained.traced.tracing import from_torch as from_torch
from .training.record import SweepRecord as SweepRecord
from .training.record import recorded as recorded
from .training.sweep import Sweep as Sweep
from .training.trials.driver import drive as drive
from .training.trials.executors import dask_executor as dask_executor
from .training.trials.executors import executor as executor
from .training.trials.store import Store as Store

__version__: str
