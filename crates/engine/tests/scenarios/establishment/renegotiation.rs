//! A peer that announces different features in a collision after data was sent to it (RFC 9260
//! §5.2.4 B). The peer has none of that data.

use crate::prelude::*;

const MTU: usize = 1500;

fn interleaving() -> Options {
    quiet_but(|options| options.interleaving = Interleaving::On)
}

/// Supported Extensions: I-DATA.
fn lists_i_data() -> Parameter<'static> {
    parameter(&[0x80, 0x08, 0, 5, 64, 0, 0, 0])
}

/// Key-making parameters that ask for AUTH in front of DATA.
fn asks_for_proof_of_data() -> [Parameter<'static>; 3] {
    [
        Parameter::Random(&[9; 32]),
        Parameter::ChunkList(&[0]),
        Parameter::RequestedHmacs(List::from(&[3, 1])),
    ]
}

/// An engine that sent 4000 bytes to a peer without extensions, and then, in a collision, receives
/// a cookie made from an INIT with these parameters.
fn told_otherwise(options: Options, parameters: &[Parameter<'_>]) -> (World, Peer) {
    let (mut world, mut peer) = Peer::echoed(options);
    let before = peer.clone();
    peer.tag = Vtag(0x5eed_0002);
    peer.send_init(&mut world, parameters);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    let cookie = cookie_of(&answer);
    before.send(&mut world, &[Chunk::CookieAck]);
    world.run_for(ms(50));
    world.send(A, blob(0, 4000));
    assert!(!peer.expect(&mut world, ChunkType::DATA).data().is_empty());
    peer.listen(&mut world, ms(100));
    peer.echo_cookie(&mut world, &cookie);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    peer.seen -= 1;
    (world, peer)
}

/// The I-DATA chunks of a packet: TSN, MID, FSN, payload.
fn interleaved(packet: &Record) -> Vec<(Tsn, u32, u32, Vec<u8>)> {
    let chunks = packet.chunks().into_iter();
    let found = chunks.filter_map(|chunk| match chunk {
        Chunk::IData(data) => {
            let fsn = data.fsn().0;
            Some((data.tsn, data.mid.0, fsn, data.payload.to_vec()))
        }
        _ => None,
    });
    found.collect()
}

/// Checks that all the engine's data arrives as I-DATA from its first TSN on, followed by a second
/// message.
fn expect_interleaved(world: &mut World, peer: &mut Peer) {
    let packets = peer.listen(world, ms(100));
    let chunks: Vec<_> = packets.iter().flat_map(interleaved).collect();
    let tsns: Vec<Tsn> = chunks.iter().map(|chunk| chunk.0).collect();
    let expected: Vec<Tsn> = (0..3).map(|n| peer.engine_tsn.plus(n)).collect();
    assert_eq!(tsns, expected);
    let mut numbered = chunks.iter().zip(0..);
    assert!(numbered.all(|(chunk, n)| chunk.1 == 0 && chunk.2 == n));
    let payload: Vec<u8> = chunks.into_iter().flat_map(|chunk| chunk.3).collect();
    assert_eq!(payload, blob(0, 4000).payload);
    assert!(packets.iter().all(|packet| packet.data().is_empty()));
    assert!(packets.iter().all(|packet| packet.ip_len() <= MTU));
    peer.send_sack(world, 3);
    world.send(A, text(0, "the next"));
    let packets = peer.listen(world, ms(100));
    let mids = packets.iter().flat_map(interleaved).map(|it| it.1);
    let mids: Vec<u32> = mids.collect();
    assert_eq!(mids, [1]);
}

#[test]
fn data_sent_before_a_collision_is_fragmented_anew_as_i_data() {
    let (mut world, mut peer) = told_otherwise(interleaving(), &[lists_i_data()]);
    expect_interleaved(&mut world, &mut peer);
}

#[test]
fn data_sent_before_a_collision_is_fragmented_anew_beside_auth() {
    let options = quiet_but(|options| {
        options.authentication = Authentication::with_key(b"secret", ChunkSet::NONE);
    });
    let (mut world, mut peer) = told_otherwise(options, &asks_for_proof_of_data());
    let packets = peer.listen(&mut world, ms(100));
    let with_data = packets.iter().filter(|it| it.has(ChunkType::DATA));
    let with_data: Vec<_> = with_data.collect();
    assert!(with_data.iter().all(|packet| packet.has(ChunkType::AUTH)));
    assert!(with_data.iter().all(|packet| packet.ip_len() <= MTU));
    let data: Vec<_> = with_data.iter().flat_map(|packet| packet.data()).collect();
    assert_eq!(data[0].tsn, peer.engine_tsn);
    let payload: Vec<u8> = data.iter().flat_map(|data| data.payload.to_vec()).collect();
    assert_eq!(payload, blob(0, 4000).payload);
}
