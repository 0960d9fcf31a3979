"""The evaluators of every network agree, and what is no network is said to be none."""

import importlib
import inspect
import pickle
import pkgutil
from fractions import Fraction

import numpy as np
import pytest
import torch
from network_specimens import NETWORKS, extremal

from theorytools import BlockAttention, Network, changed, check_network, constructions, hadamard, papers
from theorytools.codes.subcode import subcode
from theorytools.errors import AbsentError, ConformanceError, DomainError
from theorytools.papers.qstr.attention.output_error import sum_head
from theorytools.papers.sep import OneLayerEquality


def pairs():
    for name, one in NETWORKS.items():
        for _, prop in check_network(one.net, one.draw, **one.options):
            yield pytest.param(prop, id=f"{name}: {prop}")


@pytest.mark.parametrize("prop", list(pairs()))
def test_a_network_has_the_property(prop):
    prop()


def refused(net, inputs):
    try:
        net(*inputs)
    except DomainError:
        return True
    return False


def indexed():
    """The networks whose modules take the inputs of the call, and which of these are places or symbols."""
    for name, one in NETWORKS.items():
        inputs = [np.array(part) for part in one.draw(np.random.default_rng(0))]
        places = [k for k, part in enumerate(inputs) if refused(one.net, [*inputs[:k], part / 2, *inputs[k + 1 :]])]
        if places and hasattr(one.net, "module") and "feed" not in one.options:
            yield pytest.param(one.net, inputs, places, id=name)


@pytest.mark.parametrize(("net", "inputs", "places"), list(indexed()))
def test_a_module_refuses_the_places_and_symbols_that_its_network_refuses(net, inputs, places):
    """Torch reads -1 as the last place and says nothing."""
    module = net.module()

    def spoiled(k, wrong):
        parts = [part.copy() for part in inputs]
        parts[k].flat[0] = wrong
        return parts

    def fed(parts, numbers):
        return [
            torch.tensor(part, dtype=torch.float64 if j in numbers else torch.int64) for j, part in enumerate(parts)
        ]

    numbers = {*range(len(inputs))} - {*places}
    for k in places:
        beyond = next(x for x in range(inputs[k].max() + 1, 99) if refused(net, spoiled(k, x)))  # the first
        for parts, floats in [(spoiled(k, -1), ()), (spoiled(k, beyond), ()), (inputs, {k})]:
            assert refused(net, parts) == (not floats)
            with pytest.raises(DomainError, match="integers from 0"):
                module(*fed(parts, numbers | {*floats}))


def test_a_module_with_no_values_to_look_at_is_not_looked_at():
    net, f = BlockAttention(hadamard(8), beta=12, q=1, d=2), torch.func.functional_call
    X, T = torch.randn(3, 8, 2, dtype=torch.float64), torch.arange(24).reshape(3, 8, 1) % 8
    module = net.module()
    each = torch.func.vmap(lambda x, t: f(module, dict(module.named_parameters()), (x[None], t[None]))[0])(X, T)
    for strict in (False, True):
        assert torch.equal(torch.export.export(module, (X, T), strict=strict).module()(X, T), module(X, T))
    assert (each - module(X, T)).abs().max() <= 1e-14
    assert module.to("meta")(X.to("meta"), T.to("meta")).shape == (3, 8, 1, 2)


