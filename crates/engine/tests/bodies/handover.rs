//! An exported association that a fuzzer's bytes have edited, and what becomes of it.
//!
//! Whatever the bytes say, nothing may panic, memory must stay within the options, and every loop
//! must end.

#[allow(dead_code, unused_imports, reason = "the scenarios use the rest")]
#[path = "../scenarios/world/mod.rs"]
mod world;

use core::time::Duration;

use sheave_engine::wire::ChunkType;
use sheave_engine::{
    AddressChanges, Authentication, ChunkSet, ExplicitCongestion, Heartbeats, Interleaving,
    Options, PeerRequests, Profile, Reconfiguration, SendOptions,
};

use world::{A, HostId, Setup, World, Z, blob, secs};

const MEMORY: usize = 200_000;

/// The first byte chooses the options; a second one whether an export is edited or the rest of the
/// bytes stand behind its first five. Edits are a place of two bytes and a new byte.
pub(crate) fn handover(bytes: &[u8]) {
    let [choice, kind, rest @ ..] = bytes else {
        return;
    };
    let mut setup = Setup::with(options(*choice)).paths(2);
    setup.endpoints.max_memory = MEMORY;
    // Heartbeats are answered at once, so that the association is quiet after two seconds.
    setup.link.delay = Duration::ZERO;
    let mut world = setup.established();
    // An edited path may be encapsulated.
    for host in [A, Z] {
        world.set_udp(host, Some(9899));
        send(&mut world, host);
    }
    settle(&mut world);
    let id = world.id(Z);
    let exported = world.endpoint(Z).export(id);
    let mut exported = exported.expect("it is quiet");
    if kind & 1 == 0 {
        for edit in rest.chunks_exact(3) {
            let place = usize::from(u16::from_be_bytes([edit[0], edit[1]])) % exported.len();
            exported[place] = edit[2];
        }
    } else {
        exported.truncate(5);
        exported.extend_from_slice(rest);
    }
    let mut fresh = setup.engine(&mut world, &setup.z_addresses);
    if let Ok(id) = fresh.import(world.now(), &exported, setup.z.clone()) {
        world.reboot(Z, fresh);
        world.set_current(Z, id);
        // A minute of the association that was imported.
        for round in 0..30 {
            send(&mut world, [A, Z][round & 1]);
            settle(&mut world);
        }
    }
}

fn options(choice: u8) -> Options {
    let mut options = Options {
        heartbeats: Heartbeats::Every(secs(1)),
        send_buffer: 20_000,
        receive_buffer: 16_384,
        association_max_retrans: 3,
        path_max_retrans: 1,
        outbound_streams: 4,
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        ..Profile::Rfc9260.options()
    };
    if choice & 1 != 0 {
        options.interleaving = Interleaving::On;
    }
    if choice & 2 != 0 {
        let chunks = ChunkSet::of([ChunkType::DATA]);
        options.authentication = Authentication::with_key("secret", chunks);
        options.address_changes = AddressChanges::On;
    }
    if choice & 4 != 0 {
        options.ecn = ExplicitCongestion::On;
    }
    options
}

fn send(world: &mut World, host: HostId) {
    if world.is_open(host) {
        // A peer that is lost takes no more.
        let _ = world.try_send(host, blob(1, 3000), SendOptions::default());
    }
}

/// Two seconds in which all packets arrive.
fn settle(world: &mut World) {
    let until = world.now() + secs(2);
    while world.step(until) {
        for host in [A, Z] {
            assert!(world.endpoint(host).stats().buffered <= MEMORY + 65_536);
        }
    }
}
