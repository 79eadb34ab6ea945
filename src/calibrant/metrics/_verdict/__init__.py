"""The verdict on calibration: is it miscalibrated, and how far can it be off."""

__all__: list[str] = []
