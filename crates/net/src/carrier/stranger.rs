//! The answers to a first packet of the other protocol: SCTP without DTLS at a port that wants DTLS
//! (RFC 8261), and DTLS at a port that has none. Without them the peer would wait until it gives up.

use sheave_wire::{Abort, Cause, Causes, Chunk, CommonHeader, Packet, PacketWriter, TagReflection};

use crate::dtls::WANTS_DTLS;

/// Bytes of the longest answer.
const LONGEST: usize = 128;

/// The alert `unexpected_message` (RFC 5246 §7.2.2), which is fatal, in a record without keys: a
/// port without DTLS answers with it.
pub(in crate::carrier) const NO_DTLS: [u8; 15] =
    [21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 10];

/// Whether a datagram that is no SCTP packet begins a handshake of DTLS.
pub(super) fn is_hello_of_dtls(datagram: &[u8]) -> bool {
    // A record of the handshake in epoch 0 that holds a ClientHello (RFC 6347 §4.1).
    let is_hello = matches!(datagram, [22, 254, _, 0, 0, _, _, _, _, _, _, _, _, 1, ..]);
    is_hello && !is_sctp(datagram)
}

/// The ABORT that answers an INIT without DTLS (RFC 9260 §5.1).
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
