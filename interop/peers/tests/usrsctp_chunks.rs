//! Chunks that replace those of RFC 9260 between Sheave and usrsctp: I-DATA (RFC 8260) and NR-SACK
//! (draft-natarajan-tsvwg-sctp-nrsack), over impaired links.

use sheave::Options;
use sheave::authentication::ChunkType;
use sheave::options::SelectiveAcks;
use sheave_engine::wire::{Chunk, DataFlags};
use sheave_interop::session::{Load, interleaving, options};
use sheave_interop::{
    Fragment, Impairment, Neighbours, Program, Side, Tape, packets_to_pcap, tshark,
};

const BOTH: [Side; 2] = [Side::Left, Side::Right];

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
    tapes.iter().for_each(is_well_formed);
    tapes
}

/// Checks that tshark finds no fault in it.
fn is_well_formed(tape: &Tape) {
    let file = packets_to_pcap(BOTH.into_iter().flat_map(|from| tape.packets(from)));
    if let Some((_, wrong)) = tshark(&file) {
        assert_eq!(wrong, Vec::<String>::new());
    }
    std::fs::remove_file(file).expect("the file was ours");
}

/// Number of fragments that follow one of another stream whose message was not over.
fn alternations(fragments: &[Fragment]) -> usize {
    let pairs = fragments.windows(2);
    let within = |pair: &&[Fragment]| {
        !pair[0].flags.contains(DataFlags::ENDING) && pair[0].stream != pair[1].stream
    };
    pairs.filter(within).count()
}

#[test]
fn messages_are_interleaved_both_ways() {
    let load = Load::new(100_000, 15, 5);
    for load in [load, load.unordered()] {
        for tape in exchange(&load, &interleaving(), "interleaving") {
            for from in BOTH {
                assert_eq!(tape.count(from, ChunkType::DATA), 0, "from {from:?}");
                let alternations = alternations(&tape.fragments(from));
                assert!(alternations > 0, "from {from:?}, {load:?}");
            }
        }
    }
}

#[test]
fn one_that_does_not_interleave_is_sent_data() {
    let load = Load::new(10_000, 50, 5);
    let ours_only = exchange(&load, &interleaving(), "");
    let theirs_only = exchange(&load, &options(), "interleaving");
    for tape in ours_only.iter().chain(&theirs_only) {
        for from in BOTH {
            assert_eq!(tape.count(from, ChunkType::I_DATA), 0, "from {from:?}");
        }
    }
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
            for from in BOTH {
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
        for from in BOTH {
            assert_eq!(tape.count(from, ChunkType::NR_SACK), 0, "from {from:?}");
        }
    }
}
