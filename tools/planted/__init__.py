"""False statements whose violations are planted, and how soon a search meets them."""
