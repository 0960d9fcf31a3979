"""Intervals, sampled rates, slopes and growth: what may be said of a number that was measured."""
