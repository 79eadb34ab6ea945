"""The automatic calibrator: candidates, folds, mixing, and the guard that keeps scores unchanged."""
