use sheave_wire::Vtag;

use crate::outbound::Complete;

/// Data that left with a stale cookie under a peer's tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaleData {
    pub(super) tag: Vtag,
    /// What becomes of whole messages if the peer begins anew.
    pub(super) complete: Complete,
}

/// Fate of chunks that left with a stale cookie, once the peer answers again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlyChunks {
    /// No cookie was stale.
    None,
    /// The peer has kept its tag, so that late copies may still be accepted: they are retransmitted
    /// as they are, since chunks of the same TSNs that are cut otherwise would mix with them.
    Kept,
    /// The peer has another tag or agreement, so that no copy is accepted any more.
    CutAgain(Complete),
}

impl EarlyChunks {
    /// The fate if the peer answers with `tag` and agrees on the same as before, or not.
    pub(super) fn of(data: Option<StaleData>, tag: Vtag, agrees: bool) -> Self {
        match data {
            None => Self::None,
            Some(data) if data.tag == tag && agrees => Self::Kept,
            Some(data) => Self::CutAgain(data.complete),
        }
    }
}
