"""Boosting: its algorithms and rounds, and boosted trees and stumps."""
