"""Recurrent networks: trackers, retrieval, stores, registers."""
