"""Caruana and Niculescu-Mizil (2004): probabilities of seven learning algorithms before and after calibration."""
