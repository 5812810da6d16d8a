use std::net::Ipv4Addr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::{env, thread};

use super::*;
use crate::assoc_handle::AssocHandle;
use crate::driver::Shared;
use crate::endpoint_inner::EndpointInner;
use crate::error::{ReceiveError, SendError};
use crate::handle::DropMode;
use crate::options::{Heartbeats, LossDetection, PathMtuDiscovery};
use crate::streams::{CustomScheduler, HasMore, Schedule, StreamScheduler};
use crate::wait::{self, Deadline};
use crate::{
    Association, CloseReason, Config, Listener, Message, Options, Profile, SendOptions, StreamId,
    Target,
};

const PORT: u16 = 5001;
/// Longer than any test step may take.
const LONG: Duration = Duration::from_secs(120);

/// A retransmission timeout longer than any delay of a slow machine.
const RTO: Duration = Duration::from_secs(60);
/// Maximum SACK delay (RFC 9260 §6.2).
const SACK_DELAY: Duration = Duration::from_millis(500);

/// Stream of the final message.
const LAST: StreamId = StreamId(1);

fn localhost(last: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, last).into()
}

/// Two endpoints on one faulty system, and an association between them.
struct Pair {
    system: Arc<Faulty>,
    client: Arc<EndpointInner>,
    server: Arc<EndpointInner>,
    _listener: Listener,
    near: Association,
    far: Association,
}

fn endpoint(system: &Arc<Faulty>, lasts: &[u8], workers: usize) -> Arc<EndpointInner> {
    let config = Config {
        linger: Duration::from_secs(2),
        workers: workers.try_into().expect("a worker"),
        ..Config::udp(lasts.iter().copied().map(localhost), 0)
    };
    let system: Arc<dyn System> = Arc::<Faulty>::clone(system);
    let shared = Shared::bind_on(&config, system).expect("sockets");
    let made = EndpointInner::over(shared, &config, DropMode::Wait, |_| ());
    made.expect("threads").0
}

/// Options with quick retransmission and many attempts.
fn stubborn() -> Options {
    Options {
        association_max_retrans: 1000,
        path_max_retrans: 3,
        max_init_retransmits: 1000,
        rto_max: Duration::from_millis(200),
        ..Profile::Datacenter.options()
    }
}

impl Pair {
    fn new(system: Faulty, workers: usize, options: Options) -> Self {
        let system = Arc::new(system);
        let systems = [&system, &system];
        Self::on(systems, workers, options)
    }

    /// Creates a client on the first system and a server on the second.
    fn on([system, beyond]: [&Arc<Faulty>; 2], workers: usize, options: Options) -> Self {
        let client = endpoint(system, &[1, 2], workers);
        let server = endpoint(beyond, &[3, 4], workers);
        let inner = server.listen(PORT, &[], options.clone()).expect("a port");
        let listener = Listener::new(inner);
        let port = server.shared.carrier.udp_port().expect("UDP");
        let target = Target::over_udp([localhost(3), localhost(4)], port, PORT);
        let handle = client.connect(target.with_options(options));
        let handle: AssocHandle = handle.expect("a way");
        let up = wait::until(Deadline::after(LONG), |cx| handle.poll_established(cx));
        up.expect("a set-up in time").expect("an association");
        let far = listener.accept_timeout(LONG).expect("the peer");
        Self {
            system: Arc::clone(system),
            client,
            server,
            _listener: listener,
            near: Association::new(handle),
            far,
        }
    }

    /// Sends `count` messages each way, and checks that all arrive.
    fn exchange(&self, count: u32) {
        thread::scope(|scope| {
            for (from, to) in [(&self.near, &self.far), (&self.far, &self.near)] {
                scope.spawn(move || {
                    for number in 0..count {
                        from.send(message(number)).expect("room");
                    }
                });
                scope.spawn(move || {
                    for number in 0..count {
                        let received = to.receive_timeout(LONG).expect("a message");
                        let payload = received.expect("no end").message.payload;
                        assert_eq!(payload, message(number).payload);
                    }
                });
            }
        });
    }

