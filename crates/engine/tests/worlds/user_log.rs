use sheave_engine::wire::StreamId;
use sheave_engine::{CloseReason, Message, SendFailure};

use crate::packet::Side;

/// Name of a message. Numbers start at 0 in each stream and each epoch; an epoch is a life of the
/// association as seen by its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) epoch: u8,
    pub(crate) stream: u8,
    pub(crate) number: u8,
}

/// Outcome of a message as reported to its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Not reported yet.
    Open,
    Failed(SendFailure),
    Abandoned(SendFailure),
    /// The sender lost its state.
    Crashed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) name: Name,
    pub(crate) fate: Fate,
}

/// The reason why an association ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Graceful,
    Aborted,
    AbortedByPeer,
    TimedOut,
    StaleCookie,
}

/// Places where messages may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gaps {
    Never,
    /// Between others, since messages may be abandoned.
    Allowed,
    /// Only at the end, if the association is lost: non-renegable acknowledged messages may have
    /// waited for earlier ones.
    AtTheEnd,
}

/// Calls and observations of an end's user.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserLog {
    pub(crate) epoch: u8,
    pub(crate) sent: Vec<Sent>,
    pub(crate) received: Vec<Name>,
    /// Last message received on each stream since the user's last crash.
    last: Vec<Name>,
    /// End of the association in each epoch.
    pub(crate) ends: Vec<(u8, End)>,
    /// Greetings received in the epilogue.
    pub(crate) greetings: u8,
}

/// ABORT details of an end that waited too long (T5-shutdown-guard and Association.Max.Retrans),
/// which do not blame the peer.
const TOO_LONG: [&[u8]; 2] = [b"the shutdown took too long", b"no answer for too long"];

/// Payload of greetings, which test whether an association still works.
const GREETING: &[u8] = b"still there?";

pub(crate) fn greeting() -> Message {
    Message::new(StreamId(0), GREETING)
}

impl UserLog {
    /// Creates the next message of a stream and records it as sent.
    pub(crate) fn next(&mut self, side: Side, stream: u8, len: usize) -> Message {
        let before = self
            .sent
            .iter()
            .filter(|sent| sent.name.epoch == self.epoch && sent.name.stream == stream);
        let name = Name {
            epoch: self.epoch,
            stream,
            number: before.count() as u8,
        };
        self.sent.push(Sent {
            name,
            fate: Fate::Open,
        });
        let mut bytes = vec![side as u8, name.epoch, name.stream, name.number];
        bytes.resize(len, name.number);
        Message::new(StreamId(stream.into()), bytes)
    }

    /// Removes the last message, which was not accepted.
    pub(crate) fn take_back(&mut self) {
        self.sent.pop();
    }

    /// Starts a new epoch, with a new association.
    pub(crate) fn begin_epoch(&mut self) {
        self.epoch += 1;
    }

    /// Records a crash: the user's memory is lost, the log's is kept.
    pub(crate) fn crash(&mut self) {
        self.begin_epoch();
        self.last.clear();
        for sent in &mut self.sent {
            if sent.fate == Fate::Open {
                sent.fate = Fate::Crashed;
            }
        }
    }

    /// Checks a delivered message: exactly once, in order, starting with the first of an epoch.
    pub(crate) fn receive(
        &mut self,
        side: Side,
        message: &Message,
        gaps: Gaps,
    ) -> Result<(), String> {
        if message.payload == GREETING {
            self.greetings += 1;
            return Ok(());
        }
        let name = match message.payload.as_ref() {
            [from, epoch, stream, number, rest @ ..]
                if *from == side.other() as u8
                    && u16::from(*stream) == message.stream.0
                    && rest.iter().all(|byte| byte == number) =>
            {
                Name {
                    epoch: *epoch,
                    stream: *stream,
                    number: *number,
                }
            }
            other => return Err(format!("{other:?} was never sent")),
        };
        let last = self.last.iter_mut().find(|last| last.stream == name.stream);
        let (same, due) = match &last {
            Some(last) => (last.epoch == name.epoch, last.number + 1),
            None => (false, 0),
        };
        let due = if same { due } else { 0 };
        let newer = last.as_ref().is_none_or(|last| name.epoch >= last.epoch);
        let in_order = match gaps {
            Gaps::Never | Gaps::AtTheEnd => name.number == due,
            Gaps::Allowed => name.number >= due,
        };
        if !newer || !in_order {
            return Err(format!("delivered {name:?} after {last:?}"));
        }
        match last {
            Some(last) => *last = name,
            None => self.last.push(name),
        }
        self.received.push(name);
        Ok(())
    }

    /// Records a returned message.
    pub(crate) fn came_back(&mut self, message: &Message, fate: Fate) -> Result<(), String> {
        if message.payload == GREETING {
            return Ok(());
        }
        let [_, epoch, stream, number, ..] = *message.payload.as_ref() else {
            return Err(format!("{message:?} came back and was never sent"));
        };
        let name = Name {
            epoch,
            stream,
            number,
        };
        let sent = self.sent.iter_mut().find(|sent| sent.name == name);
        match sent {
            Some(sent) if sent.fate == Fate::Open => {
                sent.fate = fate;
                Ok(())
            }
            other => Err(format!("{fate:?} told of {name:?}, which is {other:?}")),
        }
    }

    /// Records the end of the association.
    pub(crate) fn close(&mut self, reason: &CloseReason) -> Result<(), String> {
        let end = match reason {
            CloseReason::Graceful => End::Graceful,
            CloseReason::Aborted => End::Aborted,
            // No cause: out of the blue. 12: by the user. Other causes blame the peer.
            CloseReason::AbortedByPeer {
                cause: None | Some(12),
                ..
            } => End::AbortedByPeer,
            CloseReason::AbortedByPeer { detail, .. } if TOO_LONG.contains(&&detail[..]) => {
                End::AbortedByPeer
            }
            CloseReason::TimedOut => End::TimedOut,
            CloseReason::StaleCookie => End::StaleCookie,
            other => return Err(format!("ended by {other:?}")),
        };
        self.ends.push((self.epoch, end));
        Ok(())
    }

    fn ended(&self, epoch: u8, end: End) -> bool {
        self.ends.contains(&(epoch, end))
    }

    fn is_lost(&self, epoch: u8) -> bool {
        self.ends
            .iter()
            .any(|(ended, end)| *ended == epoch && *end != End::Graceful)
    }

    /// Whether a message was received.
    fn has(&self, name: Name) -> bool {
        self.received.contains(&name)
    }

    /// Checks in a rest state the outcome of every message; `peer` is the receiver.
    pub(crate) fn settle(&self, peer: &Self, gaps: Gaps) -> Result<(), String> {
        for sent in &self.sent {
            let arrived = peer.has(sent.name);
            let right = match sent.fate {
                Fate::Open => arrived || gaps == Gaps::AtTheEnd && self.is_lost(sent.name.epoch),
                Fate::Failed(SendFailure::Unsent) | Fate::Abandoned(SendFailure::Unsent) => {
                    !arrived
                }
                Fate::Failed(SendFailure::Unacknowledged) => {
                    !self.ended(sent.name.epoch, End::Graceful)
                }
                Fate::Abandoned(SendFailure::Unacknowledged) | Fate::Crashed => true,
            };
            if !right {
                return Err(format!("{sent:?}, arrived: {arrived}"));
            }
        }
        Ok(())
    }
}
