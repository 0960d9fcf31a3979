"""The left side on trial: what a measurement would accept besides the truth, asked of every claim that holds."""