    /// Echoes `count` messages one after the other.
    fn ping(&self, count: u32) {
        self.ping_while(|number| number < count);
    }

    /// Echoes messages one after the other while `goes_on` is true of their number.
    fn ping_while(&self, mut goes_on: impl FnMut(u32) -> bool) {
        thread::scope(|scope| {
            scope.spawn(|| {
                while let Ok(Some(received)) = self.far.receive_timeout(LONG) {
                    let is_last = received.message.stream == LAST;
                    self.far.send(received.message).expect("room");
                    if is_last {
                        break;
                    }
                }
            });
            for number in 0.. {
                let is_last = !goes_on(number);
                let sent = match is_last {
                    true => Message::new(LAST, vec![1]),
                    false => message(number),
                };
                self.near.send(sent.clone()).expect("room");
                let received = self.near.receive_timeout(LONG).expect("a message");
                assert_eq!(received.expect("no end").message.payload, sent.payload);
                if is_last {
                    break;
                }
            }
        });
    }

    /// Echoes messages until this thread polls the sockets itself.
    fn ping_until_it_polls(&self) {
        let began = Instant::now();
        self.ping_while(|_| {
            assert!(began.elapsed() < LONG, "it never polls itself");
            !self.system.is_waited_on_here()
        });
    }

    /// Driver waits per second, measured for at least `span`.
    fn waits_per_second(&self, span: Duration) -> f64 {
        let (began, before) = (Instant::now(), self.system.waits());
        thread::sleep(span);
        let waits = self.system.waits() - before;
        waits as f64 / began.elapsed().as_secs_f64()
    }

    /// Checks that no worker thread has ended and that both ends close gracefully.
    fn finish(self) {
        assert!(self.client.is_at_work() && self.server.is_at_work());
        let waits = self.waits_per_second(Duration::from_millis(200));
        assert!(waits < 1000.0, "{waits} waits of idle drivers in a second");
        self.near.shutdown_timeout(LONG).expect("a graceful end");
        for inner in [&self.client, &self.server] {
            inner.close(LONG);
            let closed = wait::until(Deadline::after(LONG), |cx| inner.poll_closed(cx));
            assert_eq!(closed, Some(0));
        }
    }
}

/// Waits until `is_so` is true.
fn wait_until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "it never is");
        thread::sleep(Duration::from_millis(1));
    }
}

fn message(number: u32) -> Message {
    let size = 4 + number as usize * 97 % 4000;
    let mut payload = number.to_be_bytes().to_vec();
    payload.resize(size, 7);
    Message::new(StreamId(0), payload)
}

/// A random set of faults.
fn some_faults(system: &Faulty) -> Faults {
    let often = |most| match system.below(2) {
        0 => 0,
        _ => system.below(most),
    };
    Faults {
        sends: (OF_SENDS, often(50)),
        receives: (OF_RECEIVES, often(50)),
        waits: often(50),
        short: often(100),
        gone: match system.below(3) {
            0 => vec![localhost(1), localhost(3)],
            _ => Vec::new(),
        },
        panics: None,
    }
}

/// A round of the search: set-up, data, different faults, data, recovery, close.
fn search(seed: u64) {
    let system = Faulty::new(seed);
    let before = some_faults(&system);
    // Association set-up needs one working path.
    system.set(Faults {
        gone: Vec::new(),
        ..before
    });
    let workers = 1 + usize::try_from(system.below(2)).expect("0 or 1");
    let pair = Pair::new(system, workers, stubborn());
    for _ in 0..3 {
        pair.system.set(some_faults(&pair.system));
        if pair.system.below(2) == 0 {
            let hours = Duration::from_secs(3600 * (1 + pair.system.below(24)));
            pair.system.jump(hours);
        }
        pair.exchange(60);
        pair.ping(15);
    }
    pair.system.set(Faults::default());
    pair.exchange(60);
    pair.ping(60);
    pair.finish();
}

