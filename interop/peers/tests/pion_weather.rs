//! Sheave and pion over impaired links.

use std::time::Duration;

use sheave::Reliability;
use sheave::authentication::ChunkType;
use sheave_interop::session::{self, Load, PATIENCE, giving_up, interleaving, options};
use sheave_interop::{Impairment, Neighbours, Program, Side};

/// The load: the even messages, on streams 0 and 2, may be given up.
const LOAD: Load = Load::new(3000, 300, 4);

fn through(impairment: Impairment) -> Option<Neighbours> {
    Neighbours::through(impairment, 7, Program::pion())
}

#[test]
fn impaired_links_cost_no_message() {
    let load = Load::new(5000, 200, 10);
    if let Some(near) = through(Impairment::IMPAIRED) {
        near.ping(&load, options(), "");
    }
    if let Some(near) = through(Impairment::IMPAIRED) {
        near.be_pinged(&load, options(), "");
    }
}

#[test]
fn impaired_links_cost_no_interleaved_message() {
    let load = Load::new(20_000, 50, 5);
    if let Some(near) = through(Impairment::IMPAIRED) {
        near.ping(&load, interleaving(), "interleaving");
    }
    if let Some(near) = through(Impairment::IMPAIRED) {
        near.be_pinged(&load, interleaving(), "interleaving");
    }
}

/// We send, give up what may be, and shut down; the peer has all others, and nothing wrong.
fn we_give_up(caller: Side, load: &Load) {
    let Some(near) = through(Impairment::IMPAIRED) else {
        return;
    };
    let unordered = load.words().contains("unordered");
    let theirs = if unordered { "unordered" } else { "" };
    let (association, role, mut peer) = near.meet(caller, ["sink", "take"], giving_up(), theirs);
    session::send(&association, load);
    let stats = session::until_acknowledged(&association);
    assert!(stats.messages_abandoned > 0, "{stats:?}");
    assert!(near.tape().count(Side::Left, ChunkType::FORWARD_TSN) > 0);
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let odd = format!("{role} odd");
    assert_eq!(peer.line(&odd, PATIENCE), format!("{odd} 150"));
    let end = peer.line(&format!("{role} bytes"), PATIENCE);
    assert!(end.ends_with("wrong 0 end closed"), "{end}");
    assert!(!end.contains("messages 300"), "{end}");
}

#[test]
fn the_peer_skips_messages_given_up() {
    // So few at a time that what expires was lost on the way, and did not wait for the congestion window.
    let lifetime = Reliability::Timed(Duration::from_millis(15));
    let timed = Load::new(2000, 300, 4).giving_up(lifetime);
    let timed = timed.with_gap(Duration::from_millis(10));
    let once = LOAD.giving_up(Reliability::Retransmissions(0));
    for load in [timed, once, once.unordered()] {
        we_give_up(Side::Left, &load);
    }
    we_give_up(Side::Right, &once);
}

/// The peer sends, gives up what may be, and shuts down; we have all others, and nothing wrong.
#[test]
fn messages_that_the_peer_gives_up_are_skipped() {
    for load in [LOAD, LOAD.unordered()] {
        let Some(near) = through(Impairment::IMPAIRED) else {
            return;
        };
        let words = format!("{} retransmissions=0", load.words());
        let (association, mut child) = near.be_called(giving_up(), "send", &words);
        let tally = session::receive(&association, load.count);
        let end = child.line("send bytes", PATIENCE);
        assert!(end.ends_with("end shutdown"), "{words}: {end}");
        assert_eq!((tally.odd, tally.wrong), (150, 0), "{words}");
        assert!(tally.messages < 300, "{words}");
        let skips = near.tape().count(Side::Right, ChunkType::FORWARD_TSN);
        assert!(skips > 0, "{words}");
    }
}

/// We call, and the peer gives up what may be of what it sends back.
#[test]
fn messages_that_the_called_peer_gives_up_are_skipped() {
    if let Some(near) = through(Impairment::IMPAIRED) {
        let server = near.peer.serve("echo", "retransmissions=0");
        near.get_back_in_part(&LOAD, giving_up(), server);
        let skips = near.tape().count(Side::Right, ChunkType::FORWARD_TSN);
        assert!(skips > 0);
    }
}
