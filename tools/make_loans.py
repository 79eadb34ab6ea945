"""Write the table of docs/your_own_table.md: loans as a German spreadsheet saves them, with what life adds.

    python tools/make_loans.py examples

The chance of a default is known: it grows with time, falls with income, and depends on the purpose. `recovered` is
entered after a default, `currency` is the same everywhere, and a few incomes are unknown.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

N_ROWS, N_NEW = 900, 60
PURPOSES = (
    ("new car bought from dealer", 0.0),
    ("car repair after an accident", 0.7),
    ("kitchen and bathroom renovated", -0.5),
    ("debts of several cards joined", 1.1),
    ("wedding and honeymoon trip", 0.2),
)
HEADER = ["customer", "issued", "income", "rate", "town", "currency", "purpose", "recovered", "default"]


def amount(value: float) -> str:
    """Return an amount as German spreadsheets show it."""
    return f"{value:,.2f}".replace(",", "\0").replace(".", ",").replace("\0", ".")


def rows(n: int, first: int, rng: np.random.Generator) -> list[list[str]]:
    """Return rows in order of time, from a row number on."""
    found = []
    for k in range(first, first + n):
        day = np.datetime64("2021-01-04") + np.timedelta64(int(1.2 * k), "D")
        income, rate = float(rng.lognormal(10.4, 0.5)), float(rng.uniform(2, 9))
        words, effect = PURPOSES[rng.integers(len(PURPOSES))]
        details = f"{rng.choice(['again', 'urgent', 'with receipts', 'second time'])} of {rng.integers(100, 9999)} EUR"
        log_odds = -2.2 + 0.001 * k + effect + 0.7 * (rate - 5) - 2.5 * (np.log(income) - 10.4)
        is_default = bool(rng.random() < 1 / (1 + np.exp(-log_odds)))
        recovered = amount(float(rng.gamma(2, 900))) if is_default and rng.random() < 0.9 else "0,00"
        cells = [f"K-{40000 + 7 * k}", f"{day.item():%d.%m.%Y}", "-" if rng.random() < 0.04 else amount(income)]
        cells += [f"{rate:.2f} %".replace(".", ","), str(rng.choice(["Zürich", "Bern", "Köln", "Lübeck"])), "EUR"]
        found.append([*cells, f"{words} {details}", recovered, "yes" if is_default else "no"])
    return found


def main() -> None:
    folder, rng = Path(sys.argv[1]), np.random.default_rng(7)
    lines = [["Loans of the branch", *[""] * 8], ["as of 31.12.2023", *[""] * 8], [""] * 9, HEADER]
    lines += rows(N_ROWS, 0, rng)
    text = "".join(";".join(line) + "\r\n" for line in lines)
    (folder / "loans.csv").write_bytes(text.encode("cp1252"))
    new = [HEADER[:7], *(row[:7] for row in rows(N_NEW, N_ROWS, rng))]
    (folder / "new_loans.csv").write_bytes("".join(";".join(line) + "\r\n" for line in new).encode("cp1252"))
    (folder / "loan_costs.csv").write_bytes(b"default;lend;refuse\r\nno;-450,00;0\r\nyes;4.000,00-1.200,00;0\r\n")


if __name__ == "__main__":
    main()
