"""Four papers on probability estimation, reproduced: every table and figure beside the published one."""

from calibrant.papers._reproduction.finding import Finding
from calibrant.papers._reproduction.paper import PAPERS, Paper, Picture, get_paper
from calibrant.papers._reproduction.reproduce import Reproduction, estimate_time, reproduce
from calibrant.papers._reproduction.table import Cell, PaperTable, Published

__all__ = [
    "PAPERS",
    "Cell",
    "Finding",
    "Paper",
    "PaperTable",
    "Picture",
    "Published",
    "Reproduction",
    "estimate_time",
    "get_paper",
    "reproduce",
]
