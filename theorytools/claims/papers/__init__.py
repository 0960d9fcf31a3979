"""Where a claim stands: found by place, read without being imported, loaded."""
