"""What decides whether a claim runs, and what a whole run may spend; light, for the command line and pytest."""

import os

TIERS = ("seconds", "minutes", "hours")  # from fast to slow
ALPHA_LIMIT = 1e-4  # the error probability of all sampled rows of a run together


def usable_cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