// Runs `SHEAVE_FAULT_SEEDS` seeds.
#[test]
fn all_data_arrives_whatever_the_system_refuses() {
    let seeds = env::var("SHEAVE_FAULT_SEEDS").ok();
    let seeds: u64 = seeds.and_then(|text| text.parse().ok()).unwrap_or(8);
    for seed in 0..seeds {
        eprintln!("seed {seed}");
        search(seed);
    }
}

#[test]
fn a_system_that_refuses_everything_is_not_asked_in_a_loop() {
    let pair = Pair::new(Faulty::new(1), 1, stubborn());
    let all = |errors, sends| match sends {
        true => Faults {
            sends: (errors, 100),
            ..Faults::default()
        },
        false => Faults {
            receives: (errors, 100),
            ..Faults::default()
        },
    };
    for faults in [
        all(&[libc::EAGAIN], true),
        all(&[libc::ENOBUFS], true),
        all(&[libc::ENOMEM], false),
        all(&[libc::EAGAIN], false),
    ] {
        let told = format!("{faults:?}");
        pair.system.set(faults);
        pair.near.send(message(0)).expect("room");
        let waits = pair.waits_per_second(Duration::from_millis(300));
        assert!(waits < 5000.0, "{waits} waits in a second: {told}");
        pair.system.set(Faults::default());
        let received = pair.far.receive_timeout(LONG);
        assert!(matches!(received, Ok(Some(_))), "{told}");
    }
    pair.finish();
}

#[test]
fn a_clock_that_jumps_ends_nothing_that_lives() {
    let pair = Pair::new(Faulty::new(2), 1, stubborn());
    for round in 0..6 {
        pair.exchange(20);
        match round % 2 {
            0 => pair.system.jump(Duration::from_secs(7 * 3600)),
            _ => pair.system.fall_back(Duration::from_millis(50)),
        }
    }
    pair.exchange(20);
    pair.finish();
}

/// A driver that was descheduled reads received packets before it runs timers.
#[test]
fn a_sack_that_came_in_time_counts_however_late_the_driver_is() {
    let (here, beyond) = (Arc::new(Faulty::new(9)), Arc::new(Faulty::new(10)));
    // Only a clock jump reaches this timeout, even on a slow machine.
    let options = Options {
        rto_initial: RTO,
        rto_min: RTO,
        rto_max: RTO,
        heartbeats: Heartbeats::Off,
        path_mtu_discovery: PathMtuDiscovery::Off,
        // The SACK is sent with the answer.
        sack_delay: SACK_DELAY,
        sack_frequency: 2,
        loss_detection: LossDetection::MissingReports,
        ..stubborn()
    };
    let pair = Pair::on([&here, &beyond], 1, options);
    here.stand_still(|| pair.client.shared.alert());
    pair.near.send(message(0)).expect("room");
    let received = pair.far.receive_timeout(LONG);
    assert!(matches!(received, Ok(Some(_))), "{received:?}");
    pair.far.send(message(0)).expect("room");
    let stats = |end: &Association| end.stats().expect("it is open");
    wait_until(|| stats(&pair.far).sacks_sent > 0);
    here.jump(2 * RTO);
    here.go_on();
    wait_until(|| stats(&pair.near).send_buffered == 0);
    assert_eq!(stats(&pair.near).timeouts, 0);
    pair.finish();
}

#[test]
fn data_goes_on_when_an_interface_goes_away_and_comes_back() {
    let pair = Pair::new(Faulty::new(3), 1, stubborn());
    pair.exchange(20);
    for gone in [
        vec![localhost(1), localhost(3)],
        vec![localhost(2), localhost(4)],
    ] {
        pair.system.faults().gone = gone;
        pair.exchange(20);
        pair.system.set(Faults::default());
        pair.exchange(20);
    }
    pair.finish();
}

