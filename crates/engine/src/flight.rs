//! Chunks in flight, and what a SACK says of them: senders report it, paths and congestion controls
//! decide by it.

pub(crate) mod flow;
pub(crate) mod sent;
pub(crate) mod share;
