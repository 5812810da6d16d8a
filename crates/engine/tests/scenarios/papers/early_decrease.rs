//! Early decrease: a cut of the window between congestion avoidance and fast retransmission.

use crate::prelude::*;

fn early(trigger: DecreaseTrigger) -> impl Fn(&mut Options) {
    move |options| {
        options.congestion = CongestionAlgorithm::EarlyDecrease {
            trigger,
            factor: 144,
        };
    }
}

/// A flow in congestion avoidance: one loss has given it a threshold, and it has grown since.
fn avoiding(edit: impl Fn(&mut Options)) -> World {
    let mut world = Setup::quiet(edit)
        .linked(|link| link.rate = Some(20_000_000))
        .established();
    world.drop_nth(A, ChunkType::DATA, &[60]);
    world.send_times(A, 400, &blob(0, 1452));
    world
}

/// The largest window beyond the threshold in the flow's first second, packets.
fn growth(world: &mut World) -> u64 {
    let mut most = 0;
    for _ in 0..300 {
        world.run_for(ms(1));
        let path = world.first_path(A);
        most = most.max(path.cwnd.saturating_sub(path.ssthresh) / 1468);
    }
    most
}

#[test]
fn the_always_trigger_holds_the_window_at_its_threshold() {
    let plain = growth(&mut avoiding(|_| {}));
    let mut world = avoiding(early(DecreaseTrigger::Always));
    let cut = growth(&mut world);
    assert!(cut <= 1 && plain >= 2, "{cut} against {plain}");
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 400, "all arrives");
}

#[test]
fn without_unanswered_heartbeats_the_heartbeat_trigger_changes_nothing() {
    let mut plain = avoiding(|_| {});
    let mut world = avoiding(early(DecreaseTrigger::Heartbeat));
    assert_eq!(growth(&mut world), growth(&mut plain));
    assert_eq!(world.fingerprint(), plain.fingerprint());
}
