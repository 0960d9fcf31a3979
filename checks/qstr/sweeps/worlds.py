"""The sweep of worlds: what the repeats of figure 1a share, and how much of the scatter that hides."""

from __future__ import annotations

from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import TRAINED, grid

RULE = (
    "A world is a direction and a table of codes; its mean is that of log n over its repeats. Decided: (i) worlds "
    "differ by more than the repeats of one, at all lengths together, if the 95 % interval of the ratio of the two "
    "standard deviations, from Fisher's F, lies above 1; (ii) the published means, of one world each, are reproduced "
    "if at least 8 of the 10 lie in the 95 % interval of one further world's mean, of the t-distribution with the "
    "worlds as units; under the model at most 2 of 10 miss with probability .988; (iii) an exponent is that of the "
    "world means, with the worlds as units, and agrees with the published one if the least-squares slope of the "
    "published means lies in its 95 % interval."
)


def cells(profile: str, protocol: str) -> Groups:
    sizes, worlds, repeats = ((4, 6, 8), 2, 2) if profile == "smoke" else ((4, 6, 8, 10, 12), 5, 3)
    return [group for k in range(1, worlds + 1)
            for group in grid(("transformer", "ffn"), sizes, repeats, protocol=protocol, world=k)]  # fmt: skip


sweep = Sweep(
    title="Worlds and repeats of Figure 1a",
    question="How much do the samples differ between worlds, and within one; do the published means, of one world "
             "each, agree with ours when worlds are the units?",
    rule=RULE, cells=cells, **TRAINED, size="N", devices=ANY,
    profiles=("smoke", "published"),
)  # fmt: skip
