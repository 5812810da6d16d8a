//! The poll functions, for a caller with an event loop of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use sheave::handle::wait_until;
use sheave::options::EarlyData;
use sheave::{CloseReason, Event, Message, Options, SendOptions, StreamId, Target};

use crate::pair::{LONG, PORT, Pair, endpoint, localhost, quick, target};
use crate::relay::Relay;

/// Counts how often it was woken.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn an_association_is_set_up_without_a_call_that_waits() {
    let (client, server) = (endpoint(&[1]), endpoint(&[2]));
    let listener = server.listen(PORT, quick()).unwrap();
    let nothing = Context::from_waker(Waker::noop());
    assert!(listener.poll_acceptable(&nothing).is_pending());

    let near = client.start_connect(target(&server, quick())).unwrap();
    wait_until(Some(LONG), |context| near.poll_established(context))
        .unwrap()
        .unwrap();
    wait_until(Some(LONG), |context| listener.poll_acceptable(context)).unwrap();
    let Poll::Ready(Some(far)) = listener.poll_accept(&nothing) else {
        panic!("none could be accepted");
    };
    assert_eq!(far.outbound_streams(), near.inbound_streams());
}

#[test]
fn messages_are_taken_before_the_association_is_up() {
    let (client, server) = (endpoint(&[1]), endpoint(&[2]));
    let listener = server.listen(PORT, Options::default()).unwrap();
    let near = client
        .start_connect(target(&server, Options::default()))
        .unwrap();
    let message = Message::new(StreamId(3), vec![7; 9000]);
    near.try_send(message.clone(), SendOptions::default())
        .unwrap();
    let far = listener.accept_timeout(LONG).unwrap();
    let received = far.receive_timeout(LONG).unwrap();
    assert_eq!(received.map(|received| received.message), Some(message));
}

#[test]
fn a_call_that_connects_returns_when_the_peer_has_answered() {
    let (client, server) = (endpoint(&[1]), endpoint(&[2]));
    let listener = server.listen(PORT, Options::default()).unwrap();
    let relay = Relay::new(3, (localhost(2), server.udp_port().unwrap()).into());
    // The INIT ACK comes through, the COOKIE ACK does not.
    relay.pass_answers(1);
    let target = Target::over_udp([localhost(3)], relay.port(), PORT);
    let near = client.connect_timeout(target, LONG).unwrap();
    assert!(near.outbound_streams() > 0);
    let message = Message::new(StreamId(1), vec![7; 5000]);
    near.send(message.clone()).unwrap();
    let far = listener.accept_timeout(LONG).unwrap();
    let received = far.receive_timeout(LONG).unwrap();
    assert_eq!(received.map(|received| received.message), Some(message));
    let nothing = Context::from_waker(Waker::noop());
    assert!(near.poll_established(&nothing).is_pending());
    relay.pass_answers(usize::MAX);
    wait_until(Some(LONG), |context| near.poll_established(context))
        .unwrap()
        .unwrap();
}

#[test]
fn without_early_data_it_returns_when_the_association_is_up() {
    let (client, server) = (endpoint(&[1]), endpoint(&[2]));
    let _listener = server.listen(PORT, Options::default()).unwrap();
    let options = Options {
        early_data: EarlyData::Off,
        ..Options::default()
    };
    let near = client
        .connect_timeout(target(&server, options), LONG)
        .unwrap();
    let nothing = Context::from_waker(Waker::noop());
    assert!(near.poll_established(&nothing).is_ready());
}

#[test]
fn looking_for_a_message_takes_none() {
    let pair = Pair::new(quick());
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    assert!(
        pair.far
            .poll_readable(&Context::from_waker(&waker))
            .is_pending()
    );

    let mut message = Some(Message::new(StreamId(1), "there"));
    let sent = wait_until(Some(LONG), |context| {
        pair.near
            .poll_send(context, &mut message, SendOptions::default())
    });
    sent.unwrap().unwrap();
    let readable = |context: &Context<'_>| pair.far.poll_readable(context);
    wait_until(Some(LONG), readable).unwrap();
    wait_until(Some(Duration::ZERO), readable).expect("a message still waits");
    // A message can be looked at a moment before its wake-ups.
    let began = Instant::now();
    while bell.0.load(Ordering::SeqCst) == 0 && began.elapsed() < LONG {
        thread::yield_now();
    }
    assert_eq!(bell.0.load(Ordering::SeqCst), 1);

    let received = wait_until(Some(LONG), |context| pair.far.poll_receive(context));
    let received = received.unwrap().unwrap().unwrap();
    assert_eq!(received.message.payload, "there");
    assert_eq!(wait_until(Some(Duration::ZERO), readable), None);
}

#[test]
fn part_of_a_large_message_can_be_read() {
    let mut options = quick();
    options
        .apply(&[
            ("receive_buffer", "64 KiB"),
            ("partial_delivery_point", "32 KiB"),
        ])
        .unwrap();
    let pair = Pair::new(options);
    pair.near
        .send(Message::new(StreamId(0), vec![7; 500_000]))
        .unwrap();
    let mut bytes = 0;
    while bytes < 500_000 {
        wait_until(Some(LONG), |context| pair.far.poll_readable(context)).unwrap();
        let received = pair.far.try_receive().unwrap().unwrap();
        bytes += received.message.payload.len();
    }
}

#[test]
fn the_end_can_be_read_and_is_an_event() {
    let pair = Pair::new(Options::default());
    let events = pair.far.events();
    while events.try_next().is_some() {}
    pair.near.abort("enough");
    wait_until(Some(LONG), |context| events.poll_waiting(context)).unwrap();
    let reason = wait_until(Some(LONG), |context| pair.far.poll_ended(context)).unwrap();
    assert!(
        matches!(reason, CloseReason::AbortedByPeer { .. }),
        "{reason}"
    );
    wait_until(Some(Duration::ZERO), |context| {
        pair.far.poll_readable(context)
    })
    .unwrap();
    let last = wait_until(Some(LONG), |context| events.poll_event(context)).unwrap();
    assert!(matches!(last, Some(Event::Closed { .. })), "{last:?}");
}

#[test]
fn an_endpoint_closes_without_a_call_that_waits() {
    let pair = Pair::new(quick());
    pair.client.start_close(LONG);
    let aborted = wait_until(Some(LONG), |context| pair.client.poll_closed(context));
    assert_eq!(aborted, Some(0));
}
