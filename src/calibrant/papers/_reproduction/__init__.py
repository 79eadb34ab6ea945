"""The parts that all reproductions of papers share: published figures, tables, findings, running and writing."""
