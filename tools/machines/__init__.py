"""Every claim as other machines would judge it: other kernels, processor features, threads, hash seeds, orders."""
