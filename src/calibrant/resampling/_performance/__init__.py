"""`estimate_performance`, learning curves, and the results they return."""
