"""The sweep of figure 1a: prompts to a test loss of 0.7 on the general task."""

from __future__ import annotations

from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import FIT, TRAINED, grid

RULE = FIT.format(size="N") + (
    "Decided: (i) Transformer and feedforward network differ if their intervals are disjoint, (ii) so do Transformer "
    "and GRU; (iii) the feedforward network's growth is compatible with the span bound if its interval does not lie "
    "below 1, the slope of (1 - 0.7) N d on the window; (iv) the Transformer's interval is compared with the slope, on "
    "this window, of the number of prompts that Theorem 10 asks for, and whichever side it lies on is said."
)


def cells(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        return grid(("transformer", "ffn"), (4, 6, 8), 3, protocol=protocol)
    sizes = (4, 6, 8, 10, 12)
    return grid(("transformer", "ffn", "gru"), sizes, 5 if profile == "published" else 20, protocol=protocol)


sweep = Sweep(
    title="Samples to a test loss of 0.7, general 1STR",
    question="Does the Transformer need fewer samples than the feedforward and the recurrent network, and how does "
             "each number grow with N?",
    rule=RULE, cells=cells, **TRAINED, size="N", devices=ANY,
)  # fmt: skip
