"""The report: stored verdicts as a site of HTML pages, as Markdown and LaTeX.  It never runs a check."""
