use sheave_wire::Vtag;

use crate::outbound::Complete;

/// Data that left with a stale cookie under a peer's tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaleData {
    pub(super) tag: Vtag,
    /// Fate of whole messages if the peer begins anew.
    pub(super) complete: Complete,
}

impl StaleData {
    /// Whether the chunks are retransmitted as they are, since late copies may still be accepted by
    /// a peer that answers with its earlier `tag` and `agrees` on the same: chunks of the same TSNs
    /// that are cut otherwise would mix with them.
    pub(super) fn is_kept(self, tag: Vtag, agrees: bool) -> bool {
        self.tag == tag && agrees
    }
}
