"""The candidates and the choice of the automatic calibrator, with their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AutoChoice", "Candidate"]


@dataclass(frozen=True)
class Candidate:
    """A map that was tried.

    Parameters
    ----------
    name : str
        Its name in `CALIBRATORS`; ``"no map"`` for unchanged scores.
    log_loss : float
        Its cross-validated log-loss, in nats per row.
    gain, standard_error : float
        How much less that is than the reference's, and the standard error of the paired difference.
    weight : float
        Its weight in the chosen mix.

    Examples
    --------
    >>> Candidate("beta", 0.31, 0.02, 0.005, 0.8).weight
    0.8
    """

    name: str
    log_loss: float
    gain: float
    standard_error: float
    weight: float


@dataclass(frozen=True, repr=False)
class AutoChoice:
    """The choice of an `Auto` calibrator with its evidence.

    Parameters
    ----------
    name : str
        The mix in words.
    candidates : tuple of Candidate
        The candidates; the reference is the first. Empty where nothing could be tried.
    gain, standard_error : float
        How much less the cross-validated log-loss of the mix is than the reference's, and its standard error.
    n_rows : float
        The weight of the rows that this was evaluated on.
    reason : str
        The reason of the choice.

    Examples
    --------
    >>> reference, beta = Candidate("no map", 0.35, 0.0, 0.0, 0.2), Candidate("beta", 0.31, 0.04, 0.01, 0.8)
    >>> AutoChoice.of((reference, beta), (0.045, 0.009), 500.0, "gains more than 0.5 standard errors")
    0.80 beta + 0.20 no map: gains more than 0.5 standard errors
      log-loss 0.3500 -> 0.3050, gain 0.0450 +- 0.0090, cross-validated on 500 rows
      map        log-loss     gain       +-   weight
      no map       0.3500                       0.20
      beta         0.3100   0.0400   0.0100     0.80
    """

    name: str
    candidates: tuple[Candidate, ...]
    gain: float
    standard_error: float
    n_rows: float
    reason: str

    @classmethod
    def of(
        cls, candidates: tuple[Candidate, ...], evidence: tuple[float, float], n_rows: float, reason: str
    ) -> AutoChoice:
        """Return a choice whose name lists the weights of its mix, the largest first.

        Examples
        --------
        >>> tried = (Candidate("no map", 0.35, 0.0, 0.0, 1.0), Candidate("beta", 0.35, 0.0, 0.0, 0.0))
        >>> AutoChoice.of(tried, (0.0, 0.0), 500.0, "").name
        'no map'
        """
        used = sorted((each for each in candidates if each.weight > 0), key=lambda each: -each.weight)
        mix = " + ".join(f"{each.weight:.2f} {each.name}" for each in used)
        return cls(used[0].name if len(used) == 1 else mix, candidates, *evidence, n_rows, reason)

    def to_frame(self) -> pd.DataFrame:
        """Return the candidates as a frame of pandas, one row each.

        Examples
        --------
        >>> choice = AutoChoice("no map", (Candidate("no map", 0.35, 0.0, 0.0, 1.0),), 0.0, 0.0, 500.0, "")
        >>> choice.to_frame().columns.tolist()
        ['name', 'log_loss', 'gain', 'standard_error', 'weight']
        """
        import pandas as pd

        return pd.DataFrame([vars(each) for each in self.candidates])

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold.

        Examples
        --------
        >>> AutoChoice("no map", (), 0.0, 0.0, 3.0, "too few rows").to_dict()["reason"]
        'too few rows'
        """
        return {**vars(self), "candidates": [vars(each) for each in self.candidates]}

    @classmethod
    def from_dict(cls, written: dict[str, Any]) -> AutoChoice:
        """Return the choice that `to_dict` wrote.

        Examples
        --------
        >>> choice = AutoChoice("no map", (Candidate("no map", 0.35, 0.0, 0.0, 1.0),), 0.0, 0.0, 500.0, "")
        >>> AutoChoice.from_dict(choice.to_dict()) == choice
        True
        """
        return cls(**{**written, "candidates": tuple(Candidate(**each) for each in written["candidates"])})

    def __repr__(self) -> str:  # `z` prints a gain that rounds to 0 as 0.0000, never -0.0000, on any processor
        lines = [f"{self.name}: {self.reason}"]
        if self.candidates:
            before = self.candidates[0].log_loss
            lines += [
                f"  log-loss {before:.4f} -> {before - self.gain:.4f}, gain {self.gain:z.4f} +- "
                f"{self.standard_error:.4f}, cross-validated on {self.n_rows:,.0f} rows",
                *self._table(),
            ]
        return "\n".join(lines)

    def _table(self) -> list[str]:
        width = max(10, *(len(each.name) for each in self.candidates))
        rows = [f"  {'map':{width}} {'log-loss':>8} {'gain':>8} {'+-':>8} {'weight':>8}"]
        for position, each in enumerate(self.candidates):
            evidence = f"{each.gain:z8.4f} {each.standard_error:8.4f}" if position else " " * 17
            rows.append(f"  {each.name:{width}} {each.log_loss:8.4f} {evidence} {each.weight:8.2f}")
        return rows
