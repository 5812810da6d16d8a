//! The runs that measure the properties.

use core::time::Duration;

use bytes::Bytes;
use sheave_engine::Time;
use sheave_sim::tcp::Tcp;
use sheave_sim::{
    Bitrate, Discipline, Errors, Limit, LinkSpec, Outage, Probability, Program, Reordering, Sink,
};

use super::bench::{Bench, Wishes, link};
use super::reader::{Pause, Reader};
use super::writer::Writer;
use crate::Measured;

/// Number of messages in runs that count messages.
const MESSAGES: u32 = 1000;
/// Number of streams in runs with several streams.
const STREAMS: u32 = 5;
const BEAT: Duration = Duration::from_millis(1);

const fn seconds(seconds: u64) -> Time {
    Time::from_millis(seconds * 1000)
}

fn lossy() -> LinkSpec {
    LinkSpec {
        loss: Errors::Uniform(Probability::new(0.05)),
        ..link()
    }
}

fn cut(from: Time) -> LinkSpec {
    LinkSpec {
        outages: vec![Outage {
            from,
            until: Time::MAX,
        }],
        ..link()
    }
}

/// Sends messages over one path with these links and evaluates the reader.
fn deliver(
    (transport, wishes): (&str, Wishes),
    (writer, enough): (Writer, u32),
    path: [LinkSpec; 2],
    seed: u64,
    measure: impl FnOnce(&Reader) -> Measured,
) -> Result<Measured, String> {
    let mut bench = Bench::new(seed, &[path])?;
    let enough = usize::try_from(enough).unwrap_or(usize::MAX);
    let pair = bench.talk(transport, wishes, writer, Reader::new(enough))?;
    bench.world.run_to_completion(seconds(600));
    let mut measured = measure(bench.reader(pair)?);
    measured.fingerprint = Some(bench.world.fingerprint().to_string());
    Ok(measured)
}

fn count(reader: &Reader) -> f64 {
    reader.read().len() as f64
}

/// Sends messages twice, with the reverse path open and with it cut: a connection needs replies, so
/// it delivers nothing without the reverse path.
pub(super) fn connection(transport: &str, seed: u64) -> Result<Measured, String> {
    let run = |back: LinkSpec| {
        let writer = Writer::numbered(10, 100, 1, BEAT);
        let kind = (transport, Wishes::MESSAGES);
        deliver(kind, (writer, 10), [link(), back], seed, |reader| {
            Measured::new().with("delivered", count(reader))
        })
    };
    let delivered = |of: &Measured| of.metrics.get("delivered").copied().unwrap_or(0.0);
    let (open, cut) = (run(link())?, run(cut(Time::ZERO))?);
    Ok(Measured::new()
        .with("sent", 10.0)
        .with("delivered_both_ways", delivered(&open))
        .with("delivered_one_way", delivered(&cut)))
}

/// Sends messages over a lossy path.
pub(super) fn reliable(transport: &str, seed: u64) -> Result<Measured, String> {
    let writer = Writer::numbered(MESSAGES, 500, 1, BEAT);
    let kind = (transport, Wishes::MESSAGES);
    deliver(
        kind,
        (writer, MESSAGES),
        [lossy(), lossy()],
        seed,
        |reader| {
            Measured::new()
                .with("sent", f64::from(MESSAGES))
                .with("delivered", count(reader))
        },
    )
}

/// Sends messages of many sizes, all written at once.
pub(super) fn boundaries(transport: &str, seed: u64) -> Result<Measured, String> {
    let sizes: Vec<usize> = (1..=40).map(|n: usize| n * 37 % 1000 + 1).collect();
    let messages = sizes.iter().map(|size| (0, Bytes::from(vec![0; *size])));
    let writer = Writer::new(messages, Duration::ZERO);
    let total: usize = sizes.iter().sum();
    let kind = (transport, Wishes::BARE);
    // No number of reads ends the run, since bytes may arrive in pieces of any size.
    deliver(kind, (writer, u32::MAX), [link(), link()], seed, |reader| {
        let read = reader.read().iter().map(|read| read.payload.len());
        let same = read
            .clone()
            .zip(&sizes)
            .filter(|(read, sent)| read == *sent);
        Measured::new()
            .with("sent", sizes.len() as f64)
            .with("read", read.clone().count() as f64)
            .with("same_size", same.count() as f64)
            .with("bytes_missing", total as f64 - read.sum::<usize>() as f64)
    })
}

