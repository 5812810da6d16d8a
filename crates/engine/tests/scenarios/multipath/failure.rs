//! Paths that fail while they carry data.

use sheave_engine::{LossDetection, PathState};

use super::{FULL, Road, concurrent, feed, goodput, sent_to, world};
use crate::world::{A, Z, address, blob, ms, secs};

#[test]
fn a_path_that_fails_costs_no_message_and_the_other_goes_on() {
    for failing in [1, 2] {
        for detection in [LossDetection::MissingReports, LossDetection::Rack] {
            let mut world = world(&[Road::new(10, 20); 2], |options| {
                concurrent(options);
                options.loss_detection = detection;
                // CMT-PF: the first timeout takes the path out.
                options.potentially_failed_max_retrans = Some(0);
            });
            goodput(&mut world, secs(5));
            world.cut_path(failing);
            world.run_for(secs(3));
            let after = goodput(&mut world, secs(10));
            assert!(after > 8_500_000.0, "{failing}, {detection:?}: {after}");
            let state = world.path(A, address(Z, failing)).state;
            assert_ne!(state, PathState::Active);
            world.mend();
            world.wait(secs(120), |world| {
                feed(world);
                world.run_for(ms(100));
                world.path(A, address(Z, failing)).state == PathState::Active
            });
            let again = goodput(&mut world, secs(20));
            assert!(again > 15_000_000.0, "{failing}, {detection:?}: {again}");
        }
    }
}

#[test]
fn every_message_arrives_once_whichever_path_fails() {
    for failing in [1, 2] {
        let mut world = world(&[Road::new(10, 20); 2], concurrent);
        for n in 0..2000 {
            world.send(A, blob(n % 10, FULL));
        }
        world.run_for(ms(300));
        world.cut_path(failing);
        world.wait(secs(300), |world| world.stats(A).send_buffered == 0);
        assert_eq!(world.messages(Z).len(), 2000);
    }
}

#[test]
fn data_waits_on_one_path_while_none_is_active() {
    let mut world = world(&[Road::new(10, 20); 2], |options| {
        concurrent(options);
        options.path_max_retrans = 0;
        options.association_max_retrans = 50;
    });
    let until = world.now() + secs(20);
    for n in [1, 2] {
        world.cut_path_during(n, world.now()..until);
    }
    for n in 0..100 {
        world.send(A, blob(n % 10, FULL));
    }
    world.run_for(secs(10));
    let paths = world.assoc(A).path_stats();
    assert!(paths.iter().all(|path| path.state == PathState::Inactive));
    world.wait(secs(300), |world| world.stats(A).send_buffered == 0);
    assert_eq!(world.messages(Z).len(), 100);
    assert!(sent_to(&world, 1) > 0 && sent_to(&world, 2) > 0);
}