NO_NETWORKS = {
    "Absent": "the place of a member that a network does not have",
    "Arithmetic": "a kind of floats",
    "AttentionLayer": "the softmax inside the networks: a table, without a prompt",
    "AttentionRows": "rows of attention weights, judged by the error of the best read-out",
    "BlockStore": "a store with its accuracy; no weights",
    "BumpReadout": "the read-out of StationaryMember: value and gradient at one point",
    "CodeCopy": "the first layer of TwoLayerBoolean",
    "Countdown": "an automaton, judged by its states",
    "CrossHead": "predicts for the tuples of its task only, from decoded attention weights, by simulation",
    "DualCertificate": "a certificate",
    "FixedPointAttention": "what a model of one's own must answer to enter the protocol",
    "FixedPointTables": "a model of the protocol, given by tables and any function of the sums",
    "Format": "a kind of floats",
    "Frontier": "two curves of precision over length",
    "GeneralTracker": "the increment of one position in rationals",
    "HammingQuantiser": "an automaton, judged by its states",
    "HeadDecoder": "predicts at late positions only, by a law that is sampled",
    "InnerProductUnits": "units of GeneralTracker, on one pair of vectors in rationals",
    "LastTokenLayer": "a layer of torch of one's own, read as tables",
    "LeastTemperature": "a result",
    "Length": "bits and length of one precision",
    "LineUnits": "the units of LinkHead on a line",
    "LinearHash": "an automaton over bits",
    "LinearInterpolant": "a product of layers, judged by its norm",
    "LipschitzUnits": "units on a line, in rationals",
    "LogHeads": "the part that both decoders share",
    "LogReadout": "the read-out of HeadDecoder",
    "LongLookup": "the margins of a lookup layer of any length; never multiplied out",
    "LookupFormat": "a row of attention rounded in one format",
    "LookupMargin": "one number that bounds all inputs of a lookup layer",
    "MachineAttention": "one position of BlockAttention in a machine's arithmetic",
    "MachineWeights": "the weights of MachineAttention",
    "MarginAttention": "what a model of one's own must answer to enter the protocol",
    "MarginEquality": "a model of the protocol: logits, values and a margin",
    "MarginTables": "a model of the protocol: logits, values and a margin",
    "MatrixAttention": "a head given by its merged matrix, judged by its risk",
    "Network": "the protocol itself",
    "Passes": "both directions of RectifiedRNN as integers",
    "PerfectBlocks": "a code",
    "PrecisionBreak": "the length at which a format fails",
    "Products": "a table of scores, row by row",
    "Profiles": "the rows of a Gram matrix as leakage sees them",
    "Property": "what check_network says of one network",
    "QuadraticError": "the error of a quadratic read-out",
    "QuantisedTanhRNN": "an automaton whose transition is rounded",
    "QueryKeyBlock": "query and key of one head, as blocks and their norms",
    "RandomSigns": "the law of a random code, not a network",
    "ReadoutRisk": "the exact risk of a linear read-out",
    "RectifiedRNN": "a pass against an adversary, who is no weight",
    "ResidualRNN": "exact rationals: floats would lose its table after some 33 digits",
    "Retrieval": "a result",
    "RuleSelector": "attention weights by other rules than softmax; its outputs are never formed",
    "RunningBest": "an automaton, judged by its states",
    "Saved": "what stands in a file of a network",
    "ScatteredNorms": "norms of scattered weights",
    "ShortCodeDecoder": "HeadDecoder on short codes",
    "SymbolRegister": "an automaton, judged by its states",
    "TableStore": "a store, no weights",
    "TightEncoder": "an automaton, judged by its states",
    "TruncatedAttention": "a cut of sums, with its error",
    "UniformHead": "predicts for the tuples of its task only, judged by its exact risk",
    "VisibleSpan": "a span, judged by its risk",
}


NETWORK_ROOMS = {"attention", "few_heads", "precision", "feedforward", "recurrent"}  # of the papers


def walk(package):
    return pkgutil.walk_packages(package.__path__, f"{package.__name__}.")


def test_every_public_class_is_checked_or_said_to_be_no_network():
    public = {}
    rooms = [each for each in walk(papers) if set(each.name.split(".")[3:4]) & NETWORK_ROOMS]
    for each in (*walk(constructions), *rooms):
        module = importlib.import_module(each.name)
        own = {name: value for name, value in vars(module).items() if inspect.isclass(value) and name[0] != "_"}
        public |= {name: value for name, value in own.items() if value.__module__ == module.__name__}
    classes = {name for name in public if not issubclass(public[name], torch.nn.Module | Exception)}
    checked = {type(one.net).__name__ for one in NETWORKS.values()}
    assert classes == checked | set(NO_NETWORKS)
    assert not checked & set(NO_NETWORKS)
    assert {name for name in classes if issubclass(public[name], Network)} == checked | {"Network"}


HONEST = NETWORKS["BlockAttention"]


class OneWeightOff(BlockAttention):
    def W_QK(self, h):
        W = super().W_QK(h).copy()
        W[self.d + self.codes.d_e + 1, self.d + 1] += 2.0**-20 * (h == 0)
        return W


class HalfTheCertificate(BlockAttention):
    def certificate(self, r_x):
        return super().certificate(r_x / 2)


