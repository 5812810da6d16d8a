//! Trains: what the kernel gave to a watcher before it cut it into packets.
//!
//! With UDP segmentation offload a program hands several SCTP packets of one size to the kernel in
//! one piece, and a capture on the sending machine shows the piece as one datagram. The packets
//! are found again by their headers and checksums.

use sheave_wire::{CommonHeader, Packet};

/// Places that are tried for the end of the first packet; bounds the work on hostile bytes.
const MAX_TRIES: usize = 16;
/// Ports and tag, the same in each packet of a train.
const MARK: usize = 8;

/// Splits the payload of a UDP datagram into packets; one that is no train stays whole.
pub fn split(bytes: &[u8]) -> Vec<&[u8]> {
    match stride(bytes) {
        Some(stride) => bytes.chunks(stride).collect(),
        None => vec![bytes],
    }
}

/// The size of the first packet of a train.
fn stride(bytes: &[u8]) -> Option<usize> {
    let is_packet =
        |bytes| Packet::parse(bytes).is_ok_and(|packet: Packet<'_>| packet.checksum_is_valid());
    if bytes.len() < 2 * CommonHeader::LEN || is_packet(bytes) {
        return None;
    }
    let mark = bytes.get(..MARK)?;
    // Packets of a train are padded to four bytes like all others.
    let starts = (CommonHeader::LEN + 4..bytes.len()).step_by(4);
    let begins = |at: &usize| bytes.get(*at..*at + MARK) == Some(mark);
    starts
        .filter(begins)
        .take(MAX_TRIES)
        .find(|&at| is_packet(&bytes[..at]))
}

#[cfg(test)]
mod tests;
