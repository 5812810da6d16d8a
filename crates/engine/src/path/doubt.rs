//! Doubt about a path that answers short packets, and may lose those that data needs.

use alloc::boxed::Box;

use super::{HeartbeatProbe, Path};

/// Doubt whether a path delivers data: T3-rtx expired there, and nothing that was sent there was
/// acknowledged since. Where only long packets get lost, the answer to a short heartbeat would clear
/// the errors each time, and the path would stay active for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Doubt;

/// The length of the packet of a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeartbeatLength {
    Short,
    /// As long as a packet with data, with padding (RFC 4820).
    Full,
}

impl Path {
    /// T3-rtx expired here, and other paths may deliver what this one does not.
    pub(crate) fn begin_doubt(&mut self) {
        self.extensions
            .put(|extensions| &mut extensions.doubt, Some(Box::new(Doubt)));
    }

    /// Data that was sent here was acknowledged, or a packet as long as its packets was answered.
    pub(crate) fn end_doubt(&mut self) {
        self.extensions.take(|extensions| &mut extensions.doubt);
    }

    #[inline]
    pub(crate) fn is_doubtful(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.doubt)
            .is_some()
    }

    /// The length of the next heartbeat.
    pub(crate) fn heartbeat_length(&self) -> HeartbeatLength {
        match self.is_doubtful() {
            true => HeartbeatLength::Full,
            false => HeartbeatLength::Short,
        }
    }

    /// Whether the answer to that heartbeat shows that the path delivers data.
    // DEVIATION RFC 9260 §8.3: the answer to a short heartbeat does not clear the errors of a path on
    // which data timed out.
    pub(crate) fn is_proved_by(&self, probe: &HeartbeatProbe) -> bool {
        probe.length == HeartbeatLength::Full || !self.is_doubtful()
    }
}
