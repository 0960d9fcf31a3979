"""The sweep of lengths: from where on the Transformer needs fewer prompts, and less arithmetic."""

from __future__ import annotations

from fractions import Fraction

from theorytools.training.sweep import ANY, DEVICE, Groups, Sweep

from ._samples import FIT, TRAINED, grid

RULE = FIT.format(size="N") + (
    "Decided: the advantage in samples appears at the least N of the grid from which on the Transformer's interval of "
    "the mean of log n lies below the other's, at all larger N where both were run; in arithmetic likewise, with n "
    "times the multiplications of one training prompt. Power and logarithmic form are compared by AIC, as descriptions."
)


def cells(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        groups = grid(("transformer",), (4, 8, 16), 2, protocol=protocol)
        short = {"width": 40, "threshold": Fraction(9, 10), "cap": 20_000, "test_size": 1000}
        return groups + grid(("ffn", "gru", "lstm", "rnn"), (4,), 2, protocol=protocol, **short)
    groups = grid(("transformer",), (4, 8, 16, 32, 64), 3, protocol=protocol)
    groups += grid(("ffn", "gru"), (4, 8, 16), 3, protocol=protocol)
    if profile == DEVICE:  # long runs are evaluated less often: 100 steps are 1 % of 640 000 prompts
        groups += grid(("transformer",), (128, 256, 512, 1024), 8, protocol=protocol)
        groups += grid(("transformer",), (4096,), 2, protocol=protocol, check_every=20)  # 2.7 % of 48 000 prompts
        # an H100 had none of eight feedforward networks below the threshold at 24 after 45 760 000 prompts
        groups += grid(("ffn",), (20, 24), 8, protocol=protocol, cap=60_000_000, check_every=100)
        groups += grid(("lstm", "rnn"), (4, 8, 16), 3, protocol=protocol)
        long = {"protocol": protocol, "cap": 1_500_000, "check_every": 50}
        groups += grid(("gru", "rnn"), (32, 64, 128), 5, **long) + grid(("lstm",), (32,), 5, **long)
        groups += grid(("lstm",), (64, 96), 5, **{**long, "check_every": 100})
    return groups


sweep = Sweep(
    title="Where the Transformer's advantage appears, in samples and in arithmetic",
    question="From which N on does the Transformer need fewer samples, and fewer multiplications, than the others?",
    rule=RULE, cells=cells, **TRAINED, size="N", devices=ANY,
    profiles=("smoke", "published", DEVICE),
)  # fmt: skip
