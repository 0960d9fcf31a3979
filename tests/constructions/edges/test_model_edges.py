"""Models of the protocol, neighbours, machines and selections at the edges of their domains."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import sympy
from refusals import edges

from theorytools.codes.encodings import moment_curve, orthonormal_encodings, sign_encodings
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import hadamard
from theorytools.constructions.attention.formats import FORMATS, Arithmetic, Format, arithmetic
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, between
from theorytools.papers.qstr.few_heads.log_readout import LogReadout
from theorytools.papers.qstr.few_heads.single_head import CrossHead, UniformHead
from theorytools.papers.qstr.precision.machine import MachineAttention
from theorytools.papers.qstr.precision.rounding import MachineWeights, certified_error
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.papers.stsq.attention.corrected_query import dual_certificate
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import float_queries, query
from theorytools.papers.stsq.attention.selector_rules import RuleSelector

half = F(1, 2)


test_formats = edges(DomainError, Format, (("mine", 1, -4), ("mine", 2, -4)), (("mine", 0, -4), ("mine", 3, 4)))


TOY, FINE, WIDE = Format("toy", 3, -9), Format("fine", 4, -9), Format("wide", 3, -10)


test_finer_sums = edges(
    DomainError, Arithmetic, (("mine", FINE, TOY, TOY), ("mine", FINE, TOY, FINE)),
    (("mine", TOY, FINE, TOY), ("mine", TOY, FINE, FINE)), (("mine", WIDE, TOY, TOY), ("mine", TOY, TOY, WIDE)),
    (("mine", TOY, WIDE, TOY), ("mine", WIDE, WIDE, WIDE)),
)  # fmt: skip


F64 = arithmetic("float64")


BOUND = {"N": 2, "d": 1, "r_x": F(1), "how": F64, "spill": F(0)}


test_certified = edges(
    DomainError, certified_error, (BOUND | {"N": 1}, BOUND), (BOUND | {"N": 2**24 + 1}, BOUND | {"N": 2**24}),
    (BOUND | {"d": 0}, BOUND), (BOUND | {"r_x": F(0)}, BOUND | {"r_x": F(1, 99)}),
    (BOUND | {"r_x": F(2**60 + 1)}, BOUND | {"r_x": F(2**60)}),
    (BOUND | {"spill": F(-1, 99)}, BOUND), (BOUND | {"r_x": F(-1)}, BOUND),
    (BOUND | {"spill": Enclosure(F(-1, 99))}, BOUND | {"spill": Enclosure(0)}),
    (BOUND | {"spill": between(F(-1, 99), 1)}, BOUND | {"spill": between(1, 2)}),
)  # fmt: skip


test_machine_weights = edges(
    DomainError, lambda gaps, s, beta, **how: MachineWeights.of(gaps, s, beta, "float64", **how),
    ({"gaps": [0, 7], "s": 3, "beta": 1}, {"gaps": [0, 6], "s": 3, "beta": 1}),
    ({"gaps": [-1, 0], "s": 3, "beta": 1}, {"gaps": [0, 1], "s": 3, "beta": 1}),
    ({"gaps": [0], "s": 0, "beta": 1}, {"gaps": [0], "s": 1, "beta": 1}),
    ({"gaps": [0, 2], "s": 3, "beta": F(-1, 99)}, {"gaps": [0, 2], "s": 3, "beta": 0}),
    ({"gaps": [0, 2], "s": 3, "beta": 1, "exponentials": "fast"},
    {"gaps": [0, 2], "s": 3, "beta": 1, "exponentials": "nearest"}),
)  # fmt: skip


test_parts_of_weights = edges(
    DomainError, MachineWeights, ((F64, (0, 1), (F(0),), (F(1),)), (F64, (0,), (F(0),), (F(1),))),
    ((F64, (0,), (F(0),), (F(1), F(1))), (F64, (0, 1), (F(0), F(-1)), (F(1), half))),
    ((F64, (), (), ()), (F64, (0,), (F(0),), (F(1),))),
)  # fmt: skip


MACHINE = MachineAttention(orthonormal(4), 3)


test_retrieved = edges(
    DomainError, MACHINE.retrieve, ((np.ones((3, 1)), 0), (np.ones((4, 1)), 0)),
    ((np.ones((4, 1)), 4), (np.ones((4, 1)), 3)), ((np.ones((4, 1)), -1), (np.ones((4, 2)), 0)),
    ((np.ones(4), 0), (np.ones((4, 1)), 1)), ((np.full((4, 1), np.inf), 0), (np.full((4, 1), 1e300), 0)),
)  # fmt: skip


test_rows_of_a_machine = edges(DomainError, MACHINE.row, ((4,), (3,)), ((-1,), (0,)))


test_machines = edges(
    DomainError, MachineAttention, ((orthonormal(4), F(-1, 99)), (orthonormal(4), 0)),
    ((simplex(4), 1), (hadamard(4), 1)), ((orthonormal(4), 1, "float16"), (orthonormal(4), 1, "bfloat16")),
    ((orthonormal(4), 1, "float64", 1, "fast"), (orthonormal(4), 1, "float64", 1, "nearest")),
)  # fmt: skip


test_observed = edges(
    DomainError, lambda r_x: MACHINE.observed(r_x, np.random.SeedSequence(0), positions=1, draws=1),
    ((0,), (F(1, 99),)), ((-1,), (1,)),
)  # fmt: skip


test_casts = edges(
    DomainError, lambda name: replace(FORMATS["float64"], name=name).cast([1.0]), (("paper",), ("float32",))
)


E4 = orthonormal_encodings(4)


EYE = np.hstack([np.eye(1, dtype=int), np.zeros((1, 4), dtype=int)]).astype(object)


SELECT = {"E": E4, "beta": 2, "q": 2, "d": 1}


test_selectors = edges(
    DomainError, SparseSelector, (SELECT | {"q": 0}, SELECT | {"q": 1}), (SELECT | {"q": 4}, SELECT | {"q": 3}),
    (SELECT | {"d": 0}, SELECT), (SELECT | {"query": "best"}, SELECT | {"query": "lp"}),
    (SELECT | {"alpha": sympy.sqrt(2)}, SELECT | {"alpha": half}),
    (SELECT | {"values": EYE[:, :4]}, SELECT | {"values": EYE}),
    (SELECT | {"values": EYE * 1.0}, SELECT | {"values": EYE * half}),
    (SELECT | {"values": np.vstack([EYE, EYE])}, SELECT | {"d": 2, "values": np.eye(2, 6, dtype=int).astype(object)}),
)  # fmt: skip


SET = SparseSelector(**SELECT)


test_sets = edges(
    DomainError, SET.scores, (((0, 4),), ((0, 3),)), (((0, 0),), ((0, 1),)), (((0,),), ((1, 2),)),
    (((0, 1, 2),), ((2, 3),)), (((-1, 0),), ((1, 0),)),
)  # fmt: skip


test_targets_of_a_loss = edges(
    DomainError, SET.sufficient_beta, (((0, 1), 0), ((0, 1), F(1, 99))), (((0, 1), -1), ((0, 1), 9))
)


test_plain_values = edges(
    DomainError, lambda **changed: SparseSelector(**SELECT | changed).loss_certificate((0, 1)),
    ({"values": EYE * half}, {"values": EYE}), ({"alpha": half}, {"alpha": 1}),
    ({"query": lambda E, y: [1, 2, 0, 0]}, {"query": lambda E, y: [1, 1, 0, 0]}),
    ({"query": lambda E, y: [1, 1, 1, 0]}, {"query": lambda E, y: [1, 1, F(99, 100), 0]}),
)  # fmt: skip


test_queries_of_a_set = edges(
    DomainError, query, ((E4, (0, 1), "best"), (E4, (0, 1), "sum")),
    ((E4, (0, 1), "polynomial"), (moment_curve(5, 4), (0, 1), "polynomial")),
    ((moment_curve(5, 3), (0, 1), "polynomial"), (moment_curve(5, 2), (0,), "polynomial")),
    ((E4, (0, 1), lambda E, y: [1, 2, 3]), (E4, (0, 1), lambda E, y: [1, 2, 3, 4])),
    ((sign_encodings(4, 1, np.random.default_rng(0)), (0, 1), "dual"),
    (sign_encodings(4, 1, np.random.default_rng(0)), (0,), "dual")),
)  # fmt: skip


test_queries_in_doubles = edges(
    DomainError, float_queries, ((np.eye(4), [[0, 1]], "lp"), (np.eye(4), [[0, 1]], "sum")),
    ((np.ones((4, 2)), [[0, 1]], "dual"), (np.ones((4, 2)), [[0]], "dual")),
    ((np.eye(4), [[0, 1]], "polynomial"), (E4, [[0, 1]], "lp")),
)  # fmt: skip


test_corrections = edges(
    DomainError, dual_certificate, ((E4, (0, 1), -1), (E4, (0, 1), 0)), ((E4, (0, 4), 1), (E4, (0, 3), 1))
)


RULE = {"E": E4, "q": 2, "d": 1, "rule": "top"}


test_rules = edges(
    DomainError, RuleSelector, (RULE | {"rule": "soft"}, RULE | {"rule": "free"}), (RULE | {"k": 0}, RULE | {"k": 1}),
    (RULE | {"k": 5}, RULE | {"k": 4}), (RULE | {"q": 4}, RULE | {"q": 3}),
    (RULE | {"query": "best"}, RULE | {"query": "sum"}),
)  # fmt: skip


test_sets_of_a_rule = edges(
    DomainError, RuleSelector(**RULE).attention, (((0,),), ((0, 1),)), (((0, 4),), ((0, 3),)), (((1, 1),), ((1, 0),))
)


FEW = FewTokens(8, 2, 3)


READ = {"task": FEW, "directions": ((1, 0),), "odds": ((4, 1, 1),), "slope": half, "limit": 1}


test_readouts = edges(
    DomainError, LogReadout, (READ | {"limit": 0}, READ),
    (READ | {"odds": ((0, 1, 1),)}, READ | {"odds": ((1, 1, 1),)}), (READ | {"odds": ((4, 1),)}, READ),
    (READ | {"directions": ((1,),)}, READ),
    (READ | {"directions": ((1, 0), (0, 1))}, READ | {"directions": ((1, 0), (0, 1)), "odds": ((4, 1, 1), (1, 4, 1))}),
    (READ | {"directions": ((1, 0),) * 4, "odds": ((4, 1, 1),) * 4},
     READ | {"directions": ((1, 0),) * 3, "odds": ((4, 1, 1),) * 3}),
    (READ | {"task": FewTokens(8, 2, 3, link="lin")}, READ),
    (READ | {"task": FewTokens(8, 2, 3, late=(0, 1, 3))}, READ | {"task": FewTokens(8, 2, 3, late=(0, 2, 1))}),
)  # fmt: skip


CROSS = {"codes": hadamard(8), "beta": 2, "task": FewTokens(8, 1, 3), "slope": half, "limit": 2}


test_cross_heads = edges(
    DomainError, CrossHead, (CROSS | {"beta": 0}, CROSS | {"beta": F(1, 99)}),
    (CROSS | {"slope": F(0)}, CROSS | {"slope": F(-1, 99)}), (CROSS | {"beta": -1}, CROSS),
    (CROSS | {"task": FEW}, CROSS), (CROSS | {"task": FewTokens(8, 1, 3, link="lin")}, CROSS),
    (CROSS | {"limit": 1}, CROSS), (CROSS | {"codes": simplex(8)}, CROSS), (CROSS | {"codes": hadamard(16)}, CROSS),
)  # fmt: skip


UNIFORM = {"codes": hadamard(8), "beta": 2, "task": FewTokens(8, 2, 3, link="lin")}


test_uniform_heads = edges(
    DomainError, UniformHead, (UNIFORM | {"beta": F(-1, 99)}, UNIFORM | {"beta": 0}),
    (UNIFORM | {"task": FEW}, UNIFORM), (UNIFORM | {"codes": hadamard(4)}, UNIFORM),
)  # fmt: skip
