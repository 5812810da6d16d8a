//! Numbers of the DTLS chunk that may still change, with the draft revisions that define them.

/// The draft of the chunk, its parameter and its causes.
pub const REVISION: &str = "draft-ietf-tsvwg-sctp-dtls-chunk-04";

/// The draft of key management by TLS 1.3.
pub const TLS_REVISION: &str = "draft-porfiri-tsvwg-sctp-dtls-handshake-01";

/// Type of the DTLS chunk (§4.2).
pub const CHUNK: u8 = 0x41;

/// Flag of a DTLS chunk whose record is protected by a restart key context (§4.2).
pub const RESTART_FLAG: u8 = 0x01;

/// Type of the parameter DTLS Key Management (§4.1).
pub const PARAMETER: u16 = 0x8006;

/// Bit of the parameter: the sender can act as the client of the key management (§4.1).
pub const CLIENT_BIT: u8 = 0x01;

/// Bit of the parameter: the sender can act as its server (§4.1).
pub const SERVER_BIT: u8 = 0x02;

/// Bit of the parameter: the sender can set up the association again under protection (§4.1).
pub const RESTART_BIT: u8 = 0x04;

/// Cause Missing DTLS Chunk Support (§4.3.1).
pub const MISSING_SUPPORT: u16 = 100;

/// Cause No Common DTLS Key Management Method (§4.3.2).
pub const NO_COMMON_METHOD: u16 = 101;

/// Cause DTLS Key Management Tie Breaker Collision (§4.3.3).
pub const TIE_BREAKER_COLLISION: u16 = 102;

/// Cause Incompatible DTLS Key Management Roles (§4.3.4).
pub const INCOMPATIBLE_ROLES: u16 = 103;

/// Payload protocol identifier of messages between key managers (§9.6).
pub const PPID: u32 = 4242;

/// Key management method: keys supplied by the user (§9.1).
pub const METHOD_PRE_SHARED: u8 = 0;

/// Key management method: TLS 1.3 in user messages (TLS draft, §10.1).
pub const METHOD_TLS: u8 = 192;

/// Exporter label for the keys of that method (TLS draft, §6.3).
pub const EXPORTER_LABEL: &[u8] = b"EXPORTER_TLS_FOR_DTLS_IN_SCTP";

/// The epoch of the first key context of an association (§3.1).
pub const FIRST_EPOCH: u64 = 3;

/// Most plaintext bytes in a record (§3.1).
pub const MAX_PLAINTEXT: usize = 1 << 14;