class SwappedHeads(BlockAttention):
    def module(self, dtype=None, device="cpu"):
        made = super().module(dtype, device)
        made.W_QK.data = made.W_QK.data.flip(0)
        return made


class OtherExact(BlockAttention):
    def exact(self, X, T):
        return super().exact(X, T[::-1])


class TakesAnything(BlockAttention):
    def __call__(self, X, T):
        with np.errstate(invalid="ignore"):
            return super().__call__(np.nan_to_num(X), T) + 0 * np.sum(X)


class ForgetsItsBeta(BlockAttention):
    def __getstate__(self):
        return self.__dict__ | {"beta": 6}

    def __setstate__(self, state):
        self.__dict__.update(state)


class HiddenWeights(BlockAttention):
    def module(self, dtype=None, device="cpu"):
        made = super().module(dtype, device)
        made.register_buffer("omega", made.omega.clone(), persistent=False)
        return made


class OtherNorms(BlockAttention):
    def norms(self):
        return {name: norm * (1 + Fraction(1, 10**6)) for name, norm in super().norms().items()}


class OtherSizes(BlockAttention):
    def sizes(self):
        return super().sizes() | {"parameters": 1}


class SaysNothing(BlockAttention):
    def rounding(self, size, u=2.0**-53):
        return 0.1


SPOILED = [
    (OneWeightOff, {"call lies in exact", "norms"}),
    (HalfTheCertificate, {"certificate holds", "certificate attained"}),
    (SwappedHeads, {"module equals call", "module equals call in float32"}),
    (OtherExact, {"call lies in exact", "certificate holds", "certificate attained"}),
    (TakesAnything, {"malformed inputs refused"}),
    (ForgetsItsBeta, {"pickle"}),
    (HiddenWeights, {"safetensors"}),
    (OtherNorms, {"norms"}),
    (OtherSizes, {"sizes"}),
    (SaysNothing, {"module equals call", "call lies in exact"}),
]


def failed(net, options):
    found = set()
    for _, prop in check_network(net, HONEST.draw, **options):
        try:
            prop()
        except ConformanceError:
            found.add(prop.name)
    return found


@pytest.mark.parametrize(("kind", "properties"), SPOILED)
def test_a_spoiled_network_is_rejected_by_name(kind, properties):
    honest = HONEST.net
    assert failed(kind(honest.codes, honest.beta, honest.q, honest.d), HONEST.options) == properties


def test_worst_inputs_that_are_not_and_members_that_are_missing_are_told():
    mild = HONEST.net.__class__(hadamard(4), 8, q=2, d=2)
    wrong = HONEST.options | {"worst": tuple(part[:, ::-1] for part in extremal(mild))}
    assert failed(mild, wrong) == {"certificate attained"}
    head = sum_head(2, 3)
    assert not hasattr(head, "module")
    assert "part of the modules" in type(head).module.reason
    with pytest.raises(AbsentError, match=r"ReluHead\.module"):
        head.module()

    class Silent(Network):
        def __call__(self, x):
            return x

    with pytest.raises(TypeError, match=r"certificate.*exact"):
        Silent()
    with pytest.raises(DomainError, match="a Network"):
        check_network(lambda x: x, HONEST.draw)
    with pytest.raises(DomainError, match="integers"):
        check_network(HONEST.net, lambda rng: (rng.standard_normal((2, 4, 2)), np.zeros((2, 4, 2), int)))


def test_a_changed_twin_derives_the_rest_anew_and_survives_pickling():
    net = HONEST.net
    assert net.worst_leakage().certainly_lt(Fraction(1, 2))  # its tables are held from now on
    twin = pickle.loads(pickle.dumps(changed(net, codes=subcode(net.codes, [0, 0, 2, 3]))))
    assert twin.worst_leakage().certainly_lt(Fraction(1, 2)) is False
    assert net.worst_leakage().certainly_lt(Fraction(1, 2))
    with pytest.raises(DomainError, match="distinct"):
        changed(net, distinct=False)
    net = OneLayerEquality(3)
    w = np.array([2, 1, 1, -2, -1, -1])
    again = changed(changed(net, weights=w), n=3)
    assert again.p == 3
    assert again.weights is w
    assert net.p == 4
