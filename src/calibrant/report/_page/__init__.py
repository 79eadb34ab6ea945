"""The page of a report: its template, style sheet and scripts, and how they are put together."""