/// Sends messages over a path with losses and reordering.
fn order(transport: &str, wishes: Wishes, streams: u32, seed: u64) -> Result<Measured, String> {
    let there = LinkSpec {
        reordering: Some(Reordering {
            probability: Probability::new(0.1),
            extra: Duration::from_millis(5),
        }),
        ..lossy()
    };
    let writer = Writer::numbered(MESSAGES, 500, streams, BEAT);
    let kind = (transport, wishes);
    deliver(kind, (writer, MESSAGES), [there, link()], seed, |reader| {
        let order = reader.order(streams);
        Measured::new()
            .with("delivered", count(reader))
            .with("streams", reader.streams() as f64)
            .with("ahead", order.ahead as f64)
            .with("ahead_within", order.ahead_within as f64)
    })
}

/// Measures the transport's default order.
pub(super) fn ordered(transport: &str, seed: u64) -> Result<Measured, String> {
    order(transport, Wishes::MESSAGES, 1, seed)
}

/// Measures unordered delivery, if the transport supports it.
pub(super) fn unordered(transport: &str, seed: u64) -> Result<Measured, String> {
    order(transport, Wishes::UNORDERED, 1, seed)
}

/// Measures delivery on several streams, if the transport has streams.
pub(super) fn streams(transport: &str, seed: u64) -> Result<Measured, String> {
    order(transport, Wishes::MESSAGES, STREAMS, seed)
}

/// A reader that pauses from 1 s to 10 s, while the writer continues.
pub(super) fn flow_control(transport: &str, seed: u64) -> Result<Measured, String> {
    const WRITTEN: u32 = 9000;
    let mut bench = Bench::new(seed, &[[link(), link()]])?;
    let reader = Reader::new(usize::MAX).pausing(Pause {
        from: seconds(1),
        until: seconds(10),
    });
    let writer = Writer::numbered(WRITTEN, 1000, 1, BEAT);
    let pair = bench.talk(transport, Wishes::MESSAGES, writer, reader)?;
    let there = bench.there[0];
    bench.world.run_until(seconds(5));
    let before = bench.world.link_stats(there).bytes_sent;
    bench.world.run_until(seconds(10));
    let after = bench.world.link_stats(there).bytes_sent;
    bench.world.run_until(seconds(120));
    let mut measured = Measured::new()
        .with("written", f64::from(WRITTEN))
        .with("delivered", count(bench.reader(pair)?))
        .with("bytes_while_stopped", (after - before) as f64);
    measured.fingerprint = Some(bench.world.fingerprint().to_string());
    Ok(measured)
}

/// Writes at twice the bottleneck rate, in competition with a greedy TCP.
pub(super) fn congestion_control(transport: &str, seed: u64) -> Result<Measured, String> {
    const LASTS: u64 = 30;
    let access = LinkSpec::new(Bitrate::mbit(100), BEAT);
    let bottleneck = LinkSpec {
        queue: Discipline::DropTail(Limit::Packets(50)),
        ..link()
    };
    let (mut bench, rival) = Bench::shared(seed, &access, &bottleneck)?;
    // 1000 bytes per 400 us are 20 Mb/s.
    let writer = Writer::numbered(75_000, 1000, 1, Duration::from_micros(400));
    let reader = Reader::new(usize::MAX);
    let pair = bench.talk(transport, Wishes::MESSAGES, writer, reader)?;
    bench.world.run_until(seconds(LASTS));
    let stats = bench.world.link_stats(bench.there[0]);
    let rival = bench.world.agent::<Program<Tcp, Sink>>(rival);
    let rival = rival.ok_or("no rival")?.workload().bytes();
    let capacity = 10e6 / 8.0 * LASTS as f64;
    let mut measured = Measured::new()
        .with("own_share", count(bench.reader(pair)?) * 1000.0 / capacity)
        .with("rival_share", rival as f64 / capacity)
        .with("dropped_share", stats.dropped as f64 / stats.offered as f64);
    measured.fingerprint = Some(bench.world.fingerprint().to_string());
    Ok(measured)
}

/// Two paths, of which the first is cut during the run.
pub(super) fn multi_homing(transport: &str, seed: u64) -> Result<Measured, String> {
    let first = cut(seconds(1));
    let mut bench = Bench::new(seed, &[[first.clone(), first], [link(), link()]])?;
    let enough = usize::try_from(MESSAGES).unwrap_or(usize::MAX);
    let writer = Writer::numbered(MESSAGES, 500, 1, Duration::from_millis(5));
    let reader = Reader::new(enough);
    let pair = bench.talk(transport, Wishes::MESSAGES, writer, reader)?;
    bench.world.run_to_completion(seconds(600));
    let mut measured = Measured::new()
        .with("sent", f64::from(MESSAGES))
        .with("delivered", count(bench.reader(pair)?));
    measured.fingerprint = Some(bench.world.fingerprint().to_string());
    Ok(measured)
}
