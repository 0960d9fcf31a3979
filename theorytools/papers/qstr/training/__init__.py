"""The training of this paper's networks: prompts to a loss threshold, for all repeats of a cell at once."""
