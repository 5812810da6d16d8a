//! Our side of a conversation with a peer program, through the library that users have.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use sheave::authentication::{ChunkSet, ChunkType, HmacAlgorithm, KeyId, SharedKey};
use sheave::events::Unauthenticated;
use sheave::options::{
    Authentication, AuthenticationOptions, ChunkChecksum, Interleaving, LossRecovery,
    PartialReliability,
};
use sheave::stats::AssocStats;
use sheave::streams::StreamScheduler;
use sheave::{
    Association, Delivery, Message, Options, Ppid, Profile, Reliability, SendOptions, StreamId,
};

use crate::pattern::FIRST_NUMBER;
use crate::{Tally, pattern};

/// The largest message that a peer sends, bytes.
const LARGEST: usize = 4 << 20;

/// Within which a connection must be set up or closed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Messages to send to a peer.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Bytes of each.
    pub size: usize,
    /// Number of messages.
    pub count: u32,
    /// Streams that they are spread over in turn.
    pub streams: u16,
    /// Whether they are ordered.
    pub delivery: Delivery,
    /// Reliability of the even messages; the odd ones are reliable.
    pub even: Reliability,
    /// Key of the even messages, in place of the active one.
    pub even_key: Option<KeyId>,
    /// Pause after each.
    pub gap: Duration,
    /// The number of the first, from that of all first ones on.
    pub first: u32,
}

impl Load {
    /// Ordered messages without pauses.
    pub const fn new(size: usize, count: u32, streams: u16) -> Self {
        Self {
            size,
            count,
            streams,
            delivery: Delivery::Ordered,
            even: Reliability::Reliable,
            even_key: None,
            gap: Duration::ZERO,
            first: 0,
        }
    }

    /// The same messages, the even ones with a key of their own.
    pub const fn with_even_key(self, key: KeyId) -> Self {
        Self {
            even_key: Some(key),
            ..self
        }
    }

    /// The same messages, unordered.
    pub const fn unordered(self) -> Self {
        Self {
            delivery: Delivery::Unordered,
            ..self
        }
    }

    /// The same messages, of which the even ones may be given up.
    pub const fn giving_up(self, even: Reliability) -> Self {
        Self { even, ..self }
    }

    /// A load of as many messages, numbered after these.
    pub const fn continued(self) -> Self {
        Self {
            first: self.first + self.count,
            ..self
        }
    }

    /// The same messages with a pause after each.
    pub const fn with_gap(self, gap: Duration) -> Self {
        Self { gap, ..self }
    }

    /// The load as arguments of a peer's program that sends these messages.
    pub fn words(&self) -> String {
        let (size, count, streams) = (self.size, self.count, self.streams);
        let unordered = match self.delivery {
            Delivery::Ordered => "",
            Delivery::Unordered => " unordered",
        };
        format!("{size} {count} streams={streams}{unordered}")
    }

    /// Bytes of all messages.
    pub const fn bytes(&self) -> usize {
        self.size * self.count as usize
    }
}

/// Protocol parameters for tests: quick timers, many streams, room for large messages.
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
pub fn offering() -> Options {
    Options {
        chunk_checksum: ChunkChecksum::On,
        loss_recovery: LossRecovery::GoBackN,
        ..options()
    }
}

/// The same for messages that are interleaved; streams take turns.
pub fn interleaving() -> Options {
    Options {
        interleaving: Interleaving::On,
        scheduler: StreamScheduler::RoundRobin,
        ..options()
    }
}

/// The same for messages that may be given up.
pub fn giving_up() -> Options {
    Options {
        partial_reliability: PartialReliability::On,
        ..options()
    }
}

/// Sends the load.
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
        let options = match number % 2 {
            0 => SendOptions {
                reliability: load.even,
                key: load.even_key,
                ..SendOptions::default()
            },
            _ => SendOptions::default(),
        };
        let sent = association.send_with(message, options);
        sent.expect("the message is accepted");
        thread::sleep(load.gap);
    }
}

/// Waits until everything sent is acknowledged, or given up; the counters then.
pub fn until_acknowledged(association: &Association) -> AssocStats {
    loop {
        let stats = association.stats().expect("it is open");
        if stats.send_buffered == 0 {
            return stats;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Receives until `count` messages have come or the peer's end.
pub fn receive(association: &Association, count: u32) -> Tally {
    receive_until(association, |messages| messages >= count as usize)
}

/// Receives until that many messages are enough, or the peer's end.
fn receive_until(association: &Association, is_enough: impl Fn(usize) -> bool) -> Tally {
    let mut tally = Tally::default();
    while !is_enough(tally.messages) {
        let next = association.receive_whole(LARGEST);
        match next.unwrap_or_else(|error| panic!("{error} after {} messages", tally.messages)) {
            Some(message) => tally.add(&message),
            None => break,
        }
    }
    tally
}

/// Receives until `odd` messages of odd numbers have come, and for a second more.
pub fn receive_odd(association: &Association, odd: usize) -> Tally {
    const LAST: Duration = Duration::from_secs(1);
    let mut tally = Tally::default();
    while tally.odd < odd {
        let next = association.receive_whole(LARGEST);
        let message = next.unwrap_or_else(|error| panic!("{error} after {tally:?}"));
        tally.add(&message.expect("the peer goes on"));
    }
    thread::sleep(LAST);
    while let Ok(Some(received)) = association.try_receive() {
        tally.add(&received.message);
    }
    tally
}

/// Sends the load to an echo server and checks that it comes back.
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

/// Sends the load to an echo server every twentieth of a second, echoes or not, until it is `over`;
/// checks that everything comes back.
fn ping_until(over: &AtomicBool, association: &Association, mut load: Load) {
    let all = AtomicUsize::new(usize::MAX);
    let tally = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                send(association, &load);
                load = load.continued();
                thread::sleep(Duration::from_millis(50));
            }
            // Known before the last load leaves, so that its echoes find it known.
            all.store((load.first + load.count) as usize, Ordering::SeqCst);
            send(association, &load);
        });
        receive_until(association, |messages| {
            messages >= all.load(Ordering::SeqCst)
        })
    });
    let seen = (tally.messages, tally.wrong);
    assert_eq!(seen, (all.into_inner(), 0));
}

/// Lets messages go to an echo server and back for as long as `changes` takes.
///
/// They go on without a pause for echoes: chunks on a path that Linux takes away wait there for later
/// ones to be missing before (`interop/README.md`).
pub fn while_pinging(association: &Association, changes: impl FnOnce()) {
    /// Ends the pinging, also where the changes fail.
    struct Until<'a>(&'a AtomicBool);

    impl Drop for Until<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    let over = AtomicBool::new(false);
    let load = Load::new(2000, 10, 5);
    thread::scope(|scope| {
        scope.spawn(|| ping_until(&over, association, load));
        let _until = Until(&over);
        changes();
    });
}

/// Sends back everything, as it came, until the peer's end; what came.
/// Errors: the association ends otherwise than gracefully.
pub fn echo(association: &Association) -> Result<Tally, sheave::error::ReceiveError> {
    let mut tally = Tally::default();
    while let Some(message) = association.receive_whole(LARGEST)? {
        tally.add(&message);
        if association.send(message).is_err() {
            break;
        }
    }
    Ok(tally)
}
