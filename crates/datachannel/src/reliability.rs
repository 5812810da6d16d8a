use core::time::Duration;

/// The limit of the effort to deliver the messages of a channel (RFC 8832 §5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reliability {
    /// Every message arrives, or the association ends.
    #[default]
    Reliable,
    /// A message is given up rather than sent again more often: `maxRetransmits` of the W3C.
    Retransmissions(u32),
    /// A message is given up after that long: `maxPacketLifeTime` of the W3C. Travels as whole
    /// milliseconds, 2^32 - 1 at most.
    Lifetime(Duration),
}

impl Reliability {
    /// The limit as the engine has it. It counts to 255 retransmissions, which no association lives
    /// to see of one chunk.
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
