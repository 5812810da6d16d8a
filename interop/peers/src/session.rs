//! Our side of a conversation with a peer program, through the library that users have.

use std::thread;
use std::time::Duration;

use sheave::{
    Association, Authentication, AuthenticationOptions, ChunkChecksum, ChunkSet, ChunkType,
    Delivery, HmacAlgorithm, Interleaving, KeyId, LossRecovery, Message, Options,
    PartialReliability, Ppid, Profile, Reliability, SendOptions, SharedKey, StreamId,
    StreamScheduler, Unauthenticated,
};

use crate::pattern::FIRST_NUMBER;
use crate::{Tally, pattern};

/// The largest message that a peer sends, bytes.
const LARGEST: usize = 4 << 20;

/// Within which a connection must be set up or closed.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Messages to send to a peer.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Bytes of each.
    pub size: usize,
    /// How many.
    pub count: u32,
    /// Streams that they are spread over in turn.
    pub streams: u16,
    /// Whether they are ordered.
    pub delivery: Delivery,
    /// How far we go to get the even ones across; the odd ones are reliable.
    pub even: Reliability,
    /// Pause after each.
    pub gap: Duration,
    /// The number of the first, from that of all first ones on.
    pub first: u32,
}

impl Load {
    /// Ordered messages without pauses.
    #[must_use]
    pub const fn new(size: usize, count: u32, streams: u16) -> Self {
        Self {
            size,
            count,
            streams,
            delivery: Delivery::Ordered,
            even: Reliability::Reliable,
            gap: Duration::ZERO,
            first: 0,
        }
    }

    /// The same messages, unordered.
    #[must_use]
    pub const fn unordered(self) -> Self {
        Self {
            delivery: Delivery::Unordered,
            ..self
        }
    }

    /// The same messages, of which the even ones may be given up.
    #[must_use]
    pub const fn giving_up(self, even: Reliability) -> Self {
        Self { even, ..self }
    }

    /// As many messages after these.
    #[must_use]
    pub const fn continued(self) -> Self {
        Self {
            first: self.first + self.count,
            ..self
        }
    }

    /// The same messages with a pause after each.
    #[must_use]
    pub const fn with_gap(self, gap: Duration) -> Self {
        Self { gap, ..self }
    }

    /// As words for a peer's program that sends these messages.
    #[must_use]
    pub fn words(&self) -> String {
        let (size, count, streams) = (self.size, self.count, self.streams);
        let unordered = match self.delivery {
            Delivery::Ordered => "",
            Delivery::Unordered => " unordered",
        };
        format!("{size} {count} streams={streams}{unordered}")
    }

    /// Bytes of all messages.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.size * self.count as usize
    }
}

/// Protocol parameters for tests: quick timers, many streams, room for large messages.
#[must_use]
pub fn options() -> Options {
    Options {
        outbound_streams: 1000,
        send_buffer: 4 << 20,
        receive_buffer: 4 << 20,
        ..Profile::Telecom.options()
    }
}

/// We ask for authenticated DATA, SACK and HEARTBEAT ACK, under the key of id 1 and with the
/// algorithm that we like best.
#[must_use]
pub fn authentication(secret: &str, best: HmacAlgorithm) -> Authentication {
    let mut algorithms = vec![best, HmacAlgorithm::Sha1];
    algorithms.dedup();
    Authentication::On(Box::new(AuthenticationOptions {
        chunks: ChunkSet::of([ChunkType::DATA, ChunkType::SACK, ChunkType::HEARTBEAT_ACK]),
        algorithms,
        keys: vec![SharedKey::new(KeyId(1), secret)],
        active: KeyId(1),
        others: Unauthenticated::Refused,
    }))
}

/// The same with every extension offered that peers of this crate do not have.
#[must_use]
pub fn offering() -> Options {
    Options {
        chunk_checksum: ChunkChecksum::On,
        loss_recovery: LossRecovery::GoBackN,
        ..options()
    }
}

/// The same for messages that are interleaved; streams take turns.
#[must_use]
pub fn interleaving() -> Options {
    Options {
        interleaving: Interleaving::On,
        scheduler: StreamScheduler::RoundRobin,
        ..options()
    }
}

/// The same for messages that may be given up.
#[must_use]
pub fn giving_up() -> Options {
    Options {
        partial_reliability: PartialReliability::On,
        ..options()
    }
}

/// Sends the load.
///
/// # Panics
/// A message is refused.
pub fn send(association: &Association, load: &Load) {
    for index in load.first..load.first + load.count {
        let number = FIRST_NUMBER + index;
        let stream = StreamId(u16::try_from(index % u32::from(load.streams)).unwrap_or(0));
        let message = Message {
            stream,
            ppid: Ppid(number),
            delivery: load.delivery,
            payload: pattern(number, load.size),
        };
        let reliability = match number % 2 {
            0 => load.even,
            _ => Reliability::Reliable,
        };
        let options = SendOptions {
            reliability,
            ..SendOptions::default()
        };
        let sent = association.send_with(message, options);
        sent.expect("the message is accepted");
        thread::sleep(load.gap);
    }
}

/// Receives until `count` messages have come or the peer's end.
///
/// # Panics
/// The association ends otherwise than gracefully.
#[must_use]
pub fn receive(association: &Association, count: u32) -> Tally {
    let mut tally = Tally::default();
    while tally.messages < count as usize {
        let next = association.receive_whole(LARGEST);
        match next.unwrap_or_else(|error| panic!("{error} after {} messages", tally.messages)) {
            Some(message) => tally.add(&message),
            None => break,
        }
    }
    tally
}

/// Sends the load to an echo server and checks that it comes back.
///
/// # Panics
/// Something is missing or changed.
pub fn ping(association: &Association, load: &Load) {
    let tally = thread::scope(|scope| {
        let sender = scope.spawn(|| send(association, load));
        let tally = receive(association, load.count);
        sender.join().expect("everything was sent");
        tally
    });
    let seen = (tally.messages, tally.bytes, tally.wrong);
    assert_eq!(seen, (load.count as usize, load.bytes(), 0), "of {load:?}");
}

/// Sends back everything, as it came, until the peer's end; what came.
///
/// # Errors
/// The association ends otherwise than gracefully.
pub fn echo(association: &Association) -> Result<Tally, sheave::ReceiveError> {
    let mut tally = Tally::default();
    while let Some(message) = association.receive_whole(LARGEST)? {
        tally.add(&message);
        if association.send(message).is_err() {
            break;
        }
    }
    Ok(tally)
}
