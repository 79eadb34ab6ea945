"""One file a calibrator."""
