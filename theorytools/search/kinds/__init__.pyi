"""The kinds of objects, each from the module where it is defined: the one list, and what type checkers read."""

from .booleans import Boolean as Boolean
from .booleans import Booleans as Booleans
from .graphs import Graph as Graph
from .graphs import Graphs as Graphs
from .laws import Laws as Laws
from .matrices import Matrices as Matrices
from .permutations import Permutations as Permutations
from .vectors import Sequences as Sequences
from .vectors import Vectors as Vectors
from .words import Words as Words
