"""The definition of a study: data sets, methods, plan and metrics, from Python objects or from a file."""
