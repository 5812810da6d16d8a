//! UDP headers.

use std::net::SocketAddr;

/// Bytes of the header.
pub(crate) const HEADER: usize = 8;

/// Header and payload of a UDP packet, without a checksum: flipped bits are left for the payload's
/// own checksums to detect.
pub(crate) fn write(source: SocketAddr, destination: SocketAddr, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend(header(source, destination, payload.len()));
    bytes.extend(payload);
    bytes
}

/// The payload of a packet between these two ports; `None` if the header says otherwise.
pub(crate) fn payload(source: SocketAddr, destination: SocketAddr, bytes: &[u8]) -> Option<&[u8]> {
    let (head, payload) = bytes.split_at_checked(HEADER)?;
    (head == header(source, destination, payload.len())).then_some(payload)
}

fn header(source: SocketAddr, destination: SocketAddr, len: usize) -> [u8; HEADER] {
    let [a, b] = source.port().to_be_bytes();
    let [c, d] = destination.port().to_be_bytes();
    let [e, f] = u16::try_from(HEADER + len).unwrap_or(0).to_be_bytes();
    [a, b, c, d, e, f, 0, 0]
}
