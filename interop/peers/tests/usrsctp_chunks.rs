//! NR-SACK (draft-natarajan-tsvwg-sctp-nrsack) in the place of SACK between Sheave and usrsctp, over impaired links.

use sheave::Options;
use sheave::authentication::ChunkType;
use sheave::options::SelectiveAcks;
use sheave_engine::wire::Chunk;
use sheave_interop::session::{Load, options};
use sheave_interop::{Impairment, Neighbours, Program, Side, Tape};

/// Both ends send these, in either role; what went over the network each time.
fn exchange(load: &Load, options: &Options, theirs: &str) -> Vec<Tape> {
    let through = || Neighbours::through(Impairment::IMPAIRED, 5, Program::usrsctp());
    let called = through().map(|near| {
        near.ping(load, options.clone(), theirs);
        near.tape()
    });
    let calling = through().map(|near| {
        near.be_pinged(load, options.clone(), theirs);
        near.tape()
    });
    let tapes: Vec<Tape> = called.into_iter().chain(calling).collect();
    tapes.iter().for_each(Tape::assert_well_formed);
    tapes
}

fn keeping() -> Options {
    Options {
        selective_acks: SelectiveAcks::NonRenegable,
        ..options()
    }
}

#[test]
fn nr_sacks_acknowledge_in_both_directions() {
    let load = Load::new(3000, 200, 4);
    for load in [load, load.unordered()] {
        for tape in exchange(&load, &keeping(), "nr-sack") {
            for from in Side::BOTH {
                assert_eq!(tape.count(from, ChunkType::SACK), 0, "from {from:?}");
                let acks = tape.read(from, ChunkType::NR_SACK, |chunk| match chunk {
                    Chunk::NrSack(sack) => Some(sack),
                    _ => None,
                });
                let acks: Vec<_> = acks.collect::<Option<_>>().expect("all can be read");
                let kept = acks.iter().filter(|ack| !ack.nr_gap_blocks.is_empty());
                assert!(kept.count() > 0, "from {from:?}, {load:?}");
            }
        }
    }
}

#[test]
fn one_that_may_drop_what_it_acknowledged_is_sent_sacks() {
    let load = Load::new(3000, 100, 4);
    let ours_only = exchange(&load, &keeping(), "");
    let theirs_only = exchange(&load, &options(), "nr-sack");
    for tape in ours_only.iter().chain(&theirs_only) {
        for from in Side::BOTH {
            assert_eq!(tape.count(from, ChunkType::NR_SACK), 0, "from {from:?}");
        }
    }
}