#[test]
fn a_thread_that_panics_while_it_sends_leaves_the_sending_to_others() {
    let pair = Pair::new(Faulty::new(4), 1, stubborn());
    pair.exchange(5);
    let sent = || {
        // By now the worker sleeps, so the application thread sends.
        thread::sleep(Duration::from_millis(100));
        pair.system.faults().panics = Some(thread::current().id());
        pair.near.send(message(0))
    };
    let panicked = (0..20).any(|_| catch_unwind(AssertUnwindSafe(sent)).is_err());
    assert!(panicked, "the application's thread never sent");
    pair.system.set(Faults::default());
    pair.near.send(message(1)).expect("room");
    let mut last = None;
    while last != Some(message(1).payload) {
        let received = pair.far.receive_timeout(LONG).expect("a message");
        last = received.map(|received| received.message.payload);
    }
    pair.exchange(20);
    pair.finish();
}

/// A waker that panics.
struct Rude;

impl Wake for Rude {
    fn wake(self: Arc<Self>) {
        panic!("a panic that a test asks for");
    }
}

#[test]
fn a_panicking_waker_does_not_keep_others_asleep() {
    let pair = Pair::new(Faulty::new(5), 1, stubborn());
    thread::scope(|scope| {
        let rude = Waker::from(Arc::new(Rude));
        let handle = pair.far.handle();
        let pending = handle.poll_receive(Some(&Context::from_waker(&rude)));
        assert!(pending.is_pending());
        let waiting = scope.spawn(|| pair.far.receive_timeout(LONG));
        thread::sleep(Duration::from_millis(50));
        pair.near.send(message(0)).expect("room");
        let received = waiting.join().expect("no panic").expect("a message");
        assert!(received.is_some());
    });
    pair.exchange(20);
    pair.finish();
}

/// A pair in which each end has its own system.
fn apart(seed: u64) -> Pair {
    let systems = [Arc::new(Faulty::new(seed)), Arc::new(Faulty::new(seed + 1))];
    Pair::on([&systems[0], &systems[1]], 1, stubborn())
}

#[test]
fn a_reader_that_polled_and_stays_away_is_not_waited_for() {
    let pair = apart(11);
    pair.ping_until_it_polls();
    for number in 0..100 {
        pair.far.send(message(number)).expect("room");
    }
    // All data is acknowledged, although no reader takes it.
    let unacknowledged = || pair.far.stats().expect("it is open").send_buffered;
    wait_until(|| unacknowledged() == 0);
    for _ in 0..100 {
        let received = pair.near.receive_timeout(LONG).expect("a message");
        assert!(received.is_some());
    }
    pair.exchange(20);
    pair.finish();
}

#[test]
fn a_reader_that_polls_waits_no_longer_than_it_may() {
    let pair = apart(13);
    for span in [0, 1, 30] {
        pair.ping_until_it_polls();
        let span = Duration::from_millis(span);
        let began = Instant::now();
        pair.near
            .try_send(message(0), SendOptions::default())
            .expect("room");
        let received = pair.far.receive_timeout(LONG);
        assert!(matches!(received, Ok(Some(_))));
        let outcome = pair.near.receive_timeout(span);
        assert_eq!(outcome.map(|_| ()), Err(ReceiveError::NotYet));
        assert!(began.elapsed() >= span);
    }
    pair.finish();
}

#[test]
fn a_reader_that_polls_is_told_what_others_do() {
    let ends: [fn(&Pair); 3] = [
        |pair| pair.near.abort("it is over"),
        |pair| pair.far.abort("it is over"),
        |pair| pair.client.close(Duration::ZERO),
    ];
    for end in ends {
        let pair = apart(15);
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            let pair = &pair;
            scope.spawn(move || {
                pair.ping_until_it_polls();
                // Counts as an answer.
                pair.near.send(message(0)).expect("room");
                tell.send(()).expect("a test that waits");
                let outcome = pair.near.receive_timeout(LONG);
                let ended = matches!(outcome, Ok(None) | Err(ReceiveError::Closed(_)));
                assert!(ended, "{outcome:?}");
            });
            told.recv().expect("a reader");
            // By then the thread waits.
            thread::sleep(Duration::from_millis(50));
            end(pair);
        });
        assert!(pair.server.is_at_work());
    }
}

