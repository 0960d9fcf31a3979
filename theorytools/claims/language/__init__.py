"""The two sides of an inequality: letters, bounds, estimates, assertions; no torch, no cvxpy."""
