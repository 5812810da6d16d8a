//! Messages that may be given up (RFC 3758, RFC 7496), over links that lose packets both ways.

use std::thread;
use std::time::Duration;

use sheave::options::{Interleaving, PartialReliability};
use sheave::stats::Policy;
use sheave::{Association, Delivery, Message, Options, Ppid, SendOptions, StreamId};
use sheave_interop::session::PATIENCE;
use sheave_interop::{KernelPeer, pattern};

use crate::{OURS, Over, QUICK, THEIRS, options, scenario, serve, set};

/// The reliability of the message of that index.
pub(super) type HowFar = fn(u32) -> SendOptions;

/// Messages that are sent in turn on four streams; those on the first one are reliable. The last
/// one of all is: Linux sends a FORWARD TSN behind which nothing follows only once.
pub(super) const MESSAGES: u32 = 321;
const SIZE: usize = 3000;
const STREAMS: u16 = 4;
pub(super) const RELIABLE: u32 = MESSAGES.div_ceil(STREAMS as u32);
const FIRST_NUMBER: u32 = 1 << 20;

pub(super) fn giving_up() -> Options {
    Options {
        partial_reliability: PartialReliability::On,
        // So little that something must make room.
        send_buffer: 100_000,
        ..options()
    }
}

fn make_links_lossy(kernel: &KernelPeer) {
    let _ = kernel.run(QUICK);
    let _ = kernel.run("weather eth0 in loss 10% delay 5ms");
    let _ = kernel.run("weather eth0 out loss 10%");
}

/// Sends all messages, those on the first stream reliably, the others with these options, and pauses
/// after each.
pub(super) fn send_partly(association: &Association, may_be_lost: HowFar, pause: Duration) {
    for index in 0..MESSAGES {
        let number = FIRST_NUMBER + index;
        let stream = u16::try_from(index % u32::from(STREAMS)).expect("there are few");
        let message = Message {
            stream: StreamId(stream),
            ppid: Ppid(number),
            delivery: Delivery::Ordered,
            payload: pattern(number, SIZE),
        };
        let how = match stream {
            0 => SendOptions::default(),
            _ => may_be_lost(index),
        };
        association.send_with(message, how).expect("it is accepted");
        thread::sleep(pause);
    }
}

/// Number of messages on each stream, as the peer program says.
pub(super) fn counts(text: &str) -> Vec<u32> {
    let line = text.lines().find_map(|line| line.strip_prefix("counts "));
    let line = line.unwrap_or_else(|| panic!("no counts in {text}"));
    let count = |word: &str| {
        word.split_once(':')
            .and_then(|(_, count)| count.parse().ok())
    };
    line.split(' ').filter_map(count).collect()
}

#[test]
fn the_kernel_skips_what_we_give_up() {
    let policies: [(Policy, HowFar); 3] = [
        (Policy::Timed, |_| {
            SendOptions::default().with_lifetime(Duration::from_millis(60))
        }),
        (Policy::Retransmissions, |_| {
            SendOptions::default().with_max_retransmissions(0)
        }),
        (Policy::Priority, |index| {
            SendOptions::default().with_priority(index % 7)
        }),
    ];
    scenario(|kernel| {
        make_links_lossy(kernel);
        for (at, (policy, how)) in (0..).zip(policies) {
            let (log, port) = (format!("sink{at}"), 1700 + at);
            serve(kernel, &log, "sink", port, "");
            let endpoint = Over::Udp.bind(&OURS[..1]);
            let association = Over::Udp.call_with(giving_up(), &endpoint, &THEIRS[..1], port);
            let association = association.expect("the kernel answers");
            assert_eq!(association.partial_reliability(), PartialReliability::On);
            send_partly(&association, how, Duration::ZERO);
            // Its counters are gone with it.
            let given_up = drained(&association, policy);
            assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
            let text = kernel.wait_for_line(&log, "sink ", PATIENCE);
            assert!(text.contains("wrong 0 end shutdown"), "{policy:?}: {text}");
            let counts = counts(&text);
            let all: u32 = counts.iter().sum();
            assert_eq!(counts[0], RELIABLE, "{text}");
            assert!(given_up > 0, "{policy:?}: {text}");
            // One that was given up may have arrived, or have been on its way.
            assert!(all + given_up >= MESSAGES, "{policy:?}: {given_up}, {text}");
            assert!(all < MESSAGES, "{policy:?}: {given_up}, {text}");
        }
    });
}

/// Waits until nothing is left to be sent; how many messages were given up for that reason.
pub(super) fn drained(association: &Association, policy: Policy) -> u32 {
    let deadline = std::time::Instant::now() + PATIENCE;
    while association
        .stats()
        .is_some_and(|stats| stats.send_buffered > 0)
    {
        assert!(
            std::time::Instant::now() < deadline,
            "something stays unsent"
        );
        thread::sleep(Duration::from_millis(5));
    }
    let total = association.abandonments(policy).total();
    u32::try_from(total).expect("there are few")
}

/// Receives to the end what the kernel sends, messages of `size` bytes; how many of each stream.
pub(super) fn receive_partly(association: &Association, size: usize) -> Vec<u32> {
    let mut counts = vec![0; usize::from(STREAMS)];
    let mut newest = vec![0; usize::from(STREAMS)];
    while let Some(message) = association
        .receive_whole(size)
        .expect("the kernel ends gracefully")
    {
        let (stream, number) = (usize::from(message.stream.0), message.ppid.0);
        assert_eq!(message.payload, pattern(number, size), "message {number}");
        assert!(newest[stream] < number, "{number} after {}", newest[stream]);
        newest[stream] = number;
        counts[stream] += 1;
    }
    counts
}

fn hear_what_the_kernel_gives_up(kernel: &KernelPeer, ours: &Options, size: usize, more: &str) {
    let endpoint = Over::Ip.bind(&OURS[..1]);
    let listener = endpoint.listen(9, ours.clone()).expect("the port is free");
    for policy in ["ttl:60", "rtx:0", "prio:3"] {
        // So little that what is reliable pushes others out.
        let room = match policy {
            "prio:3" => format!("room={}", 8 * size),
            _ => String::new(),
        };
        let words = format!("streams={STREAMS} reliable-stream=0 policy={policy} {room} {more}");
        let command = format!("peer send {} 9 {size} {MESSAGES} {words}", OURS[0]);
        kernel.start("send", &command);
        let association = listener.accept_timeout(PATIENCE).expect("the kernel calls");
        let counts = receive_partly(&association, size);
        let text = kernel.wait_for_line("send", "send ", PATIENCE);
        assert!(text.contains("end shutdown"), "{policy}: {text}");
        assert_eq!(counts[0], RELIABLE, "{policy}: {counts:?}");
        assert!(
            counts.iter().sum::<u32>() < MESSAGES,
            "{policy}: {counts:?}"
        );
    }
}

#[test]
fn we_skip_what_the_kernel_gives_up() {
    scenario(|kernel| {
        make_links_lossy(kernel);
        hear_what_the_kernel_gives_up(kernel, &giving_up(), SIZE, "");
    });
}

#[test]
fn we_skip_messages_in_i_data_that_the_kernel_gives_up() {
    scenario(|kernel| {
        make_links_lossy(kernel);
        set(kernel, "intl_enable", 1);
        let ours = Options {
            interleaving: Interleaving::On,
            ..giving_up()
        };
        // Whole messages: see `interleaving.rs`.
        hear_what_the_kernel_gives_up(kernel, &ours, 1000, "interleave");
    });
}
