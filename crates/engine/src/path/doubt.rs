//! Detection of paths that answer short packets but may lose full-size ones.

use alloc::boxed::Box;
use core::net::IpAddr;

use super::{HeartbeatProbe, Path};

/// Marks a path on which T3-rtx expired and no data sent on it was acknowledged since. If only long
/// packets are lost, the answer to a short heartbeat would clear the errors each time, and the path
/// would stay active forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Doubt;

/// The packet length of a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeartbeatLength {
    Short,
    /// Padded to the length of a full data packet (RFC 4820).
    Full,
}

impl Path {
    /// T3-rtx expired on this path, and other paths may deliver the data, or this one from another address.
    pub(crate) fn begin_doubt(&mut self) {
        self.extensions
            .put(|extensions| &mut extensions.doubt, Some(Box::new(Doubt)));
    }

    /// Data sent on this path was acknowledged, or a full-size packet was answered.
    pub(crate) fn end_doubt(&mut self) {
        self.extensions.take(|extensions| &mut extensions.doubt);
    }

    #[inline]
    pub(crate) fn is_doubtful(&self) -> bool {
        self.extensions
            .get(|extensions| &extensions.doubt)
            .is_some()
    }

    /// Length of the next heartbeat, if it leaves from `source`.
    pub(crate) fn heartbeat_length(&self, source: IpAddr) -> HeartbeatLength {
        match self.length_from(source) {
            Some(length) => length,
            None if self.is_doubtful() => HeartbeatLength::Full,
            None => HeartbeatLength::Short,
        }
    }

    /// Whether the answer to the heartbeat shows that the path delivers data.
    // DEVIATION RFC 9260 §8.3: the answer to a short heartbeat does not clear the errors of a path on
    // which data timed out.
    pub(crate) fn is_proved_by(&self, probe: &HeartbeatProbe) -> bool {
        probe.length == HeartbeatLength::Full || !self.is_doubtful()
    }
}
