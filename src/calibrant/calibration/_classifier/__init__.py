"""`CalibratedClassifier`, its held-out scores and metadata routing, and repairing a shifted base rate."""
