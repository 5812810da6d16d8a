//! Answers to peers that use the wrong protocol: SCTP without DTLS at a DTLS port (RFC 8261), and
//! DTLS at a port without it. Without an answer, the peer would wait until it times out.

use sheave_wire::{Abort, Cause, Causes, Chunk, CommonHeader, Packet, PacketWriter, TagReflection};

use crate::dtls::WANTS_DTLS;

/// Size of the longest answer, bytes.
const LONGEST: usize = 128;

/// Unencrypted record with the fatal alert `unexpected_message` (RFC 5246 §7.2.2), sent by a port
/// without DTLS.
pub(in crate::carrier) const NO_DTLS: [u8; 15] =
    [21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 10];

/// Whether a datagram begins a DTLS handshake and is not an SCTP packet.
pub(super) fn is_hello_of_dtls(datagram: &[u8]) -> bool {
    // Handshake record in epoch 0 with a ClientHello (RFC 6347 §4.1).
    let is_hello = matches!(datagram, [22, 254, _, 0, 0, _, _, _, _, _, _, _, _, 1, ..]);
    is_hello && !is_sctp(datagram)
}

/// ABORT in answer to an INIT without DTLS (RFC 9260 §5.1).
#[cfg_attr(
    not(feature = "dtls"),
    expect(dead_code, reason = "no port wants DTLS")
)]
pub(super) fn refusal_of_init(datagram: &[u8]) -> Option<Vec<u8>> {
    let packet = Packet::parse(datagram).ok().filter(|_| is_sctp(datagram))?;
    let header = packet.header;
    let init = match packet.chunks().next()? {
        Ok(Chunk::Init(init)) if header.vtag.0 == 0 && init.initiate_tag.0 != 0 => init,
        _ => return None,
    };
    let header = CommonHeader {
        source_port: header.destination_port,
        destination_port: header.source_port,
        vtag: init.initiate_tag,
    };
    let causes = [Cause::UserInitiatedAbort(WANTS_DTLS.as_bytes())];
    let mut answer = Vec::with_capacity(LONGEST);
    let mut writer = PacketWriter::new(&mut answer, header, LONGEST);
    writer.push(&Chunk::Abort(Abort {
        reflected: TagReflection::Own,
        causes: Causes::from(&causes),
    }));
    writer.finish();
    Some(answer)
}

fn is_sctp(datagram: &[u8]) -> bool {
    Packet::parse(datagram).is_ok_and(|packet| packet.checksum_is_valid())
}
