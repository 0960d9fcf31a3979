r"""The two constructions for the nearest neighbour at hundreds of vectors, over all queries and all labels.

Setting    As in nn_transformer and nn_transformer_copy.
Statement  As there: the fetched code rounds exactly, margins are at least $\frac34$, copies are off by at
           most $\gamma/8$.
Witness    NearestNeighbour on drawn and on equidistant sign vectors.
Measured   By position in rationals, at 1024 vectors; by copying in balls, at 256.
Control    As there.
Reads      The grid is that of earlier reference numbers, with our own draws.
"""

from dataclasses import replace

from theorytools import points

from . import copy as nn_transformer_copy
from . import nn_transformer

claim = replace(
    nn_transformer.claim, label="Nearest neighbour by position, long inputs",
    role="variant", source="published: nearest neighbour by two layers; prose",
    scope={"every data, d_x": "points", "every N, vectors and query": "points", "some network": "exhibited",
           "every labelling": "closed form"},
    tier="minutes",
    grid=points("data N d_x", ("drawn", 256, 32), ("drawn", 1024, 40), ("equidistant", 256, 1024)),
)
copied = replace(
    nn_transformer_copy.claim, label="Nearest neighbour by copying, long inputs",
    role="variant", source="published: nearest neighbour by two layers; prose",
    scope={"every data, d_x": "points", "every N, vectors and query": "points", "some network": "exhibited",
           "every labelling": "closed form"},
    tier="minutes",
    grid=points("data N d_x", ("drawn", 64, 24), ("equidistant", 64, 256), ("drawn", 256, 32)),
    controls=[control for control in nn_transformer_copy.claim.controls if control.name != "a code of one bit"],
)
