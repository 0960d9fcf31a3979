"""The bench of the left side: wrong measurements with a witness, each beside the same draft mended."""
