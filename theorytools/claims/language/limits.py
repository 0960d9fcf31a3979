"""What decides whether a claim runs, and what a whole run may spend; light, for the command line and pytest."""

TIERS = ("seconds", "minutes", "hours")  # from fast to slow
ALPHA_LIMIT = 1e-4  # the error probability of all sampled rows of a run together
