//! Streams reset and added (RFC 6525) between Sheave and usrsctp, and reset between Sheave and pion, over
//! impaired links.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Instant;

use sheave::options::{PeerRequests, Reconfiguration};
use sheave::streams::StreamDirection;
use sheave::{Association, Event, Events, Options, StreamId};
use sheave_engine::wire::{Chunk, ChunkType, Tsn};
use sheave_interop::session::{self, Load, PATIENCE, options};
use sheave_interop::{Child, Impairment, Neighbours, Program, Side};

/// Messages before each change and after it, enough for streams 0 to 2.
const LOAD: Load = Load::new(700, 30, 3);

fn reconfiguring() -> Options {
    Options {
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        ..options()
    }
}

/// A program, and the end of what it prints at the end.
struct Peer {
    program: fn() -> Result<Program, &'static str>,
    ending: &'static str,
}

const USRSCTP: Peer = Peer {
    program: Program::usrsctp,
    ending: "wrong 0 end shutdown",
};

/// Each end resets its own streams: when one does, the other one follows, as data channels do
/// (RFC 8831 §6.7).
const PION: Peer = Peer {
    program: Program::pion,
    ending: "messages 60 wrong 0 end closed",
};

/// An association whose streams have been used both ways, with the peer's echo at its end.
struct Talk {
    near: Neighbours,
    association: Association,
    events: Events,
    peer: Child,
    role: &'static str,
    load: Load,
}

impl Talk {
    fn begin(peer: &Peer, caller: Side, impairment: Impairment) -> Option<Self> {
        let near = Neighbours::through(impairment, 1, (peer.program)())?;
        let roles = ["echo", "join"];
        let (association, role, peer) = near.meet(caller, roles, reconfiguring(), "");
        let talk = Self::of(association, peer, role, near);
        session::ping(&talk.association, &talk.load);
        Some(talk)
    }

    fn of(association: Association, peer: Child, role: &'static str, near: Neighbours) -> Self {
        Self {
            events: association.events(),
            load: LOAD,
            near,
            association,
            peer,
            role,
        }
    }

    /// Everything works after the change: nothing is lost, and all is in order.
    fn goes_on(&mut self) {
        self.load = self.load.continued();
        session::ping(&self.association, &self.load);
    }

    fn end(mut self, ending: &str) {
        assert_eq!(self.association.shutdown_timeout(PATIENCE), Ok(()));
        let end = self.peer.line(&format!("{} bytes", self.role), PATIENCE);
        assert!(end.ends_with(ending), "{end}");
    }

    fn reset(&self, streams: &[StreamId], direction: StreamDirection) {
        let asked = self.association.reset_streams(streams, direction);
        assert_eq!(asked, Ok(()));
    }

    /// Awaits what we are told and what the peer is told.
    fn await_events(&mut self, ours: &Event, theirs: &str) {
        self.await_event(|event| event == ours, ours);
        assert_eq!(self.peer.line("event ", PATIENCE), theirs);
    }

    fn await_reset(&mut self, direction: StreamDirection) {
        let reset = were_reset(direction, vec![ONE]);
        self.await_event(|event| *event == reset, &reset);
    }

    /// The peer's request may overtake its answer to ours.
    fn await_resets_both_ways(&mut self) {
        let both = [StreamDirection::Outgoing, StreamDirection::Incoming];
        let mut missing = both
            .map(|direction| were_reset(direction, vec![ONE]))
            .to_vec();
        let is_last = |event: &Event| {
            missing.retain(|reset| reset != event);
            missing.is_empty()
        };
        self.await_event(is_last, &"resets both ways");
    }

    fn await_event(&mut self, mut is_wanted: impl FnMut(&Event) -> bool, wanted: &dyn fmt::Debug) {
        let deadline = Instant::now() + PATIENCE;
        let left = || deadline.saturating_duration_since(Instant::now());
        loop {
            match self.events.next_timeout(left()) {
                Some(event) if is_wanted(&event) => break,
                Some(event @ Event::ReconfigurationFailed { .. }) => panic!("{event:?}"),
                Some(_) => {}
                None => panic!("no {wanted:?} after {:?}", self.said()),
            }
        }
    }

    /// Awaits that all incoming streams were reset: it resets some hundreds at a time.
    fn await_all_incoming(&self) {
        let mut left: BTreeSet<u16> = (0..self.association.inbound_streams()).collect();
        while !left.is_empty() {
            match self.events.next_timeout(PATIENCE) {
                Some(Event::StreamsReset { direction, streams }) => {
                    assert_eq!(direction, StreamDirection::Incoming);
                    if streams.is_empty() {
                        return;
                    }
                    let new = streams.iter().all(|stream| left.remove(&stream.0));
                    assert!(new, "a stream was reset twice: {:?}", self.said());
                }
                Some(_) => {}
                None => panic!("{} are left after {:?}", left.len(), self.said()),
            }
        }
    }

