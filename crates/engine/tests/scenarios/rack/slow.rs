//! Spurious timeouts: the packets in flight were only delayed.

use crate::prelude::*;

use super::{FULL, rack, send};

/// RTO.Min 200 ms, 50 Mbit/s, and 20 ms there and back.
fn world(timeouts: SpuriousTimeouts) -> World {
    let mut setup = Setup::quiet(|options| {
        rack(options);
        options.congestion = CongestionAlgorithm::Cubic;
        options.rto_min = ms(200);
        options.max_burst = None;
        options.spurious_timeouts = timeouts;
    });
    setup.link.rate = Some(50_000_000);
    setup.established()
}

/// Sends for a while, then sets the delay to Z to `delay`.
fn slow_down(world: &mut World, delay: Duration) {
    send(world, 600);
    world.run_for(ms(100));
    world.edit_link(address(A, 1), address(Z, 1), |link| link.delay = delay);
}

fn cwnd(world: &mut World) -> u64 {
    world.first_path(A).cwnd
}

#[test]
fn what_was_only_slow_is_not_sent_again_after_a_needless_timeout() {
    let run = |timeouts| {
        let mut world = world(timeouts);
        slow_down(&mut world, ms(400));
        world.wait(secs(60), |world| world.messages(Z).len() == 600);
        world.run_for(secs(5));
        let stats = world.stats(A);
        assert!(stats.timeouts > 0);
        (stats.retransmissions, world.stats(Z).duplicates_received)
    };
    let (kept, undone) = (run(SpuriousTimeouts::Kept), run(SpuriousTimeouts::Undone));
    println!("{kept:?} sent again and received twice, {undone:?} where timeouts are taken back");
    assert!(kept.1 > 20, "{kept:?}");
    // The tail probe, and the packet sent at the timeout.
    assert!(undone.0 <= 4, "{undone:?}");
}

#[test]
fn the_window_is_as_before_once_a_timeout_has_proved_needless() {
    let mut world = world(SpuriousTimeouts::Undone);
    slow_down(&mut world, ms(400));
    let before = cwnd(&mut world);
    world.wait(secs(2), |world| world.stats(A).timeouts > 0);
    assert!(cwnd(&mut world) <= FULL as u64 + 16);
    world.wait(secs(2), |world| world.stats(A).retransmissions > 0);
    world.run_for(ms(300));
    assert!(cwnd(&mut world) >= before, "{before}");
}

#[test]
fn a_timeout_that_was_needed_is_kept_and_repaired_as_ever() {
    let packets = |timeouts| {
        let mut world = world(timeouts);
        send(&mut world, 600);
        world.run_for(ms(100));
        let now = world.now();
        world.edit_link(address(A, 1), address(Z, 1), |link| {
            link.down.push(now..now + secs(1));
        });
        world.wait(secs(60), |world| world.messages(Z).len() == 600);
        assert!(world.stats(A).timeouts > 0);
        let packets = world.sent(A).map(|packet| (packet.at, packet.types()));
        packets.collect::<Vec<_>>()
    };
    assert_eq!(
        packets(SpuriousTimeouts::Kept),
        packets(SpuriousTimeouts::Undone)
    );
}
