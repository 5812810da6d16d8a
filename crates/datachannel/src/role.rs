use sheave_wire::StreamId;

/// Role in the DTLS handshake; decides which stream ids an end may choose (RFC 8832 §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// DTLS client: chooses even ids.
    Client,
    /// DTLS server: chooses odd ids.
    Server,
}

impl Role {
    /// The role of the other end.
    #[must_use]
    pub const fn peer(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// The lowest id that this role may choose.
    pub(crate) const fn first(self) -> u16 {
        match self {
            Self::Client => 0,
            Self::Server => 1,
        }
    }

    /// Whether this role may choose the id.
    pub(crate) const fn may_take(self, stream: StreamId) -> bool {
        stream.0 % 2 == self.first() && stream.0 <= MAX_STREAM
    }
}

/// The highest stream id; 65,535 is unused, since an association has at most 65,535 streams.
pub(crate) const MAX_STREAM: u16 = u16::MAX - 1;
