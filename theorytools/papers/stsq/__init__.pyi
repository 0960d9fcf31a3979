"""The public names of this paper's room, each from the module where it is defined."""

from .attention.selector import SparseSelector as SparseSelector
from .attention.selector_rules import RuleSelector as RuleSelector
from .feedforward.bottleneck import LinearBottleneck as LinearBottleneck
from .feedforward.bottleneck import OptimalLinearBottleneck as OptimalLinearBottleneck
from .selection.cross_talk import CrossTalk as CrossTalk
from .selection.flow import SelectionFlow as SelectionFlow
from .selection.loss import population_loss as population_loss
