//! Fields of unencrypted handshake messages that the carrier reads.
//!
//! ```text
//!  0        1       3       5              11       13
//! +--------+-------+-------+--------------+--------+---------------
//! |type 22 |version| epoch |  sequence    | length | message ...
//! +--------+-------+-------+--------------+--------+---------------
//!  13       14              17             19       25       27
//! +--------+---------------+--------------+--------+--------+------
//! | type   | length        | message_seq  | fragm. |version | random
//! +--------+---------------+--------------+--------+--------+------
//! ```

/// The record type of handshake messages (RFC 6347 §4.1).
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const HELLO_VERIFY_REQUEST: u8 = 3;

/// Bytes before the random of a ClientHello or ServerHello.
const RANDOM: usize = 27;

/// Random of a HelloRetryRequest, a ServerHello that requests another ClientHello (RFC 8446
/// §4.1.3).
const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// The record type of alerts.
const ALERT: u8 = 21;
/// The level of an alert that ends the connection.
const FATAL: u8 = 2;

/// Whether a datagram begins with an unencrypted record.
pub(super) fn is_in_the_clear(datagram: &[u8]) -> bool {
    matches!(datagram, [20..=HANDSHAKE, 254, _, 0, 0, ..])
}

/// Whether a datagram may be a server's first answer: an unencrypted HelloVerifyRequest,
/// ServerHello or alert. A message with a number other than 0 belongs to another handshake.
pub(super) fn is_answer(datagram: &[u8]) -> bool {
    let is_hello = matches!(message(datagram), Some(HELLO_VERIFY_REQUEST | SERVER_HELLO));
    matches!(datagram, [ALERT, 254, _, 0, 0, ..])
        || is_hello && datagram.get(17..19) == Some(&[0, 0])
}

/// Description of the unencrypted fatal alert at the start of a datagram.
pub(super) fn fatal_alert(datagram: &[u8]) -> Option<u8> {
    match datagram {
        [ALERT, 254, _, 0, 0, ..] if datagram.get(13) == Some(&FATAL) => datagram.get(14).copied(),
        _ => None,
    }
}

/// Type of the unencrypted handshake message at the start of a datagram.
fn message(datagram: &[u8]) -> Option<u8> {
    match datagram {
        [HANDSHAKE, 254, _, 0, 0, ..] => datagram.get(13).copied(),
        _ => None,
    }
}

/// Whether a datagram begins a handshake.
pub(super) fn is_client_hello(datagram: &[u8]) -> bool {
    message(datagram) == Some(CLIENT_HELLO)
}

/// The random of a ClientHello, from its first fragment.
pub(super) fn random(datagram: &[u8]) -> Option<[u8; 32]> {
    let first = datagram.get(19..22) == Some(&[0, 0, 0]);
    let random = datagram.get(RANDOM..RANDOM + 32)?;
    (is_client_hello(datagram) && first).then(|| random.try_into().ok())?
}

/// Whether a server's datagram asks the client to verify its address: a HelloVerifyRequest or a
/// HelloRetryRequest.
pub(super) fn asks_for_cookie(datagram: &[u8]) -> bool {
    match message(datagram) {
        Some(HELLO_VERIFY_REQUEST) => true,
        Some(SERVER_HELLO) => datagram.get(RANDOM..RANDOM + 32) == Some(&RETRY),
        _ => false,
    }
}
