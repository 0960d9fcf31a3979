"""What the checks of bounded Dyck languages share: quantities, networks by name, acceptance matrices."""

from dataclasses import replace

import numpy as np

from theorytools import Quantity
from theorytools.papers.sep.recurrent.dyck import DyckRNN
from theorytools.papers.sep.tasks.dyck import BoundedDyck
from theorytools.theory.communication.acceptance_matrix import acceptance_matrix

from .notation import N, depth, types

bad = Quantity("disagreements", r"\#\{(h,q)\text{ answered wrongly}\}",
               "reachable pairs of network and automaton with different answers: 0 proves all lengths", (0, None))
rows = Quantity("rows", r"\#\operatorname{rows}M", "different rows of the acceptance matrix", (1, None))
rank = Quantity("rank", r"\operatorname{rank}M", "rank of the acceptance matrix over the rationals", (0, None))
deep_rank = types * (2 * types) ** (N / 2 - 1)
flat_rank = types ** (N / 2)


def language(p, more=0):
    return BoundedDyck(p.types, p.depth + more)


def network(p, more=0, **spoiled) -> DyckRNN:
    n, k = p.types, p.depth + more
    return DyckRNN.one_hot(n, k) if p.network == "one_hot" else DyckRNN.stack(n, k, code=codes[p.network], **spoiled)


codes = {"stack": "one_hot", "binary": "binary"}


def unread_error(net):
    w, c = net.readout
    return replace(net, readout=(np.append(w[:-1], 0), c))  # the last unit is the error bit


def matrix(p, split="interleaved", k=None, fixed=None):
    return acceptance_matrix(BoundedDyck(p.types, k or p.depth).automaton, p.N, split, fixed=fixed)


def table(M, p):
    return {rows: M.rows, rank: M.rank}


__all__ = ["bad", "deep_rank", "depth", "flat_rank", "language", "matrix", "network", "rank", "rows", "table"]
