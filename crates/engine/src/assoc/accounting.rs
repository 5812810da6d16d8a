/// The endpoint's records of an association.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Accounting {
    pub(crate) queued: Queued,
    pub(crate) birthplace: Birthplace,
    /// Number of paths whose addresses are routed to the association.
    pub(crate) routed: u8,
}

/// The endpoint at which an association was established.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Birthplace {
    #[default]
    Here,
    /// Another endpoint, whose cookies this one cannot open.
    Elsewhere,
}

/// Whether an association is in the endpoint's queue of possible senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Queued {
    #[default]
    No,
    Yes,
}
