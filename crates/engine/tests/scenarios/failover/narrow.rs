//! Failover to a path with a smaller MTU, without ICMP (RFC 8899 §4.3).

use crate::prelude::*;

use super::time_until;

/// Path 1 has an MTU of 1500 bytes, path 2 of 1400; longer packets are silently lost, or fragmented
/// if permitted.
fn narrow_second_path(options: Options, oversize: Oversize) -> World {
    let mut setup = Setup::with(Options {
        path_mtu_discovery: PathMtuDiscovery::Plpmtud { max: 1500 },
        ..options
    })
    .paths(2);
    setup.link.oversize = oversize;
    let mut world = setup.confirmed();
    for (from, to) in [(A, Z), (Z, A)] {
        world.edit_link(address(from, 2), address(to, 2), |link| link.mtu = 1400);
    }
    world
}

/// Delivery time of 40 messages sent when the first path dies.
fn deliver_forty(world: &mut World) -> Option<Duration> {
    let before = world.messages(Z).len();
    world.cut_path(1);
    for n in 0..40 {
        world.send(A, blob(n % 10, 4000));
    }
    time_until(world, secs(600), |world| {
        world.messages(Z).len() == before + 40
    })
}

/// After a first flow, or with messages that are already too long: those go in fragments.
#[test]
fn data_flows_on_a_narrower_path_after_the_wide_one_died() {
    // Profile Rfc9260 leaves the first path after 63 s.
    let limits = [
        (Profile::Rfc9260, 66),
        (Profile::Modern, 5),
        (Profile::Telecom, 5),
    ];
    for (profile, limit) in limits {
        for (oversize, before) in [(Oversize::Lost, 50), (Oversize::Fragmented, 0)] {
            let mut world = narrow_second_path(profile.options(), oversize);
            world.send_every(A, ms(100), before, &blob(0, 4000));
            let took = deliver_forty(&mut world);
            assert!(
                took.is_some_and(|took| took < secs(limit)),
                "{profile:?}, {before}: {took:?}"
            );
        }
    }
}
