use alloc::collections::BTreeSet;

use sheave_wire::Vtag;

/// Tags of exported associations. Their packets may still arrive here, and answering these with an
/// ABORT would end the association at its new endpoint.
///
/// Kept for the life of the endpoint, since the last packet may come at any time.
#[derive(Clone, Debug, Default)]
pub(super) struct ExportedTags {
    tags: BTreeSet<Vtag>,
}

impl ExportedTags {
    pub(super) fn add(&mut self, tag: Vtag) {
        self.tags.insert(tag);
    }

    /// Removes the tag of an association that was imported back.
    pub(super) fn forget(&mut self, tag: Vtag) {
        self.tags.remove(&tag);
    }

    pub(super) fn contains(&self, tag: Vtag) -> bool {
        !self.tags.is_empty() && self.tags.contains(&tag)
    }
}
