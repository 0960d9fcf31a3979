r"""Two layers and recurrent units learn bounded Dyck words one edit from right; that they beat one layer is open.

Setting    Words of 16 brackets, half of them right; the others are right words in which one bracket takes another kind,
           two neighbours or any two places are exchanged. Width 32, four heads, a public last token, Adam.
Statement  The accuracy of two layers at Dyck-(2,2) is at least 0.95, in the first stage above that of one layer. On
           Dyck-(1,1) the means of one and of two layers are above 0.99; so are those of gated recurrent units on all
           four languages. Undecided, by the second stage: that one layer misses more at Dyck-(2,2).
Witness    Eight networks of one layer, four of two layers, four recurrent ones, for each language and stage.
Measured   Accuracy on 2048 right words and 2048 of each edit, sorts weighing the same: means with 95 % t-intervals. The
           ratio of geometric means of misses, 1 less the accuracy plus 1/4096, and differences, with Welch's.
Control    The two exchanged; shuffled labels; no training.
Reads      The first stage asks of differences of accuracies (`first`); the second, of new networks, asks of the ratio
           of misses, and by its rule alone decides. On another processor it is the other way round: the difference is
           open and the ratio, from 1.19 to 14.8, decided. The draws are the same and roundings are not: of 24 networks
           at (2,2) two end elsewhere by a quarter, so which stage decides is an accident of last bits, and twelve
           networks for each are too few to say more. At float32 the message of one layer has more bits than a word: all
           this is about training, no consequence of the lower bound. A bracket of another kind is seen by counting,
           experiments_dyck_counting, and yet one layer seldom learns that at (2,1).
"""


from theorytools import Claim, Control, Quantity, letter, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import mean_difference, ratio_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import depth, types

accuracy = Quantity("accuracy", r"\mathrm{acc}", "mean over the networks", (0, 1))
gain = Quantity("gain", r"\mathrm{acc}_2-\mathrm{acc}_1", "two layers less one layer, means over networks", (-1, 1))
ratio = Quantity("misses", r"\varepsilon_1/\varepsilon_2", "of one layer over two layers", (0, None))
least = letter("least", "the accuracy that the rule asks for", positive=True)
MODELS = {"one": "one layer", "two": "two layers", "gru": "gru"}
HALF = 1 / 4096  # half a word in 2048


def read():
    return recorded(__file__, "strings")


def construct(p) -> SweepRecord:
    return read()


def values(record, p, who):
    return record.values(f"dyck {p.types} {p.depth}, {who}")


def misses(record, p, above="one layer, second stage", below="two layers, second stage"):
    missed = ([1 - value + HALF for value in values(record, p, who)] for who in (above, below))
    return {ratio: fitted(*ratio_interval(*missed), level=0.95)}


def gains(record, p, more="two layers", less="one layer"):
    return {gain: mean_difference(values(record, p, more), values(record, p, less))}


def measure(record, p, who=""):
    return {accuracy: repeat_mean(values(record, p, who or MODELS[p.model]))}


def like(also):
    return lambda record, p: {accuracy: repeat_mean(record.values(f"dyck 2 2, one layer, {also}"))}


claim = Claim(
    "Experiments: Dyck-(2,2), two layers against one",
    role="found", source="derived here: experiments on bounded Dyck",
    scope={"every types, depth": "points", "every repeat": "recorded"},
    expect="UNDECIDED", asserts=ratio >= 1, construct=construct,
    note="One network of two layers and three of one make the interval wide.",
    measure=misses, listed=[types, depth], grid=points("types depth", (2, 2)), controls=[
        Control("shuffled labels for two layers", breaks=ratio, measure=lambda record, p: misses(
            record, p, below="one layer, shuffled labels")),
    ],
)
first = Claim(
    "Experiments: Dyck-(2,2), accuracy of two layers against one, first stage",
    role="found", source="derived here: experiments on bounded Dyck",
    scope={"every types, depth": "points", "every repeat": "recorded"},
    asserts=gain >= 0, construct=construct, measure=gains, listed=[types, depth],
    grid=points("types depth", (2, 2)), controls=[
        Control("exchanged", breaks=gain, measure=lambda record, p: gains(record, p, "one layer", "two layers")),
        Control("shuffled labels for two layers", breaks=gain, measure=lambda record, p: gains(
            record, p, "one layer, shuffled labels")),
    ],
)
near = Claim(
    "Experiments: bounded Dyck, two layers, recurrent units; Dyck-(1,1), every model",
    role="found", source="derived here: experiments on bounded Dyck",
    scope={"every model, types, depth, least": "points", "every repeat": "recorded"},
    asserts=accuracy >= least, construct=construct, measure=measure, listed=["model", types, depth, least],
    grid=points("model types depth least", ("one", 1, 1, "99/100"), ("two", 1, 1, "99/100"), ("two", 2, 2, "95/100"),
                *[("gru", n, k, "99/100") for n in (1, 2) for k in (1, 2)]),
    controls=[Control(name, breaks=accuracy, measure=like(name)) for name in ("shuffled labels", "untrained")],
)
