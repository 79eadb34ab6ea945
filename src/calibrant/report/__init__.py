"""Reports: one HTML file that answers whether probabilities are right, what errors cost, and which model to use.

A report is made of sections (`calibrant._sections`). Those of predictions are in `_predictions/`, one file each;
figures become charts in `_charts/`, and `_page/` makes the page, which needs no network and no server.
"""

from calibrant.report._report import Report

__all__ = ["Report"]
