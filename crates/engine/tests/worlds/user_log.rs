use sheave_engine::wire::StreamId;
use sheave_engine::{CloseReason, Message, SendFailure};

use crate::packet::Side;

/// Names a message: the user's part in the checks. Numbers count in each stream from 0, again in
/// each epoch, which is a life of an association as its sender sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) epoch: u8,
    pub(crate) stream: u8,
    pub(crate) number: u8,
}

/// The fate of a message, as its sender was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing yet.
    Open,
    Failed(SendFailure),
    Abandoned(SendFailure),
    /// The sender forgot everything.
    Crashed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) name: Name,
    pub(crate) fate: Fate,
}

/// Why an association ended, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Graceful,
    Aborted,
    AbortedByPeer,
    TimedOut,
    StaleCookie,
}

/// Whether messages may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gaps {
    Never,
    /// Between others, since they are given up.
    Allowed,
    /// After the last one if the association is lost: what was acknowledged for good waited for
    /// something before it.
    AtTheEnd,
}

/// Calls and observations of an end's user.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserLog {
    pub(crate) epoch: u8,
    pub(crate) sent: Vec<Sent>,
    pub(crate) received: Vec<Name>,
    /// The last message of each stream since the user lost its memory.
    last: Vec<Name>,
    /// The end of the association of an epoch.
    pub(crate) ends: Vec<(u8, End)>,
    /// Messages of the epilogue.
    pub(crate) greetings: u8,
}

/// Details of the ABORTs of an end that has waited too long: T5-shutdown-guard, and
/// Association.Max.Retrans. Neither complains of the peer.
const TOO_LONG: [&[u8]; 2] = [b"the shutdown took too long", b"no answer for too long"];

/// The payload of messages that tell whether an association still works.
const GREETING: &[u8] = b"still there?";

pub(crate) fn greeting() -> Message {
    Message::new(StreamId(0), GREETING)
}

impl UserLog {
    /// The next message of a stream, noted as sent.
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

    /// A message could not be handed in after all.
    pub(crate) fn take_back(&mut self) {
        self.sent.pop();
    }

    /// The association is another from here on.
    pub(crate) fn begin_epoch(&mut self) {
        self.epoch += 1;
    }

    /// Memory is lost, but not that of the world.
    pub(crate) fn crash(&mut self) {
        self.begin_epoch();
        self.last.clear();
        for sent in &mut self.sent {
            if sent.fate == Fate::Open {
                sent.fate = Fate::Crashed;
            }
        }
    }

    /// Takes in what was delivered: exactly once, in order, from the first of an epoch on.
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

    /// A message came back.
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

    /// The association ended.
    pub(crate) fn close(&mut self, reason: &CloseReason) -> Result<(), String> {
        let end = match reason {
            CloseReason::Graceful => End::Graceful,
            CloseReason::Aborted => End::Aborted,
            // None: out of the blue. 12: by the user. The others are complaints.
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

    /// Whether a message arrived here.
    fn has(&self, name: Name) -> bool {
        self.received.contains(&name)
    }

    /// Checks, when all has come to rest, what became of every message; `peer` is its receiver.
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
