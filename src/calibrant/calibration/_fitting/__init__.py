"""The numerical methods that calibrators share: regressions, splines, bins, knots and ties."""
