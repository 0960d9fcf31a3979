"""Feedforward networks: read-outs, links, interpolants, first layers."""
