"""The kinds of slips, by the words that the tables use."""

MORE, LESS, PEAK = "max for min", "mean for max", "max for mean"
FIRST, INDEX = "first entry for max", "index shifted"
TRAINING, NATS, HARD = "training rows for the new law", "bits for nats", "hard for soft maximum"
FLOAT, WRAPPED = "rounded double as exact", "wrapped integers"
SAMPLE, FEW, FIXED = "enumeration that is a sample", "supremum over few draws", "a fixed object for a class"
ORDER, DERIVED = "quantifiers in another order", "constant read off the data"
EMPTY, FORMULA, IGNORED = "empty loop", "one formula on both sides", "object ignored"
DROPPED, DEPENDENT, BEST = "dropped failures", "dependent draws", "best of many seeds"
PROMPT, VARIED = "one prompt for all", "one letter never varied"
SQUARED, TWICE, VECTOR = "squared for not squared", "pairs counted twice", "norm of the wrong vector"
TRUNCATED = "truncated mean, excess too small"
KINDS = (
    MORE, LESS, PEAK, FIRST, INDEX, TRAINING, NATS, HARD, FLOAT, WRAPPED, SAMPLE, FEW, FIXED, ORDER, DERIVED, EMPTY,
    FORMULA, IGNORED, DROPPED, DEPENDENT, BEST, PROMPT, VARIED, SQUARED, TWICE, VECTOR, TRUNCATED,
)  # fmt: skip
