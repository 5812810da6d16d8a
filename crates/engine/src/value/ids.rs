/// Names an association of one endpoint; never reused for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AssocId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// Numbers the paths of one association, in the order of the peer's addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathIndex(pub(crate) u8);
