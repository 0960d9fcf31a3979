"""The sweep of fully-connected networks behind a narrow first layer: its question, its rule, its trials."""

from __future__ import annotations

from theorytools.training.sweep import Groups, Sweep

RULE = (
    "L over R_m, the least loss of any network with m neurons in its first layer; T = 8, d = 2, q = 2, five networks "
    "of each m, on 2^18 fresh prompts each. Predicted: (i) at m = 2, 4, 8, 12, m/(Td) = 1/8, 1/4, 1/2, 3/4, the mean "
    "of L/R_m over the networks has its 95 % t-interval within 3 % of 1; (ii) no network's upper limit, level 1e-9, is "
    "below the certificate of its own first layer, and no lower limit is below nine tenths of it; (iii) at m = 16 = Td "
    "the loss is below R_15; (iv) untrained networks lie more than a quarter above R_m. A network surely below its "
    "certificate refutes the bound or the program; a mean outside (i) says that this training does not reach it. "
    "Fixed after runs of two other repeats: 1.002, 1.002, 1.016 at m = 2, 4, 8, and at m = 12, which was given wider "
    "layers for it, 1.023."
)
# m: width, batch, steps
_SIZES = {2: (128, 256, 1200), 4: (128, 256, 1200), 8: (128, 256, 2500), 12: (256, 384, 3000), 16: (128, 256, 1200)}


def _groups(profile: str, protocol: str) -> Groups:
    repeats, tests = {"smoke": (2, 2**13), "published": (5, 2**18), "wide": (20, 2**20)}[profile]
    groups = []
    for m, (width, batch, steps) in _SIZES.items():
        for arm in ("trained", "untrained") if m <= 12 else ("trained",):
            own = {"kind": "compressors", "arm": arm, "T": 8, "d": 2, "q": 2, "m": m, "width": width, "batch": batch}
            own |= {"steps": {"smoke": 60}.get(profile, steps) if arm == "trained" else 0, "rate": "1/500"}
            own |= {"tests": tests if arm == "trained" else 2**13, "level": "1/1000000000", "protocol": protocol}
            groups.append([{**own, "repeat": repeat} for repeat in range(repeats)])
    return groups


sweep = Sweep(
    title="Fully-connected networks behind a narrow first layer, on sparse token selection",
    question="Do trained networks reach the least loss R_m that m neurons permit, and does any go below the "
             "certificate of its own first layer?",
    rule=RULE, cells=_groups, runner="_compressors:evaluate", size="m", value="loss",
)  # fmt: skip
