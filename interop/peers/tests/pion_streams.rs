//! Streams reset (RFC 6525) between Sheave and pion, over impaired links. Each end resets its own: when one does,
//! the other one follows, as data channels do (RFC 8831 §6.7).

use std::time::Instant;

use sheave::options::{PeerRequests, Reconfiguration};
use sheave::streams::StreamDirection;
use sheave::{Association, Event, Events, Options, StreamId};
use sheave_interop::session::{self, Load, PATIENCE, options};
use sheave_interop::{Child, Impairment, Neighbours, Program, Side};

/// Messages before the reset and after it, enough for streams 0 to 2.
const LOAD: Load = Load::new(700, 30, 3);

const ONE: StreamId = StreamId(1);

fn reconfiguring() -> Options {
    Options {
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        ..options()
    }
}

/// An association whose streams have been used both ways, with the peer's echo at its end.
struct Talk {
    near: Neighbours,
    association: Association,
    events: Events,
    peer: Child,
    role: &'static str,
}

impl Talk {
    fn begin(caller: Side, impairment: Impairment) -> Option<Self> {
        let near = Neighbours::through(impairment, 1, Program::pion())?;
        let roles = ["echo", "join"];
        let (association, role, peer) = near.meet(caller, roles, reconfiguring(), "");
        session::ping(&association, &LOAD);
        Some(Self {
            events: association.events(),
            near,
            association,
            peer,
            role,
        })
    }

    fn reset_ours(&self) {
        let asked = self
            .association
            .reset_streams(&[ONE], StreamDirection::Outgoing);
        assert_eq!(asked, Ok(()));
    }

    fn await_reset(&self, wanted: StreamDirection) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.next_timeout(left) {
                Some(Event::StreamsReset { direction, streams }) if direction == wanted => {
                    assert_eq!(streams, [ONE]);
                    return;
                }
                Some(event @ Event::ReconfigurationFailed { .. }) => panic!("{event:?}"),
                Some(_) => {}
                None => panic!("{wanted:?} was not reset"),
            }
        }
    }

    /// Everything works after the reset, that stream began anew both ways, and no other one did.
    fn goes_on_and_ends(mut self) {
        session::ping(&self.association, &LOAD.continued());
        let each = LOAD.count / u32::from(LOAD.streams);
        for from in [Side::Left, Side::Right] {
            let fragments = self.near.tape().fragments(from);
            for id in (0..LOAD.streams).map(StreamId) {
                let of_it = fragments.iter().filter(|fragment| fragment.stream == id);
                let numbers: Vec<u32> = of_it.map(|fragment| fragment.message).collect();
                let anew = if id == ONE { 0 } else { each };
                let expected: Vec<u32> = (0..each).chain(anew..anew + each).collect();
                assert_eq!(numbers, expected, "of {id:?} from {from:?}");
            }
        }
        assert_eq!(self.association.shutdown_timeout(PATIENCE), Ok(()));
        let end = self.peer.line(&format!("{} bytes", self.role), PATIENCE);
        assert!(end.ends_with("messages 60 wrong 0 end closed"), "{end}");
    }
}

/// In both roles, and over clean and impaired links.
fn in_all_ways(change: impl Fn(&mut Talk)) {
    for caller in [Side::Left, Side::Right] {
        for impairment in [Impairment::CLEAN, Impairment::IMPAIRED] {
            let Some(mut talk) = Talk::begin(caller, impairment) else {
                return;
            };
            change(&mut talk);
            talk.goes_on_and_ends();
        }
    }
}

#[test]
fn a_stream_that_we_reset_begins_anew_both_ways() {
    in_all_ways(|talk| {
        talk.reset_ours();
        talk.await_reset(StreamDirection::Outgoing);
        assert_eq!(talk.peer.line("reset ", PATIENCE), "reset 1");
        talk.await_reset(StreamDirection::Incoming);
    });
}

#[test]
fn a_stream_that_the_peer_resets_begins_anew_both_ways() {
    in_all_ways(|talk| {
        talk.peer.tell("reset 1");
        talk.await_reset(StreamDirection::Incoming);
        talk.reset_ours();
        talk.await_reset(StreamDirection::Outgoing);
    });
}
