"""How an amount of money is written."""

from __future__ import annotations


def money(dollars: float) -> str:
    """US dollars: to the cent from ten cents on, else to two digits that count."""
    if dollars >= 0.095 or dollars == 0:
        return f"${dollars:,.2f}"
    if dollars < 1e-4:
        return f"${dollars:.1e}"
    decimals = 3 if dollars >= 0.0095 else 4 if dollars >= 0.00095 else 5
    return f"${dollars:.{decimals}f}"
