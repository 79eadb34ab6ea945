"""The papers that name several metrics, as the registry cites them."""

__all__ = ["CARUANA", "CHAWLA", "NIELSEN", "WITTEN", "ZADROZNY"]

CARUANA = "Caruana & Niculescu-Mizil 2006"
CHAWLA = "Chawla & Cieslak 2006"
NIELSEN = "Nielsen 2004"
WITTEN = "Witten, Frank & Hall 2011"
ZADROZNY = "Zadrozny & Elkan 2001"
