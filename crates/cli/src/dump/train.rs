//! Splits UDP datagrams that were captured before segmentation.
//!
//! With UDP segmentation offload, a program passes several SCTP packets of one size to the kernel
//! at once, and a capture on the sending machine shows them as one datagram. Headers and checksums
//! reveal the packet boundaries.

use sheave_wire::{CommonHeader, Packet};

/// Most candidate positions for the end of the first packet; bounds the work on hostile input.
const MAX_TRIES: usize = 16;
/// Size of ports and tag, which are the same in every packet.
const MARK: usize = 8;

/// Splits a UDP payload into packets; returns it unchanged if it is a single packet.
pub fn split(bytes: &[u8]) -> Vec<&[u8]> {
    match stride(bytes) {
        Some(stride) => bytes.chunks(stride).collect(),
        None => vec![bytes],
    }
}

/// The size of the first of several packets.
fn stride(bytes: &[u8]) -> Option<usize> {
    let is_packet =
        |bytes| Packet::parse(bytes).is_ok_and(|packet: Packet<'_>| packet.checksum_is_valid());
    if bytes.len() < 2 * CommonHeader::LEN || is_packet(bytes) {
        return None;
    }
    let mark = bytes.get(..MARK)?;
    // SCTP packets are padded to four bytes.
    let starts = (CommonHeader::LEN + 4..bytes.len()).step_by(4);
    let begins = |at: &usize| bytes.get(*at..*at + MARK) == Some(mark);
    starts
        .filter(begins)
        .take(MAX_TRIES)
        .find(|&at| is_packet(&bytes[..at]))
}

#[cfg(test)]
mod tests;