#[test]
fn a_reader_that_panics_while_it_polls_leaves_that_to_the_worker() {
    let pair = apart(17);
    pair.ping_until_it_polls();
    // Either the role is free for this thread, or the worker has just taken it and sends until it
    // sleeps.
    let mut tries = 0;
    let sent = || {
        pair.system.faults().panics = Some(thread::current().id());
        pair.near.send(message(0))
    };
    while catch_unwind(AssertUnwindSafe(sent)).is_ok() {
        tries += 1;
        assert!(tries < 1000, "this thread never sends");
        thread::sleep(Duration::from_millis(1));
    }
    pair.system.set(Faults::default());
    pair.near.send(message(1)).expect("room");
    let arrived = || pair.far.receive_timeout(LONG).expect("a message");
    while arrived().expect("no end").message.payload != message(1).payload {}
    pair.exchange(20);
    pair.ping(100);
    pair.finish();
}

/// Checks that all waiters at the near end learn of its end, and that the far end continues and can
/// be closed.
fn assert_broken_down(pair: &Pair, waiting: &mpsc::Receiver<Result<(), ReceiveError>>) {
    let told = waiting.recv_timeout(LONG).expect("the reader is told");
    assert_eq!(told, Err(ReceiveError::Closed(CloseReason::Aborted)));
    let send = pair.near.send(message(0));
    assert_eq!(send, Err(SendError::Closed(CloseReason::Aborted)));
    assert_eq!(pair.near.close_reason(), Some(CloseReason::Aborted));
    let closed = wait::until(Deadline::after(LONG), |cx| pair.client.poll_closed(cx));
    assert_eq!(closed, Some(1));
    assert!(matches!(
        pair.client.listen(PORT, &[], stubborn()),
        Err(crate::error::ListenError::EndpointClosed)
    ));
    assert!(pair.server.is_at_work());
}

fn reader(association: &Association) -> mpsc::Receiver<Result<(), ReceiveError>> {
    let (tell, told) = mpsc::channel();
    let association = association.clone();
    thread::spawn(move || {
        let _ = tell.send(association.receive().map(|_| ()));
    });
    // By then the thread sleeps.
    thread::sleep(Duration::from_millis(50));
    told
}

#[test]
fn a_panic_under_the_lock_ends_every_wait() {
    let pair = Pair::new(Faulty::new(6), 2, stubborn());
    let waiting = reader(&pair.near);
    let shared = Arc::clone(&pair.client.shared);
    let panicked = thread::spawn(move || {
        shared.act(|_, _| panic!("a panic that a test asks for"));
    });
    assert!(panicked.join().is_err());
    assert_broken_down(&pair, &waiting);
}

/// A user-defined scheduler that panics.
#[derive(Clone, Debug)]
struct Clumsy;

impl Schedule for Clumsy {
    fn on_ready(&mut self, _stream: StreamId) {}

    fn next(&self) -> Option<StreamId> {
        panic!("a panic that a test asks for");
    }

    fn on_sent(&mut self, _stream: StreamId, _bytes: usize, _more: HasMore) {}

    fn on_withdrawn(&mut self, _stream: StreamId) {}
}

#[test]
fn a_panicking_scheduler_ends_every_wait() {
    let pair = Pair::new(Faulty::new(7), 1, stubborn());
    let waiting = reader(&pair.near);
    let clumsy = CustomScheduler {
        name: "clumsy",
        make: || Box::new(Clumsy),
    };
    let set = AssertUnwindSafe(|| {
        pair.near
            .set_stream_scheduler(StreamScheduler::Custom(clumsy));
        pair.near.send(message(0))
    });
    // The panic occurs here or in a worker.
    let _ = catch_unwind(set);
    assert_broken_down(&pair, &waiting);
}

#[test]
fn a_panic_in_a_users_thread_changes_nothing() {
    let pair = Pair::new(Faulty::new(8), 1, stubborn());
    let near = pair.near.clone();
    let panicked = thread::spawn(move || {
        let _handle = near;
        panic!("a panic that a test asks for");
    });
    assert!(panicked.join().is_err());
    assert!(matches!(
        pair.near.handle().poll_receive(None),
        Poll::Pending
    ));
    pair.exchange(20);
    pair.finish();
}
