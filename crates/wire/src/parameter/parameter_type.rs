use core::fmt;

use crate::{UnknownAction, dtls};

/// First two bytes of a parameter (RFC 9260 §3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParameterType(pub u16);

impl ParameterType {
    /// Information that the peer returns unchanged.
    pub const HEARTBEAT_INFO: Self = Self(1);
    /// An IPv4 address of the sender.
    pub const IPV4_ADDRESS: Self = Self(5);
    /// An IPv6 address of the sender.
    pub const IPV6_ADDRESS: Self = Self(6);
    /// The State Cookie.
    pub const STATE_COOKIE: Self = Self(7);
    /// A parameter that was not recognized.
    pub const UNRECOGNIZED_PARAMETER: Self = Self(8);
    /// A request for a longer cookie life.
    pub const COOKIE_PRESERVATIVE: Self = Self(9);
    /// A host name, no longer allowed.
    pub const HOST_NAME_ADDRESS: Self = Self(11);
    /// The address types that the sender supports.
    pub const SUPPORTED_ADDRESS_TYPES: Self = Self(12);
    /// The sender resets its outgoing streams (RFC 6525 §4.1).
    pub const OUTGOING_SSN_RESET: Self = Self(13);
    /// The receiver is asked to reset its outgoing streams (RFC 6525 §4.2).
    pub const INCOMING_SSN_RESET: Self = Self(14);
    /// Resets all SSNs and TSNs in both directions (RFC 6525 §4.3).
    pub const SSN_TSN_RESET: Self = Self(15);
    /// The answer to such requests (RFC 6525 §4.4).
    pub const RE_CONFIG_RESPONSE: Self = Self(16);
    /// The sender asks for more outgoing streams (RFC 6525 §4.5).
    pub const ADD_OUTGOING_STREAMS: Self = Self(17);
    /// The receiver is asked to request more outgoing streams (RFC 6525 §4.6).
    pub const ADD_INCOMING_STREAMS: Self = Self(18);
    /// Explicit congestion notification, reserved.
    pub const ECN_CAPABLE: Self = Self(0x8000);
    /// The sender accepts a checksum of zero with this error detection method (RFC 9653 §4).
    pub const ZERO_CHECKSUM_ACCEPTABLE: Self = Self(0x8001);

    /// The random number of the sender's key vector (RFC 4895 §3.1).
    pub const RANDOM: Self = Self(0x8002);
    /// The chunk types that the sender accepts only authenticated (RFC 4895 §3.2).
    pub const CHUNK_LIST: Self = Self(0x8003);
    /// The HMAC algorithms that the sender accepts (RFC 4895 §3.3).
    pub const REQUESTED_HMACS: Self = Self(0x8004);
    /// The chunk types beyond RFC 9260 that the sender supports (RFC 5061 §4.2.7).
    pub const SUPPORTED_EXTENSIONS: Self = Self(0x8008);
    /// Adds an address of the sender (RFC 5061 §4.2.1).
    pub const ADD_IP_ADDRESS: Self = Self(0xC001);
    /// Deletes an address of the sender (RFC 5061 §4.2.2).
    pub const DELETE_IP_ADDRESS: Self = Self(0xC002);
    /// A failed change, with the cause (RFC 5061 §4.2.3).
    pub const ERROR_CAUSE_INDICATION: Self = Self(0xC003);
    /// Makes an address of the sender the primary destination (RFC 5061 §4.2.4).
    pub const SET_PRIMARY_ADDRESS: Self = Self(0xC004);
    /// A successful change (RFC 5061 §4.2.5).
    pub const SUCCESS_INDICATION: Self = Self(0xC005);
    /// Adaptation layer indication (RFC 5061 §4.2.6).
    pub const ADAPTATION_LAYER_INDICATION: Self = Self(0xC006);
    /// Meaningless bytes that lengthen an INIT (RFC 4820 §4).
    pub const PADDING: Self = Self(0x8005);

    /// The sender's key management methods for DTLS chunks (draft-ietf-tsvwg-sctp-dtls-chunk).
    pub const DTLS_KEY_MANAGEMENT: Self = Self(dtls::PARAMETER);
    /// The sender supports FORWARD TSN (RFC 3758 §3.1).
    pub const FORWARD_TSN_SUPPORTED: Self = Self(0xC000);

    /// The sender offers go-back-N; private type, for the data centre papers.
    pub const GO_BACK_N: Self = Self(0x9E01);
    /// The sender supports CHECKED DATA and CORRUPTION; private type, for the paper "chunk
    /// checksum".
    pub const CHUNK_CHECKSUM: Self = Self(0x9E02);
    /// The sender accepts an initial window of data before COOKIE ACK; private type.
    pub const EARLY_WINDOW: Self = Self(0x9E04);

    /// Treatment of the parameter by a receiver that does not know this type.
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
            Self::RANDOM => "Random",
            Self::CHUNK_LIST => "Chunk List",
            Self::REQUESTED_HMACS => "Requested HMACs",
            Self::SUPPORTED_EXTENSIONS => "Supported Extensions",
            Self::ADD_IP_ADDRESS => "Add IP Address",
            Self::DELETE_IP_ADDRESS => "Delete IP Address",
            Self::ERROR_CAUSE_INDICATION => "Error Cause Indication",
            Self::SET_PRIMARY_ADDRESS => "Set Primary Address",
            Self::SUCCESS_INDICATION => "Success Indication",
            Self::ADAPTATION_LAYER_INDICATION => "Adaptation Layer Indication",
            Self::DTLS_KEY_MANAGEMENT => "DTLS Key Management",
            Self::PADDING => "Padding",
            Self::FORWARD_TSN_SUPPORTED => "Forward TSN Supported",
            Self::GO_BACK_N => "Go-Back-N",
            Self::CHUNK_CHECKSUM => "Chunk Checksum",
            Self::EARLY_WINDOW => "Early Window",
            _ => return None,
        })
    }
}

/// Prints the RFC's name, or the number of an unknown type.
impl fmt::Display for ParameterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "parameter type 0x{:04x}", self.0),
        }
    }
}
