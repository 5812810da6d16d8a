use core::time::Duration;

/// Limit of the effort to deliver a channel's messages (RFC 8832 §5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reliability {
    /// Reliable: every message arrives unless the association ends.
    #[default]
    Reliable,
    /// Most retransmissions before a message is abandoned: the W3C's `maxRetransmits`.
    Retransmissions(u32),
    /// Time after which a message is abandoned: the W3C's `maxPacketLifeTime`. Transmitted in whole
    /// milliseconds, at most 2^32 - 1.
    Lifetime(Duration),
}

impl Reliability {
    /// The limit in the engine's terms. The engine counts up to 255 retransmissions, more than any
    /// association survives for one chunk.
    pub(crate) fn of_engine(self) -> sheave_engine::Reliability {
        match self {
            Self::Reliable => sheave_engine::Reliability::Reliable,
            Self::Retransmissions(most) => {
                let most = u8::try_from(most).unwrap_or(u8::MAX);
                sheave_engine::Reliability::Retransmissions(most)
            }
            Self::Lifetime(lifetime) => sheave_engine::Reliability::Timed(lifetime),
        }
    }
}
