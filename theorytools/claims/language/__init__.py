"""The two sides of an inequality: letters, bounds, estimates, assertions; no torch, no cvxpy."""

TIERS = ("seconds", "minutes", "hours")  # from fast to slow
ALPHA_LIMIT = 1e-4  # the error probability of all sampled rows of a run together
