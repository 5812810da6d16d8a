mod model;

use arbitrary::{Arbitrary, Unstructured};
use model::PacketModel;
use sheave_wire::{Packet, PacketWriter};

/// Draws a packet from `bytes`, writes it, and asserts that reading it gives the same packet.
pub(crate) fn wire_roundtrip(bytes: &[u8]) {
    let Ok(model) = PacketModel::arbitrary(&mut Unstructured::new(bytes)) else {
        return;
    };
    if model.chunks.is_empty() {
        return;
    }

    let mut written = Vec::new();
    let mut writer = PacketWriter::new(&mut written, model.header(), usize::MAX);
    for chunk in model.chunks.iter() {
        chunk.with_chunk(|chunk| {
            assert!(writer.fits(chunk));
            let before = writer.len();
            writer.push(chunk);
            assert_eq!(
                writer.len() - before,
                chunk.encoded_len().next_multiple_of(4)
            );
        });
    }
    writer.finish();

    let packet = Packet::parse(&written).expect("a packet that was written");
    assert_eq!(packet.header, model.header());
    assert!(packet.checksum_is_valid());
    assert_eq!(packet.to_string().lines().count(), 1 + model.chunks.len());
    let mut read = packet.chunks();
    for chunk in model.chunks.iter() {
        chunk.with_chunk(|chunk| assert_eq!(read.next(), Some(Ok(*chunk))));
    }
    assert_eq!(read.next(), None);
}
