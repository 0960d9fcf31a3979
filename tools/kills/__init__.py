"""Kill processes at random moments, start again, and look for what is missing or torn."""
