"""The form of a congestion control in Python."""

from __future__ import annotations

from typing import Protocol

from sheave._sheave import Ack, NewPath

__all__ = ["CongestionControl"]


class CongestionControl(Protocol):
    """Decides how much may be in flight on one path; one is made for each path.

    It may also have `ssthresh`, the slow-start threshold in bytes, which statistics tell, and
    `on_mark(now)`, `on_idle(rtos)` and `on_pmdcs(pmdcs)`.
    """

    cwnd: float
    """Congestion window, bytes of DATA chunks, headers and padding included."""

    def __init__(self, path: NewPath) -> None: ...

    def on_ack(self, ack: Ack) -> object:
        """Data that was sent on this path was acknowledged; called before `on_loss`."""

    def on_loss(self, now: float, loss: str) -> object:
        """Data was lost: `"gap-reports"`, `"unmarked"` (the same beside ECN) or `"timeout"`."""
