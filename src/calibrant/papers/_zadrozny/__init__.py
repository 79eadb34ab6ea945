"""Zadrozny & Elkan (2001): smoothing, curtailment and binning on CoIL and KDD'98."""
