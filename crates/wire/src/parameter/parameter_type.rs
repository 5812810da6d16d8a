use core::fmt;

use crate::UnknownAction;

/// First two bytes of a parameter (RFC 9260 §3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParameterType(pub u16);

impl ParameterType {
    /// What a prober wants back.
    pub const HEARTBEAT_INFO: Self = Self(1);
    /// An IPv4 address of the sender.
    pub const IPV4_ADDRESS: Self = Self(5);
    /// An IPv6 address of the sender.
    pub const IPV6_ADDRESS: Self = Self(6);
    /// The State Cookie.
    pub const STATE_COOKIE: Self = Self(7);
    /// A parameter that was not recognized.
    pub const UNRECOGNIZED_PARAMETER: Self = Self(8);
    /// The wish for a longer cookie life.
    pub const COOKIE_PRESERVATIVE: Self = Self(9);
    /// A host name, no longer allowed.
    pub const HOST_NAME_ADDRESS: Self = Self(11);
    /// The address types that the sender can use.
    pub const SUPPORTED_ADDRESS_TYPES: Self = Self(12);
    /// The sender begins SSNs anew (RFC 6525 §4.1).
    pub const OUTGOING_SSN_RESET: Self = Self(13);
    /// The receiver shall begin SSNs anew (RFC 6525 §4.2).
    pub const INCOMING_SSN_RESET: Self = Self(14);
    /// SSNs and TSNs begin anew both ways (RFC 6525 §4.3).
    pub const SSN_TSN_RESET: Self = Self(15);
    /// The answer to such requests (RFC 6525 §4.4).
    pub const RE_CONFIG_RESPONSE: Self = Self(16);
    /// The sender wants more streams (RFC 6525 §4.5).
    pub const ADD_OUTGOING_STREAMS: Self = Self(17);
    /// The receiver shall ask for more streams (RFC 6525 §4.6).
    pub const ADD_INCOMING_STREAMS: Self = Self(18);
    /// Explicit congestion notification, reserved.
    pub const ECN_CAPABLE: Self = Self(0x8000);
    /// A checksum of zero is taken, and which error detection method makes up for it (RFC 9653
    /// §4).
    pub const ZERO_CHECKSUM_ACCEPTABLE: Self = Self(0x8001);

    /// The sender handles FORWARD TSN (RFC 3758 §3.1).
    pub const FORWARD_TSN_SUPPORTED: Self = Self(0xC000);

    /// The sender wants go-back-N; ours, for the data centre papers.
    pub const GO_BACK_N: Self = Self(0x9E01);
    /// The sender handles CHECKED DATA and CORRUPTION; ours, for the paper "chunk checksum".
    pub const CHUNK_CHECKSUM: Self = Self(0x9E02);

    /// What a receiver that does not know this type does with the parameter.
    #[must_use]
    pub const fn unknown_action(self) -> UnknownAction {
        let [high, _] = self.0.to_be_bytes();
        UnknownAction::from_high_bits(high >> 6)
    }

    const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::HEARTBEAT_INFO => "Heartbeat Info",
            Self::IPV4_ADDRESS => "IPv4",
            Self::IPV6_ADDRESS => "IPv6",
            Self::STATE_COOKIE => "State Cookie",
            Self::UNRECOGNIZED_PARAMETER => "Unrecognized Parameter",
            Self::COOKIE_PRESERVATIVE => "Cookie Preservative",
            Self::HOST_NAME_ADDRESS => "Host Name",
            Self::SUPPORTED_ADDRESS_TYPES => "Supported Address Types",
            Self::OUTGOING_SSN_RESET => "Outgoing SSN Reset",
            Self::INCOMING_SSN_RESET => "Incoming SSN Reset",
            Self::SSN_TSN_RESET => "SSN/TSN Reset",
            Self::RE_CONFIG_RESPONSE => "Re-configuration Response",
            Self::ADD_OUTGOING_STREAMS => "Add Outgoing Streams",
            Self::ADD_INCOMING_STREAMS => "Add Incoming Streams",
            Self::ECN_CAPABLE => "ECN Capable",
            Self::ZERO_CHECKSUM_ACCEPTABLE => "Zero Checksum Acceptable",
            Self::FORWARD_TSN_SUPPORTED => "Forward TSN Supported",
            Self::GO_BACK_N => "Go-Back-N",
            Self::CHUNK_CHECKSUM => "Chunk Checksum",
            _ => return None,
        })
    }
}

/// The RFC's name, or the number of a type that has none here.
impl fmt::Display for ParameterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "parameter type 0x{:04x}", self.0),
        }
    }
}
