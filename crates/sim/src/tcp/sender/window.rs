/// The peer's window, and the segment that announced it (RFC 9293 §3.3.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendWindow {
    /// First position beyond the window.
    edge: u64,
    /// The largest window offered so far, bytes.
    largest: u64,
    /// Position of the segment of the last update (SND.WL1).
    wl1: u64,
    /// Acknowledgement number of the segment of the last update (SND.WL2).
    wl2: u64,
}

/// Whether a segment changed the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    Yes,
    No,
}

impl SendWindow {
    // RFC 9293 §3.10.7.4: an old segment must not restore an old window.
    pub(super) fn update(&mut self, seq: u64, ack: u64, window: u64) -> Moved {
        if (seq, ack) < (self.wl1, self.wl2) {
            return Moved::No;
        }
        let edge = ack + window;
        let moved = if edge == self.edge {
            Moved::No
        } else {
            Moved::Yes
        };
        self.edge = edge;
        self.largest = self.largest.max(window);
        self.wl1 = seq;
        self.wl2 = ack;
        moved
    }

    /// First position beyond the window.
    pub(super) const fn edge(&self) -> u64 {
        self.edge
    }

    /// The largest window offered so far, bytes.
    pub(super) const fn largest(&self) -> u64 {
        self.largest
    }
}
