use alloc::collections::BTreeSet;

use sheave_wire::Vtag;

/// The tags of associations that live elsewhere now. Their packets may still come here, and an
/// ABORT for a packet out of the blue would end what goes on elsewhere.
///
/// They are kept as long as the endpoint: there is no telling when the last packet comes.
#[derive(Clone, Debug, Default)]
pub(super) struct ExportedTags {
    tags: BTreeSet<Vtag>,
}

impl ExportedTags {
    pub(super) fn add(&mut self, tag: Vtag) {
        self.tags.insert(tag);
    }

    /// Removes a tag whose association has come back.
    pub(super) fn forget(&mut self, tag: Vtag) {
        self.tags.remove(&tag);
    }

    pub(super) fn contains(&self, tag: Vtag) -> bool {
        !self.tags.is_empty() && self.tags.contains(&tag)
    }
}
