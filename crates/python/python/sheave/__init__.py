"""Sheave: SCTP, and the laboratory that measures it (`sheave.lab`)."""

from sheave._sheave import __version__

__all__ = ["__version__"]