    fn streams_become(&mut self, outbound_streams: u16, inbound_streams: u16) {
        let ours = Event::StreamsChanged {
            outbound_streams,
            inbound_streams,
        };
        let theirs =
            format!("event streams outgoing {inbound_streams} incoming {outbound_streams}");
        self.await_events(&ours, &theirs);
    }

    /// Waits for the event of the association, and for the peer's of its streams, too.
    fn await_reset_of_association(&mut self) {
        let is_reset = |event: &Event| matches!(event, Event::AssociationReset { .. });
        self.await_event(is_reset, &"a reset of the association");
        for theirs in ["event reset outgoing", "event reset incoming"] {
            assert_eq!(self.peer.line("event ", PATIENCE), theirs);
        }
        let theirs = self.peer.line("event ", PATIENCE);
        assert_eq!(theirs, "event reset association");
    }

    fn last_tsn(&self, from: Side) -> Tsn {
        let fragments = self.near.tape().fragments(from);
        fragments.last().expect("something was sent").tsn
    }

    fn all_began_anew(&self, from: Side) {
        let each = LOAD.count / u32::from(LOAD.streams);
        let twice: Vec<u32> = (0..each).chain(0..each).collect();
        for id in (0..LOAD.streams).map(StreamId) {
            assert_eq!(self.numbers(from, id), twice, "of {id:?} from {from:?}");
        }
    }

    /// The requests and answers as text.
    fn said(&self) -> Vec<String> {
        let tape = self.near.tape();
        let of = |from| {
            let read = tape.read(from, ChunkType::RE_CONFIG, |chunk| match chunk {
                Chunk::ReConfig(chunk) => Some(chunk),
                _ => None,
            });
            read.flatten().map(move |chunk| format!("{from:?} {chunk}"))
        };
        of(Side::Left).chain(of(Side::Right)).collect()
    }

    /// The numbers of the messages that one end sent on a stream.
    fn numbers(&self, from: Side, stream: StreamId) -> Vec<u32> {
        let fragments = self.near.tape().fragments(from);
        let on_it = fragments
            .iter()
            .filter(|fragment| fragment.stream == stream);
        on_it.map(|fragment| fragment.message).collect()
    }

    /// Whether that stream began anew once in that direction, and no other one did.
    fn only_began_anew(&self, from: Side, stream: StreamId) {
        let each = LOAD.count / u32::from(LOAD.streams);
        for id in (0..LOAD.streams).map(StreamId) {
            let anew = if id == stream { 0 } else { each };
            let expected: Vec<u32> = (0..each).chain(anew..anew + each).collect();
            assert_eq!(self.numbers(from, id), expected, "of {id:?} from {from:?}");
        }
    }
}

const ONE: StreamId = StreamId(1);

const fn were_reset(direction: StreamDirection, streams: Vec<StreamId>) -> Event {
    Event::StreamsReset { direction, streams }
}

/// In both roles, and over clean and impaired links.
fn in_all_ways(peer: &Peer, change: impl Fn(&mut Talk)) {
    for caller in [Side::Left, Side::Right] {
        for impairment in [Impairment::CLEAN, Impairment::IMPAIRED] {
            let Some(mut talk) = Talk::begin(peer, caller, impairment) else {
                return;
            };
            change(&mut talk);
            talk.end(peer.ending);
        }
    }
}

/// A stream of that end begins anew after the change, and both ends are told.
fn one_begins_anew(from: Side, change: impl Fn(&mut Talk)) {
    let (direction, theirs) = match from {
        Side::Left => (StreamDirection::Outgoing, "event reset incoming 1"),
        Side::Right => (StreamDirection::Incoming, "event reset outgoing 1"),
    };
    in_all_ways(&USRSCTP, |talk| {
        change(talk);
        talk.await_events(&were_reset(direction, vec![ONE]), theirs);
        talk.goes_on();
        talk.only_began_anew(from, ONE);
    });
}

#[test]
fn streams_that_we_reset_begin_anew() {
    one_begins_anew(Side::Left, |talk| {
        talk.reset(&[ONE], StreamDirection::Outgoing);
    });
}

#[test]
fn it_resets_its_streams_when_we_ask() {
    one_begins_anew(Side::Right, |talk| {
        talk.reset(&[ONE], StreamDirection::Incoming);
    });
}

