"""The public names of this paper's room, each from the module where it is defined."""

from .attention.boolean import TwoLayerBoolean as TwoLayerBoolean
from .attention.equality import OneLayerEquality as OneLayerEquality
from .attention.index_lookup import IndexLookup as IndexLookup
from .attention.nearest_neighbour import NearestNeighbour as NearestNeighbour
from .attention.position_copy import CodeCopy as CodeCopy
from .memory.recognised_language import recognition as recognition
from .memory.residual_classes import residual_counts as residual_counts
from .memory.residual_classes import symbol_order as symbol_order
from .recurrent.dyck import DyckRNN as DyckRNN
from .recurrent.registers import SymbolRegister as SymbolRegister
from .recurrent.stores import BlockStore as BlockStore
