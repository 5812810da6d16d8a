//! Ends that authenticate, and a scripted peer that authenticates.

use crate::prelude::*;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

/// The signature of a hand-made peer: the association shared key for HMAC-SHA-1.
pub(super) struct Hand {
    pub(super) association_key: Vec<u8>,
}

/// The secret that [`scripted`] gives the engine, of key id 1.
const SECRET: &[u8] = b"secret";
const RANDOM: [u8; 32] = [9; 32];

/// The options of an engine that asks for these chunks.
pub(super) fn options(chunks: ChunkSet) -> Options {
    quiet_but(|options| options.authentication = Authentication::with_key(SECRET, chunks))
}

/// Key-making parameters without padding.
pub(super) fn vector_of<'a>(parameters: impl Iterator<Item = Parameter<'a>>) -> Vec<u8> {
    use Parameter::{ChunkList, Random, RequestedHmacs};
    let mut vector = Vec::new();
    for parameter in parameters {
        if matches!(parameter, Random(_) | ChunkList(_) | RequestedHmacs(_)) {
            parameter.write(&mut vector);
        }
    }
    vector
}

/// An association with an engine that asks for these chunks; the peer asks for none.
pub(super) fn scripted(chunks: ChunkSet) -> (World, Peer, Hand) {
    let (mut world, mut peer) = Peer::before_listener(options(chunks));
    let ids = [1];
    let ours = [
        Parameter::Random(&RANDOM),
        Parameter::RequestedHmacs((&ids).into()),
    ];
    peer.send_init(&mut world, &ours);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    peer.learn(&answer);
    let theirs = answer.init().expect("an INIT ACK").parameters;
    let theirs = vector_of(theirs.iter().flatten());
    let ours = vector_of(ours.into_iter());
    // All vectors begin with the same byte: the longer one is the larger number.
    let mut vectors = [ours, theirs];
    vectors.sort_by_key(|vector| (vector.len(), vector.clone()));
    let hand = Hand {
        association_key: [SECRET, &vectors[0], &vectors[1]].concat(),
    };
    let cookie = cookie_of(&answer);
    let echo = Chunk::CookieEcho(CookieEcho { cookie: &cookie });
    if chunks.contains(ChunkType::COOKIE_ECHO) {
        let packet = hand.packet(&peer, &[echo]);
        peer.inject(&mut world, packet);
    } else {
        peer.send(&mut world, &[echo]);
    }
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    world.run_for(secs(1));
    peer.take(&world);
    (world, peer, hand)
}

impl Hand {
    /// An AUTH chunk with a right HMAC, and the chunks.
    pub(super) fn packet(&self, peer: &Peer, chunks: &[Chunk<'_>]) -> Vec<u8> {
        self.packet_with(peer, 1, 1, chunks)
    }

    /// Like [`Hand::packet`], with that key id and algorithm id in it.
    pub(super) fn packet_with(
        &self,
        peer: &Peer,
        key: u16,
        algorithm: u16,
        chunks: &[Chunk<'_>],
    ) -> Vec<u8> {
        let plain = peer.packet(chunks);
        let mut bytes = vec![15, 0, 0, 28];
        bytes.extend_from_slice(&key.to_be_bytes());
        bytes.extend_from_slice(&algorithm.to_be_bytes());
        bytes.extend_from_slice(&[0; 20]);
        bytes.extend_from_slice(&plain[12..]);
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.association_key).expect("any length");
        mac.update(&bytes);
        bytes[8..28].copy_from_slice(&mac.finalize().into_bytes());
        let mut packet = [&plain[..12], &bytes].concat();
        reseal(&mut packet);
        packet
    }
}

fn connect(world: &mut World, host: HostId, setup: &Setup) {
    let to = match host {
        A => calling_from_port(setup.z_addresses[0], &setup.a),
        _ => calling_from_port(setup.a_addresses[0], &setup.z),
    };
    let now = world.now();
    // If one end was faster, the association exists already.
    if let Ok(id) = world.endpoint(host).connect(now, to) {
        world.set_current(host, id);
    }
}

/// Both ends connect, one later than the other, and one packet is lost; both must end with one
/// working association.
#[track_caller]
pub(super) fn collide(setup: &Setup, lost: usize, after: Duration) {
    let mut world = setup.world();
    let mut nth = 0;
    world.when(Verdict::Drop, move |_| {
        nth += 1;
        nth == lost + 1
    });
    connect(&mut world, A, setup);
    world.run_for(after);
    connect(&mut world, Z, setup);
    world.run_for(secs(30));
    for host in [A, Z] {
        let where_ = format!("{host:?}, packet {lost}, {after:?} apart");
        assert_eq!(world.endpoint(host).stats().associations, 1, "{where_}");
        assert_eq!(world.assoc(host).phase(), Phase::Established, "{where_}");
    }
    world.send(A, text(0, "from A"));
    world.send(Z, text(0, "from Z"));
    world.run_for(secs(5));
    assert_eq!(world.texts(Z), ["from A"]);
    assert_eq!(world.texts(A), ["from Z"]);
}
