"""Measured quantities: bounds with certificates, confidence intervals, exact counts."""
