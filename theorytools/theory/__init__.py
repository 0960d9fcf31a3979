"""The arguments of the proofs: capacity, communication, memory, first layers, interpolation, selection, Gaussians."""
