//! Last attempts and end of an association whose peer is silent (RFC 9260 §8.1).

use crate::prelude::*;

use super::{with_paths, without};

/// Drops only SACKs, as if the peer sent them on a dead path.
fn swallow_sacks(world: &mut World) {
    let until = world.now() + secs(20);
    world.add_rule(move |record| {
        if record.at < until {
            without(record, |chunk| matches!(chunk, Chunk::Sack(_)))
        } else {
            Verdict::Deliver
        }
    });
}

#[test]
fn an_association_with_a_path_that_answers_heartbeats_is_not_given_up() {
    let profiles = [
        Profile::Telecom,
        Profile::Datacenter,
        Profile::Modern,
        Profile::Linux,
    ];
    let mut without_potentially_failed_paths = Profile::Telecom.options();
    without_potentially_failed_paths.path_max_retrans = 8;
    without_potentially_failed_paths.potentially_failed_max_retrans = None;
    let all = profiles.map(Profile::options).into_iter();
    for (number, mut options) in all.chain([without_potentially_failed_paths]).enumerate() {
        options.association_max_retrans = 4;
        let mut world = with_paths(options, 2);
        world.cut_path(1);
        swallow_sacks(&mut world);
        for n in 0..40 {
            world.send(A, blob(n % 10, 1000));
        }
        world.wait(secs(120), |world| world.messages(Z).len() == 40);
        assert!(world.is_open(A), "{number}: {:?}", world.close_reason(A));
    }
}

#[test]
fn an_association_that_is_given_up_says_so_to_its_peer() {
    let setup = Setup::quiet(|options| options.association_max_retrans = 2);
    let mut world = setup.established();
    world.drop_while(Z, ChunkType::SACK);
    world.send(A, blob(0, 100));
    world.wait(secs(60), |world| !world.is_open(A));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    world.run_for(ms(100));
    let last = world.sent(A).last().expect("an ABORT");
    assert!(matches!(last.chunks()[..], [Chunk::Abort(_)]), "{last}");
    let told = world.close_reason(Z);
    assert!(
        matches!(told, Some(CloseReason::AbortedByPeer { .. })),
        "{told:?}"
    );
}
