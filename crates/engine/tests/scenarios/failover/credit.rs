//! Signs of life, and the path to which they are credited (RFC 9260 §8.2).

use crate::prelude::*;

use super::{time_until, with_paths};

/// The highest TSN in a packet.
fn highest_tsn(record: &Record) -> Option<Tsn> {
    let tsns = record.chunks().into_iter().filter_map(|chunk| match chunk {
        Chunk::Data(data) => Some(data.tsn),
        _ => None,
    });
    tsns.reduce(|highest, tsn| if highest.is_before(tsn) { tsn } else { highest })
}

/// Time from the cut of the first path until a bulk transfer sends new data on the second.
fn new_data_moves_after(path_max_retrans: u32) -> Duration {
    let mut setup = Setup::tuned(|options| {
        options.path_max_retrans = path_max_retrans;
        options.association_max_retrans = 100;
        options.heartbeats = Heartbeats::Off;
    })
    .paths(2);
    setup.link.rate = Some(10_000_000);
    setup.link.queue = 30_000;
    let mut world = setup.confirmed();
    world.send_by_turns(A, 3000, 10, 1400);
    world.run_for(secs(1));
    world.cut_path(1);
    let mut highest = world.sent(A).filter_map(highest_tsn).last().unwrap();
    let mut seen = world.log().len();
    time_until(&mut world, secs(200), |world| {
        let fresh = &world.log()[seen..];
        seen += fresh.len();
        for record in fresh.iter().filter(|record| record.has(ChunkType::DATA)) {
            let Some(tsn) = highest_tsn(record) else {
                continue;
            };
            if highest.is_before(tsn) {
                highest = tsn;
                if record.to == address(Z, 2) {
                    return true;
                }
            }
        }
        false
    })
    .expect("new data takes the second path")
}

// RFC 9260 §8.2: the timeouts of 1, 2, 4 .. s add up.
#[test]
fn new_data_leaves_a_dead_path_after_path_max_retrans_plus_one_timeouts() {
    let expected = [1200, 3300, 7500, 16_000, 32_000, 64_000];
    for (limit, expected) in (0..).zip(expected) {
        let took = new_data_moves_after(limit);
        let nominal = Duration::from_secs((2 << limit) - 1);
        assert!(took >= nominal, "{limit}: {took:?}");
        assert!(took <= ms(expected) + ms(400), "{limit}: {took:?}");
    }
}

/// A dead path stays dead when data it carried earlier is acknowledged over another path.
#[test]
fn data_that_arrived_before_its_path_died_does_not_bring_that_path_back() {
    let mut setup = Setup::tuned(set("potentially_failed_max_retrans=0, heartbeats=off")).paths(2);
    setup.link.rate = Some(10_000_000);
    let mut world = setup.confirmed();
    world.send_by_turns(A, 300, 10, 1400);
    world.run_for(ms(100));
    world.cut_path(1);
    world.run_for(secs(20));
    let remote = address(Z, 1);
    let up = Event::Path {
        remote,
        change: PathChange::Up,
    };
    assert!(!world.saw(A, &up));
    assert_eq!(world.messages(Z).len(), 300);
}

// RFC 9260 §6.4.1
#[test]
fn of_three_paths_the_third_is_tried_while_the_first_two_fail_in_turn() {
    let mut world = with_paths(Profile::Rfc9260.options(), 3);
    world.cut_path(1);
    world.cut_path(2);
    world.send(A, text(0, "by the third"));
    let took = time_until(&mut world, secs(60), |world| !world.messages(Z).is_empty());
    assert!(took.is_some_and(|took| took < ms(2500)), "{took:?}");
}
