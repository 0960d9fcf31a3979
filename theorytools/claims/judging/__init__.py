"""What is decided: one point, its controls, the claim, a whole run, and the records of slow ones."""
