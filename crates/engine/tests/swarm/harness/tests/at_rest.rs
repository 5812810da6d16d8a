//! Planted faults of busy and idle associations, which the harness must find.

use core::time::Duration;

use std::borrow::Cow;

use sheave_engine::{BufferSizes, Failover, Heartbeats, Node, PathChange, PathState, PathStats};

use super::super::bounds::{
    Standstill, check_advertised, check_books, check_footprint, check_work,
};
use super::super::host::Host;
use super::super::net::Net;
use super::super::sender::{Departure, Exemptions, check_timeouts};
use super::super::world::World;
use super::*;

#[test]
fn more_work_than_there_were_bytes_is_objected_to() {
    check_work(10_000, 10_000).expect("a step for each byte");
    objects(check_work(10_101, 10_000), "work");
}

#[test]
fn a_footprint_beyond_the_charge_is_objected_to() {
    check_footprint(300_000, 100_000, 8).expect("twice the charge, and a queue");
    objects(check_footprint(300_000, 1000, 8), "footprint");
}

#[test]
fn books_that_do_not_agree_are_objected_to() {
    check_books(500, 500, false).expect("they agree");
    check_books(564, 500, true).expect("of a gap more is kept");
    objects(check_books(564, 500, false), "rest");
    objects(check_books(500, 564, true), "rest");
}

#[test]
fn a_window_beyond_what_is_left_of_the_buffer_is_objected_to() {
    let options = Options {
        receive_buffer: 16_000,
        buffers: BufferSizes::Fixed,
        ..Options::default()
    };
    check_advertised(&options, 12_000, 5000).expect("it fits");
    objects(check_advertised(&options, 12_001, 5000), "advertised");
}

#[test]
fn a_standstill_is_objected_to_after_its_time() {
    let mut standstill = Standstill::new(Time::ZERO, Duration::from_secs(9));
    let mut at = |secs: u64, progress, delivering| {
        standstill.check(Time::from_millis(secs * 1000), progress, delivering)
    };
    at(0, (0, -9), true).expect("it begins");
    at(9, (0, -9), true).expect("it may still come");
    at(10, (1, -9), true).expect("it came");
    at(30, (1, -9), false).expect("nothing is to come");
    at(39, (1, -8), true).expect("some of it came");
    at(40, (1, -9), true).expect("some was taken back");
    at(48, (1, -8), true).expect("it came again");
    objects(at(49, (1, -8), true), "stall");
}

#[test]
fn an_event_of_an_address_that_was_deleted_is_objected_to() {
    let plan = Plan::parse("a paths 2").expect("a plan");
    let mut net = Net::new(&plan, Time::ZERO);
    let mut host = Host::new(End::A, (Profile::Rfc9260.options(), None), 3, &mut net);
    let (id, remote) = (some_id(), net.address(End::Z, 1));
    let mut tell = |change| host.on_path(id, remote, change);
    tell(PathChange::Down).expect("it is there");
    tell(PathChange::Removed).expect("it goes");
    objects(tell(PathChange::Up), "deleted address");
    tell(PathChange::Added).expect("it comes again");
    tell(PathChange::Up).expect("it is there");
}

const ONE_MESSAGE: &str = "seed 1
a delay 0 1000
z delay 0 1000
a send 0 1 0 1000 0 0 0
";

