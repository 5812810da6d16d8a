//! Chunks in flight and the effect of SACKs on them: reported by the sender, used by paths and
//! congestion controls.

pub(crate) mod flow;
pub(crate) mod sent;
pub(crate) mod share;