#[test]
fn streams_that_it_resets_begin_anew() {
    one_begins_anew(Side::Right, |talk| talk.peer.tell("reset outgoing 1"));
}

#[test]
fn we_reset_our_streams_when_it_asks() {
    one_begins_anew(Side::Left, |talk| talk.peer.tell("reset incoming 1"));
}

#[test]
fn all_streams_are_reset_both_ways() {
    in_all_ways(&USRSCTP, |talk| {
        talk.reset(&[], StreamDirection::Outgoing);
        let ours = were_reset(StreamDirection::Outgoing, vec![]);
        talk.await_events(&ours, "event reset incoming");
        talk.peer.tell("reset outgoing");
        talk.await_all_incoming();
        talk.goes_on();
        talk.all_began_anew(Side::Left);
        talk.all_began_anew(Side::Right);
    });
}

#[test]
fn streams_are_added_both_ways_by_either() {
    in_all_ways(&USRSCTP, |talk| {
        let association = talk.association.clone();
        let (mut out, mut incoming) = (
            association.outbound_streams(),
            association.inbound_streams(),
        );
        for (ours_out, ours_in) in [(3, 0), (0, 4)] {
            let (count, direction) = match ours_in {
                0 => (ours_out, StreamDirection::Outgoing),
                _ => (ours_in, StreamDirection::Incoming),
            };
            assert_eq!(association.add_streams(count, direction), Ok(()));
            (out, incoming) = (out + ours_out, incoming + ours_in);
            talk.streams_become(out, incoming);
        }
        for (theirs_out, theirs_in) in [(5, 0), (0, 6)] {
            talk.peer.tell(&format!("add {theirs_out} {theirs_in}"));
            (out, incoming) = (out + theirs_in, incoming + theirs_out);
            talk.streams_become(out, incoming);
        }
        // It echoes on the stream that a message came on.
        let all = out.min(incoming);
        let mut load = talk.load.continued();
        (load.streams, load.count) = (all, all.into());
        session::ping(&association, &load);
    });
}

#[test]
fn all_numbers_change_when_we_reset_the_association() {
    in_all_ways(&USRSCTP, |talk| {
        let before = [Side::Left, Side::Right].map(|from| talk.last_tsn(from));
        assert_eq!(talk.association.reset_tsns(), Ok(()));
        talk.await_reset_of_association();
        talk.goes_on();
        for (from, before) in [Side::Left, Side::Right].into_iter().zip(before) {
            talk.all_began_anew(from);
            let gone = talk.last_tsn(from).distance_from(before);
            assert!(gone > LOAD.count, "TSNs of {from:?} went on");
        }
    });
}

/// Afterwards it takes the numbers of what comes for those of what it has sent, and no longer
/// believes our SACKs: see `interop/README.md`. What we send arrives.
#[test]
fn it_resets_the_association_and_what_we_send_arrives() {
    for impairment in [Impairment::CLEAN, Impairment::IMPAIRED] {
        let Some(near) = Neighbours::through(impairment, 1, Program::usrsctp()) else {
            return;
        };
        let peer = near.peer.serve("sink", "");
        let mut talk = Talk::of(near.call(reconfiguring()), peer, "sink", near);
        session::send(&talk.association, &LOAD);
        let _ = session::until_acknowledged(&talk.association);
        talk.peer.tell("reset association");
        talk.await_reset_of_association();
        session::send(&talk.association, &LOAD.continued());
        let _ = session::until_acknowledged(&talk.association);
        talk.all_began_anew(Side::Left);
        talk.end(USRSCTP.ending);
    }
}

fn goes_on_with_one_begun_anew_both_ways(talk: &mut Talk) {
    talk.goes_on();
    talk.only_began_anew(Side::Left, ONE);
    talk.only_began_anew(Side::Right, ONE);
}

#[test]
fn a_stream_that_we_reset_begins_anew_both_ways() {
    in_all_ways(&PION, |talk| {
        talk.reset(&[ONE], StreamDirection::Outgoing);
        assert_eq!(talk.peer.line("reset ", PATIENCE), "reset 1");
        talk.await_resets_both_ways();
        goes_on_with_one_begun_anew_both_ways(talk);
    });
}

#[test]
fn a_stream_that_the_peer_resets_begins_anew_both_ways() {
    in_all_ways(&PION, |talk| {
        talk.peer.tell("reset 1");
        talk.await_reset(StreamDirection::Incoming);
        talk.reset(&[ONE], StreamDirection::Outgoing);
        talk.await_reset(StreamDirection::Outgoing);
        goes_on_with_one_begun_anew_both_ways(talk);
    });
}