/// Runs `act` on a world some seconds after A sent a message.
fn with_world(act: impl FnOnce(&mut World<'_>)) {
    with_world_of(ONE_MESSAGE, act);
}

fn with_world_of(plan: &str, act: impl FnOnce(&mut World<'_>)) {
    let plan = Plan::parse(plan).expect("a plan");
    let pattern = Pattern::new();
    let mut world = World::new(&plan, &pattern);
    world.connect(End::A).expect("no keys");
    world.pump_both().expect("INIT leaves");
    for item in plan.items.iter().filter(|item| item.verb().name == "send") {
        world.perform(item).expect("it may send");
    }
    world.run_to(Time::from_millis(5000)).expect("it arrives");
    world.check_rest().expect("all is at rest");
    act(&mut world);
}

/// Performs the plan's last item, which sends a message.
fn send_again(world: &mut World<'_>) {
    let send = world.plan.items.last().expect("an item");
    world.perform(send).expect("it may send");
}

#[test]
fn bytes_read_that_the_engine_has_not_counted_are_objected_to() {
    with_world(|world| {
        let (_, sums) = world.ledgers[0].read.iter_mut().next().expect("Z has read");
        sums.1 += 1;
        objects(world.check_rest(), "rest");
    });
}

#[test]
fn a_message_told_to_be_abandoned_that_the_engine_has_not_counted_is_objected_to() {
    with_world(|world| {
        world.hosts[0].abandoned += 1;
        objects(world.check_rest(), "rest");
    });
}

#[test]
fn bytes_in_flight_are_no_rest() {
    with_world(|world| {
        send_again(world);
        world.pump_both().expect("it leaves");
        objects(world.check_rest(), "rest");
    });
}

#[test]
fn an_association_that_lives_is_not_the_end() {
    with_world(|world| {
        assert!(world.hosts[0].engine.poll_timeout().is_some());
        objects(world.check_empty(), "rest");
    });
}

#[test]
fn an_engine_that_waits_for_a_timeout_before_it_leaves_a_path_is_objected_to() {
    let two_paths = "a paths 2\na sack_delay 10\nz sack_delay 10\nz send 0 1 0 1000 0 0 0\n";
    let hedges = "a failover 1\nz failover 1\n";
    with_world_of(&[ONE_MESSAGE, two_paths, hedges].concat(), |world| {
        world.check_failover().expect("it hedges");
    });
    with_world_of(&[ONE_MESSAGE, two_paths].concat(), |world| {
        for host in &mut world.hosts {
            host.options.failover = Failover::RoundTrips;
        }
        objects(world.check_failover(), "failover");
    });
}

/// The state of A's path, as it is.
fn path_of_a(world: &mut World<'_>) -> PathStats {
    world.hosts[0].paths().first().expect("a path").clone()
}

#[test]
fn data_beyond_the_congestion_window_or_for_an_unconfirmed_address_is_objected_to() {
    with_world(|world| {
        let header = CommonHeader::default();
        let packet: Cow<'_, [u8]> = Cow::Owned(packet(header, &[data(&[0; 1000])]));
        let path = path_of_a(world);
        let check = |path: &PathStats, count| {
            Exemptions::of(&Profile::Rfc9260.options()).check(&Departure {
                now: Time::from_millis(5000),
                before: path,
                after: path,
                packets: &vec![packet.clone(); count],
                round_trips: vec![Duration::from_secs(1)],
            })
        };
        let (flight, cwnd) = (3000, 3000);
        let full = PathStats {
            flight,
            cwnd,
            ..path.clone()
        };
        check(&full, 3).expect("a repair, a probe, and a hedge");
        objects(check(&full, 4), "cwnd");
        let state = PathState::Unconfirmed;
        objects(check(&PathStats { state, ..path }, 1), "unconfirmed");
    });
}

#[test]
fn a_timeout_that_is_too_long_or_does_not_back_off_is_objected_to() {
    with_world(|world| {
        let (options, path) = (Profile::Rfc9260.options(), path_of_a(world));
        let check = |before: Duration, after| {
            let [before, mut after] = [before, after].map(|rto| PathStats {
                rto,
                ..path.clone()
            });
            after.timeouts += 1;
            check_timeouts(&options, &[before], &[after])
        };
        let second = Duration::from_secs(1);
        check(second, second * 2).expect("it backed off");
        objects(check(second, second), "rto");
        objects(check(second, options.rto_max * 2), "rto");
    });
}

#[test]
fn heartbeats_more_often_than_at_their_interval_are_objected_to() {
    with_world(|world| {
        world.check_quiet().expect("no more than are due");
        for host in &mut world.hosts {
            host.options.heartbeats = Heartbeats::Every(Duration::from_secs(1000));
        }
        objects(world.check_quiet(), "rate at rest");
    });
}

#[test]
fn a_path_that_stays_dead_is_objected_to() {
    let dead = "a paths 2\na cut 1 4000 100000000\n";
    with_world_of(&[ONE_MESSAGE, dead].concat(), |world| {
        objects(world.check_quiet(), "healing");
    });
}

#[test]
fn an_end_that_sends_nothing_while_data_waits_is_objected_to() {
    with_world(|world| {
        send_again(world);
        world.pump_both().expect("it leaves");
        world.check_silence().expect("it has just begun");
        for host in &mut world.hosts {
            host.options.rto_max = Duration::from_secs(1);
            host.options.rto_initial = Duration::from_secs(1);
            host.silent_since = Some(Time::ZERO);
        }
        objects(world.check_silence(), "silence");
    });
}

#[test]
fn an_event_after_the_end_is_objected_to() {
    with_world(|world| {
        let current = world.hosts[1].current.expect("an association");
        world.hosts[1].ended.insert(current);
        send_again(world);
        objects(world.run_to(Time::from_millis(9000)), "after the end");
    });
}
