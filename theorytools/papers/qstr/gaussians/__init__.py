"""Moments, polynomials and laws of Gaussian variables, exactly."""
