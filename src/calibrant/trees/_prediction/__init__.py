"""Class probabilities of rows from a grown tree: tables of the nodes, intervals, and estimates chosen on folds."""
