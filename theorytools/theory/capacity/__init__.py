"""From perturbation over covering and chaining to samples."""
