//! SCTP alone beside other stacks, with either end calling. The tests are made of `interop/peers.toml`, one of each
//! stack, feature and role; where a feature is an act of one end, the end that calls acts.

mod memory;
mod program;

use sheave_engine::{ConcurrentTransfer, Multipath, Options, Profile, ZeroChecksum};
use sheave_interop::Side;
use sheave_interop::table::{Reach, Table};

include!(concat!(env!("OUT_DIR"), "/plain.rs"));

/// Tries a feature with a stack, in one role.
fn run(stack: &str, feature: &str, caller: Side) {
    let table = Table::read();
    let peer = table.stack(stack).plain.as_ref();
    let peer = peer.expect("it is a peer of SCTP alone");
    match peer.reached {
        Reach::Memory => memory::run(stack, feature, caller),
        Reach::Udp | Reach::Dtls => program::run(peer, feature, caller),
        Reach::Kernel => panic!("the tests of {stack} are written by hand"),
    }
}

const PROFILES: [Profile; 4] = [
    Profile::Rfc9260,
    Profile::Linux,
    Profile::Telecom,
    Profile::Datacenter,
];

fn for_several_paths(options: Options) -> Options {
    Options {
        multipath: Multipath::Concurrent(ConcurrentTransfer::default()),
        ..options
    }
}

fn without_checksums(options: Options) -> Options {
    Options {
        zero_checksum: ZeroChecksum::Dtls,
        ..options
    }
}
