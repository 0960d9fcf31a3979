"""Feed-forward constructions at the edges of their domains."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
from refusals import edges

from theorytools.constructions.feedforward.inner_products import InnerProductUnits
from theorytools.constructions.feedforward.link_heads import link_head
from theorytools.constructions.feedforward.lipschitz_units import LipschitzUnits
from theorytools.constructions.feedforward.piecewise_linear import SQUARE, LineUnits
from theorytools.constructions.feedforward.readout import ReluHead, exact_label
from theorytools.errors import DomainError
from theorytools.papers.qstr.feedforward.feature_readout import FeatureReadout
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D
from theorytools.papers.qstr.feedforward.linear_interpolant import LinearInterpolant
from theorytools.papers.qstr.feedforward.min_norm_relu import MinNormReLU
from theorytools.papers.qstr.feedforward.span_predictor import PerIndexRidge, SpanPredictor


def fractions(rows):
    return np.array([[F(x) for x in row] for row in rows], dtype=object)


A, W, B = np.ones(2), np.ones((2, 3)), np.zeros(2)


test_heads = edges(
    DomainError, ReluHead, ((A, np.ones(2), B), (A, W, B)), ((A[:1], W, B), (A, W, B)),
    ((A, W, B[:1]), (A[:1], W[:1], B[:1])),
    ((A[:1], W, B[:1]), (A, W[:, :1], B)), ((A * np.nan, W, B), (A, W, B)), ((A, W * np.inf, B), (A, W * 1e300, B)),
    ((A, W, B - np.inf), (A, W, B - 1e300)),
)  # fmt: skip


HEAD = ReluHead(A, W, B)


test_inputs_of_a_head = edges(
    DomainError, HEAD, ((np.ones((4, 2)),), (np.ones((4, 3)),)), ((np.ones(4),), (np.ones(3),))
)


test_labels_of_a_head = edges(
    DomainError, exact_label, ((HEAD, [1, 2]), (HEAD, [1, 2, 3])), ((HEAD, [1] * 4), (HEAD, [F(1, 2), 0, 1])),
)  # fmt: skip


U = np.array([0.6, 0.8])


LINK = link_head("sq", None, 1, 2, radius=2, cells=4)


test_scales_of_a_link = edges(
    DomainError, lambda **changed: replace(LINK, **changed), ({"squared_scale": F(0)}, {"squared_scale": F(1, 99)}),
    ({"squared_scale": F(-1)}, {"squared_scale": F(1)}), ({"directions": np.eye(3)}, {"directions": np.eye(2)}),
)  # fmt: skip


EQUAL = {"radius": 2, "cells": 4}


test_links = edges(
    DomainError, lambda link, u, q, d, **line: link_head(link, u, q, d, **line), (
        {"link": "he2", "u": U, "q": 0, "d": 2} | EQUAL, {"link": "he2", "u": U, "q": 1, "d": 2} | EQUAL,
    ), ({"link": "sq", "u": None, "q": 1, "d": 0} | EQUAL, {"link": "sq", "u": None, "q": 1, "d": 1} | EQUAL),
    ({"link": "sq", "u": U, "q": 1, "d": 2} | EQUAL, {"link": "sq", "u": None, "q": 1, "d": 2} | EQUAL),
    ({"link": "lin", "u": None, "q": 1, "d": 2}, {"link": "lin", "u": U, "q": 1, "d": 2}),
    ({"link": "lin", "u": U * (1 + 1e-9), "q": 1, "d": 2}, {"link": "lin", "u": -U, "q": 1, "d": 2}),
    ({"link": "lin", "u": U, "q": 1, "d": 3}, {"link": "lin", "u": np.eye(3)[0], "q": 1, "d": 3}),
    ({"link": "sq", "u": None, "q": 1, "d": 2, "cells": 4}, {"link": "sq", "u": None, "q": 1, "d": 2} | EQUAL),
    ({"link": "sq", "u": None, "q": 1, "d": 2, "radius": 4}, {"link": "sq", "u": None, "q": 2, "d": 2} | EQUAL),
)  # fmt: skip


test_projections_of_a_link = edges(
    DomainError, LINK.label, (([1],), ([1, 2],)), (([1, 2, 3],), ([F(1, 2), 0],)),
)  # fmt: skip


test_units = edges(
    DomainError, LineUnits, ((((1, 0, 1),),), (((1, F(1, 99), 1),),)), ((((1, 1, 1), (1, 0, 0)),), ((),))
)


test_squares = edges(
    DomainError, LineUnits.square, ((1, 0), (1, 1)), ((0, 1), (F(1, 99), 1)), ((-1, 2), (1, 2)),
)  # fmt: skip


test_ends_of_cells = edges(
    DomainError, LineUnits.square_through, (([0],), ([0, 1],)), (([0, 0],), ([0, F(1, 99)],)),
    (([0, 2, 1],), ([0, 1, 2],)),
)  # fmt: skip


LINE = LineUnits.square(2, 4)


test_radii = edges(DomainError, LINE.pieces, ((0,), (F(1, 99),)), ((-1,), (1,)))


test_radii_of_an_error = edges(
    DomainError, lambda radius: LINE.largest_error(SQUARE, radius), ((0,), (F(1, 99),)), ((-1,), (1,)),
)  # fmt: skip


TENT = {"x": [-1, 0, 1], "y": [0, 1, 0], "cells": 1}


test_break_points = edges(
    DomainError, LipschitzUnits, (TENT | {"x": [-1, 0, 2]}, TENT), (TENT | {"x": [-1, -1, 1]}, TENT),
    (TENT | {"cells": 0}, TENT),
    (TENT | {"y": [0, 1]}, TENT), ({"x": [0], "y": [1], "cells": 1}, {"x": [-1, 1], "y": [1, 1], "cells": 1}),
    (TENT | {"x": [1, 0, -1]}, TENT),
)  # fmt: skip


test_places_of_a_function = edges(
    DomainError, LipschitzUnits(**TENT).target, ((F(9, 8),), (F(1),)), ((F(-9, 8),), (F(-1),)),
)  # fmt: skip


test_products = edges(DomainError, InnerProductUnits, ((4, 0), (4, F(1, 99))), ((4, -1), (4, 1)))


test_vectors_of_a_product = edges(
    DomainError, InnerProductUnits(4), (([F(9, 8)], [0]), ([1], [0])), (([0], [F(-9, 8)]), ([0], [-1])),
    (([0], [0, 0]), ([0], [0])),
)  # fmt: skip


Z, Y = [-2, 0, F(1, 2), 3], [1, -1, 2, 5]


DATA = {"z": Z, "y": Y}


test_data = edges(
    DomainError, Interpolant1D, (DATA | {"eps": 0}, DATA | {"eps": F(1, 99)}),
    (DATA | {"eps": F(9, 16)}, DATA | {"eps": F(1, 2)}),
    ({"z": [0, 4], "y": [1, 2], "eps": F(9, 8)}, {"z": [0, 4], "y": [1, 2], "eps": 1}),
    (DATA | {"knots": [0] * 3}, DATA | {"knots": [0] * 4}),
    (DATA | {"slopes": [0] * 5}, DATA | {"slopes": [0] * 4}), ({"z": [], "y": []}, {"z": [1], "y": [1]}),
    ({"z": [0, 0], "y": [1, 2]}, {"z": [0, F(1, 99)], "y": [1, 2]}),
    ({"z": [1, 0], "y": [1, 2]}, {"z": [0, 1], "y": [1, 2]}),
    ({"z": [0, 1], "y": [1]}, {"z": [0], "y": [1]}),
)  # fmt: skip


NET = Interpolant1D(**DATA)


test_balances = edges(DomainError, NET.head, (("both",), ("none",)), (("",), ("global",)), (("Neuron",), ("neuron",)))


X2 = np.array([[3, 4], [0, 1]])


test_linear_interpolants = edges(
    DomainError, LinearInterpolant, ((X2, [5, 1], 1), (X2, [5, 1], 2)), ((X2, [0, 0]), (X2, [0, 1])),
    ((X2, [5]), (X2[:1], [5])),
    ((X2[0], [5, 1]), (X2, [5, 1], 3)),
)  # fmt: skip


test_networks_of_least_norm = edges(
    DomainError, MinNormReLU, (([], []), ([], [], 1)), (([1], [[1], [2]]), ([1, 1], [[1], [2]])),
    (([1], [[1, 2]], 1), ([1], [[1, 2]], 2)),
    (([1, 1], [[1], [1, 2]]), ([1, 1], [[0, 1], [1, 2]])), (([1], [[]]), ([1], [[0]])), (([], [], -1), ([], [], 2)),
)  # fmt: skip


LEAST = MinNormReLU([2, -1], [[1, 0], [0, 3]])


test_inputs_of_a_network_of_least_norm = edges(
    DomainError, LEAST.evaluate, (([1],), ([1, 2],)), (([1, 2, 3],), ([0, 0],))
)


INPUTS = np.array([[[1], [2]], [[0], [1]]])


ONE = (F(1),)


test_spans = edges(
    DomainError, SpanPredictor, ((INPUTS, (F(1, 2),)), (INPUTS, ONE)), ((INPUTS, (F(1), F(0))), (INPUTS, (F(-1),))),
    ((INPUTS[0], ONE), (INPUTS, ONE)),
    ((INPUTS[:0], ONE), (INPUTS[:1], ONE)), ((INPUTS * 1.0, ONE), (INPUTS, ONE)), ((INPUTS, (1.0,)), (INPUTS, (1,))),
)  # fmt: skip


P, T = np.ones((3, 2, 1)), np.ones((3, 2, 1), dtype=int)


SPAN = SpanPredictor(INPUTS, ONE)


test_prompts_of_a_span = edges(
    DomainError, SPAN, ((P[:, :1], T[:, :1]), (P, T)), ((P, np.dstack([T, T])), (P, T)), ((P, T + 1), (P, T - 1)),
    ((np.dstack([P, P]), T), (P, T)),
)  # fmt: skip


test_directions_of_a_risk = edges(DomainError, SPAN.risk, (((F(1), F(0)),), ((F(2),),)))


test_directions_of_a_residual = edges(
    DomainError, lambda u: SPAN.residual(np.random.default_rng(0), 1, u), (((F(1), F(0)),), ((F(-1),),)),
    ((np.ones((1, 1)),), (None,)),
)  # fmt: skip


RIDGE = {"X": INPUTS, "u": ONE, "t": np.array([0, 1])}


test_ridges = edges(
    DomainError, PerIndexRidge, (RIDGE | {"lam": F(-1, 99)}, RIDGE | {"lam": 0}),
    (RIDGE | {"t": np.array([0, 2])}, RIDGE),
    (RIDGE | {"t": np.array([0, -1])}, RIDGE | {"t": np.array([0, 0])}),
    (RIDGE | {"t": np.array([0])}, RIDGE), (RIDGE | {"t": np.array([0.0, 1.0])}, RIDGE),
    (RIDGE | {"t": np.array([[0, 1]])}, RIDGE),
)  # fmt: skip


ROWS, READ = fractions([[1, 0], [0, 1], [1, 1]]), fractions([[1, 0, 1], [0, 1, 0]])


test_features = edges(
    DomainError, FeatureReadout, ((ROWS[0], READ), (ROWS, READ)), ((ROWS, READ[0]), (ROWS, READ)),
    ((ROWS[:2], READ), (ROWS[:2], READ[:, :2])),
    ((fractions([[1, 0, 1]] * 3), READ), (fractions([[1, 0, 1, 1]] * 3), READ)),
    ((fractions([[1, 0], [0, 0], [1, 1]]), READ), (ROWS, READ)),
    ((ROWS.astype(float), READ), (ROWS, READ)), ((ROWS, READ.astype(float)), (ROWS, READ)),
)  # fmt: skip
