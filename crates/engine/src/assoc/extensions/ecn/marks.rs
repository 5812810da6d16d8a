use alloc::collections::BTreeMap;

use sheave_wire::Tsn;

use crate::congestion::Loss;
use crate::value::ids::PathIndex;

/// The ECN state of an association (RFC 3168 §6.1, RFC 4960 Appendix A).
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// The lowest TSN of the last marked packet, until the peer has answered it.
    echo: Option<Tsn>,
    received: u64,
    /// The TSN of the last ECNE, repeated in CWR.
    answer: Option<Tsn>,
    cuts: BTreeMap<PathIndex, Cuts>,
    cut: u64,
}

/// Up to which chunk a path's losses and marks have been answered.
#[derive(Clone, Copy, Debug, Default)]
struct Cuts {
    /// The first chunk not yet sent when a mark last cut the window.
    by_mark: u64,
    /// The first chunk not yet sent when a loss last cut the window.
    by_loss: u64,
}

/// Whether an echo of a mark was already in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkEcho {
    /// The echo starts with this mark.
    Begins,
    /// An echo was already in progress.
    GoesOn,
}

impl Marks {
    /// A marked packet arrived; `lowest` is the lowest TSN of its new DATA.
    ///
    /// The echo advances with each mark, so that a CWR for an earlier one does not end it.
    pub(crate) fn on_marked_packet(&mut self, lowest: Tsn) -> MarkEcho {
        self.received += 1;
        match self.echo {
            None => {
                self.echo = Some(lowest);
                MarkEcho::Begins
            }
            Some(echo) => {
                if lowest.is_after(echo) {
                    self.echo = Some(lowest);
                }
                MarkEcho::GoesOn
            }
        }
    }

    /// The TSN for the ECNE sent with each SACK, if any.
    pub(crate) const fn echo(&self) -> Option<Tsn> {
        self.echo
    }

    /// Resumes an echo imported from another endpoint.
    pub(crate) const fn resume(&mut self, echo: Tsn) {
        self.echo = Some(echo);
    }

    /// The peer answered all marks up to the TSN.
    pub(crate) fn on_cwr(&mut self, answered: Tsn) {
        if self.echo.is_some_and(|echo| !echo.is_after(answered)) {
            self.echo = None;
        }
    }

    /// The TSN for the next CWR.
    pub(crate) const fn answer(&self) -> Option<Tsn> {
        self.answer
    }

    /// The peer reports a mark on chunk `seq` with the TSN, sent on `path`; `next` is the first
    /// chunk never sent. Returns whether to cut the window: once per window of data, for losses and
    /// marks together (RFC 3168 §6.1.2).
    pub(crate) fn on_echo(&mut self, tsn: Tsn, path: PathIndex, seq: u64, next: u64) -> bool {
        self.answer = Some(tsn);
        let cuts = self.cuts.entry(path).or_default();
        let is_news = seq >= cuts.by_mark && seq >= cuts.by_loss;
        if is_news {
            cuts.by_mark = next;
            self.cut += 1;
        }
        is_news
    }

    /// Classifies a loss on `path` whose newest chunk precedes `below`; `None` if a mark has cut
    /// the window since that chunk was sent.
    pub(crate) fn loss(&self, path: PathIndex, below: u64) -> Option<Loss> {
        let cuts = self.cuts.get(&path).copied().unwrap_or_default();
        (below > cuts.by_mark).then_some(Loss::Unmarked)
    }

    /// A loss cut the window of `path`.
    pub(crate) fn on_loss_answered(&mut self, path: PathIndex, next: u64) {
        self.cuts.entry(path).or_default().by_loss = next;
    }

    /// The path with this number was removed.
    pub(crate) fn forget_path(&mut self, gone: PathIndex) {
        self.cuts.remove(&gone);
    }

    /// T3-rtx of `path` expired: this timeout counts, and so do later losses of retransmissions.
    pub(crate) fn on_timeout(&mut self, path: PathIndex, next: u64) {
        let cuts = Cuts {
            by_mark: 0,
            by_loss: next,
        };
        self.cuts.insert(path, cuts);
    }

    /// Number of marked packets received.
    pub(crate) const fn received(&self) -> u64 {
        self.received
    }

    /// Number of window cuts caused by marks.
    pub(crate) const fn cuts(&self) -> u64 {
        self.cut
    }
}

#[cfg(test)]
mod tests;
