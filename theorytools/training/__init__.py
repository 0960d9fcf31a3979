"""Training: trials as values, the store of their results, and the engines that run them."""
