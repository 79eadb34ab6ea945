"""The verdict on calibration: is it miscalibrated, and how far can it be off."""
