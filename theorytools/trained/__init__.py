"""Networks that were trained: what is proved of one with given weights, over all prompts of a class."""
