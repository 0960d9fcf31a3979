"""Trials: their store, the driver and the pools that run them; what is acknowledged stays."""
