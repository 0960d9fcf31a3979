"""Types of the names that theorytools.reporting loads on first use."""

from theorytools.reporting.folder import write_report as write_report
from theorytools.reporting.mathml import with_math as with_math
from theorytools.reporting.site import render_pages as render_pages
from theorytools.reporting.tables import latex_table as latex_table
from theorytools.reporting.tables import markdown_table as markdown_table
