"""FalseTheoremBench: near-miss false statements with exact witnesses, harmless rewordings, and what the judge says."""
