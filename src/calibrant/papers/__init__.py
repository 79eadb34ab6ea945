"""Four papers on probability estimation, reproduced: every table and figure beside the published one."""

from calibrant.papers._reproduction.estimate_time import estimate_time
from calibrant.papers._reproduction.finding import Finding
from calibrant.papers._reproduction.paper import Paper
from calibrant.papers._reproduction.picture import Picture
from calibrant.papers._reproduction.published import Published
from calibrant.papers._reproduction.registry import PAPERS, get_paper
from calibrant.papers._reproduction.reproduce import reproduce
from calibrant.papers._reproduction.reproduction import Reproduction
from calibrant.papers._reproduction.table import Cell, PaperTable

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
