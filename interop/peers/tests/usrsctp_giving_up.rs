//! Messages that are given up (RFC 3758, 7496) between Sheave and usrsctp, over impaired links.

use std::time::Duration;

use sheave::authentication::ChunkType;
use sheave::options::PartialReliability;
use sheave::stats::Policy;
use sheave::{Options, Reliability};
use sheave_interop::session::{self, Load, PATIENCE, giving_up};
use sheave_interop::{Impairment, Neighbours, Program, Side};

/// The even ones of these may be given up.
const LOAD: Load = Load::new(5000, 300, 4);

/// Less than a tenth of all messages.
const SHORT_BUFFER: usize = 100_000;

fn through() -> Option<Neighbours> {
    Neighbours::through(Impairment::IMPAIRED, 3, Program::usrsctp())
}

fn interleaving() -> Options {
    Options {
        partial_reliability: PartialReliability::On,
        ..session::interleaving()
    }
}

/// The number that follows a word.
fn number_after(word: &str, line: &str) -> u64 {
    let mut words = line.split(' ').skip_while(|found| *found != word).skip(1);
    let number = words.next().and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("no number after {word} in {line}"))
}

/// We send, give up what may be, and shut down; the peer has all others, and nothing wrong.
fn we_give_up(caller: Side, load: &Load, options: Options, theirs: &str, skip: ChunkType) {
    let Some(near) = through() else {
        return;
    };
    let (association, role, mut peer) = near.meet(caller, ["sink", "take"], options, theirs);
    session::send(&association, load);
    let stats = session::until_acknowledged(&association);
    let counted = Policy::ALL.map(|policy| association.abandonments(policy).total());
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let account = peer.line(&format!("{role} odd"), PATIENCE);
    let end = peer.line(&format!("{role} bytes"), PATIENCE);
    let (abandoned, all) = (stats.messages_abandoned, u64::from(load.count));
    assert!(abandoned > 0, "{stats:?}");
    assert_eq!(counted.iter().sum::<u64>(), abandoned);
    assert_eq!(number_after("odd", &account), all / 2, "{load:?}: {end}");
    let messages = number_after("messages", &end);
    assert!(
        messages < all && messages + abandoned >= all,
        "{load:?}: {end}"
    );
    assert!(end.ends_with("wrong 0 end shutdown"), "{load:?}: {end}");
    if load.even != PRIORITY {
        assert!(near.tape().count(Side::Left, skip) > 0, "of {load:?}");
    }
}

/// The peer sends, gives up what may be, and shuts down; we have all others, and nothing wrong.
fn the_peer_gives_up(load: &Load, options: Options, words: &str, skip: ChunkType) {
    let Some(near) = through() else {
        return;
    };
    let words = format!("{} {words}", load.words());
    let (association, mut child) = near.be_called(options, "send", &words);
    let tally = session::receive(&association, load.count);
    let account = child.line("send odd", PATIENCE);
    let end = child.line("send bytes", PATIENCE);
    assert!(end.ends_with("end shutdown"), "{words}: {end}");
    assert!(
        number_after("abandoned", &account) > 0,
        "{words}: {account}"
    );
    let all = load.count as usize;
    assert_eq!((tally.odd, tally.wrong), (all / 2, 0), "{words}");
    assert!(tally.messages < all, "{words}");
    assert!(near.tape().count(Side::Right, skip) > 0, "of {words}");
}

/// Messages with time enough, unless they are lost on the way; so few at a time that none waits for
/// the congestion window, however slow the machine: what expires before it has TSNs needs no FORWARD TSN.
const fn timed() -> Load {
    let lifetime = Reliability::Timed(Duration::from_millis(15));
    let load = Load::new(2000, 300, 4).giving_up(lifetime);
    load.with_gap(Duration::from_millis(10))
}

const PRIORITY: Reliability = Reliability::Priority(7);

#[test]
fn the_peer_skips_messages_given_up_after_a_time() {
    for load in [timed(), timed().unordered()] {
        we_give_up(Side::Left, &load, giving_up(), "", ChunkType::FORWARD_TSN);
    }
}

#[test]
fn the_peer_skips_messages_given_up_instead_of_a_retransmission() {
    let load = LOAD.giving_up(Reliability::Retransmissions(0));
    for load in [load, load.unordered()] {
        we_give_up(Side::Left, &load, giving_up(), "", ChunkType::FORWARD_TSN);
    }
}

#[test]
fn the_calling_peer_skips_messages_given_up() {
    let once = LOAD.giving_up(Reliability::Retransmissions(0));
    for load in [timed(), once] {
        we_give_up(Side::Right, &load, giving_up(), "", ChunkType::FORWARD_TSN);
    }
}

#[test]
fn messages_that_the_called_peer_gives_up_are_skipped() {
    for words in ["retransmissions=0", "lifetime=40"] {
        let Some(near) = through() else {
            return;
        };
        let server = near.peer.serve("echo", words);
        near.get_back_in_part(&LOAD, giving_up(), server);
        assert!(near.tape().count(Side::Right, ChunkType::FORWARD_TSN) > 0);
    }
}

#[test]
fn messages_given_up_for_want_of_room_never_leave() {
    let options = Options {
        send_buffer: SHORT_BUFFER,
        ..giving_up()
    };
    let load = LOAD.giving_up(PRIORITY);
    we_give_up(Side::Left, &load, options, "", ChunkType::FORWARD_TSN);
}

#[test]
fn messages_that_the_peer_gives_up_after_a_time_are_skipped() {
    for load in [LOAD, LOAD.unordered()] {
        the_peer_gives_up(&load, giving_up(), "lifetime=40", ChunkType::FORWARD_TSN);
    }
}

#[test]
fn messages_that_the_peer_gives_up_instead_of_a_retransmission_are_skipped() {
    for load in [LOAD, LOAD.unordered()] {
        the_peer_gives_up(
            &load,
            giving_up(),
            "retransmissions=0",
            ChunkType::FORWARD_TSN,
        );
    }
}

#[test]
fn interleaved_messages_that_we_give_up_the_peer_skips() {
    let once = LOAD.giving_up(Reliability::Retransmissions(0));
    for load in [timed(), once] {
        for load in [load, load.unordered()] {
            we_give_up(
                Side::Left,
                &load,
                interleaving(),
                "interleaving",
                ChunkType::I_FORWARD_TSN,
            );
        }
    }
}

/// Each fits a chunk: of longer ones usrsctp gives up fragments of other messages, too, reliable or not
/// (see `interop/README.md`).
const CHUNKS: Load = Load::new(1000, 600, 4);

#[test]
fn interleaved_messages_that_the_peer_gives_up_we_skip() {
    for words in ["retransmissions=0", "lifetime=40"] {
        let words = format!("interleaving {words}");
        for load in [CHUNKS, CHUNKS.unordered()] {
            the_peer_gives_up(&load, interleaving(), &words, ChunkType::I_FORWARD_TSN);
        }
    }
}
