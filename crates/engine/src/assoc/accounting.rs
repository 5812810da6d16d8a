/// The endpoint's records of an association.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Accounting {
    pub(crate) queued: Queued,
    pub(crate) birthplace: Birthplace,
    /// Paths whose addresses lead to the association.
    pub(crate) routed: u8,
}

/// The endpoint that an association was set up at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Birthplace {
    #[default]
    Here,
    /// Another, whose cookies this one cannot open.
    Elsewhere,
}

/// Whether an association stands in the endpoint's queue of possible senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Queued {
    #[default]
    No,
    Yes,
}
