use core::time::Duration;

use bytes::Bytes;
use sheave_engine::Time;
use sheave_sim::{Corruption, Errors, Flips, LinkSpec, Placement, Probability, Random};

use super::bench::{Bench, Wishes, link};
use super::reader::Reader;
use super::writer::Writer;
use crate::Measured;

/// Number of different payloads used to find the checksum's width.
const PAYLOADS: usize = 64;
/// Size of each payload, bytes; the bytes before it in a packet are headers.
const SHORT: usize = 64;
/// Number of messages sent over a link with bit errors.
const MESSAGES: usize = 5000;
/// Size of each message, bytes.
const LEN: usize = 1000;

/// Measures the width of the checksum, and the number of undetected errors.
pub(super) fn run(transport: &str, seed: u64) -> Result<Measured, String> {
    let wrong = wrong_messages(transport, seed)?;
    Ok(Measured::new()
        .with("width_bits", width(transport, seed)?)
        .with("messages", MESSAGES as f64)
        .with("delivered_wrong", wrong))
}

/// Counts the header bits that change with the payload; all else is equal, since the runs share a
/// seed.
fn width(transport: &str, seed: u64) -> Result<f64, String> {
    let mut random = Random::new(seed).fork("payloads");
    let mut first: Option<Vec<u8>> = None;
    let mut changed = Vec::new();
    for _ in 0..PAYLOADS {
        let header = header_before(transport, &payload(SHORT, &mut random), seed)?;
        let first = first.get_or_insert_with(|| header.clone());
        if first.len() != header.len() {
            return Err("headers of different lengths".to_owned());
        }
        changed.resize(header.len(), 0_u8);
        for ((changed, one), other) in changed.iter_mut().zip(first.iter()).zip(&header) {
            *changed |= one ^ other;
        }
    }
    Ok(f64::from(
        changed.iter().map(|byte| byte.count_ones()).sum::<u32>(),
    ))
}

/// The bytes before the payload in its packet.
fn header_before(transport: &str, payload: &Bytes, seed: u64) -> Result<Vec<u8>, String> {
    let mut bench = Bench::new(seed, &[[link(), link()]])?;
    let writer = Writer::new([(0, payload.clone())], Duration::ZERO);
    let pair = bench.talk(transport, Wishes::BARE, writer, Reader::new(1))?;
    bench.world.run_to_completion(Time::from_millis(10_000));
    let mut packets = bench.sent(pair)?.iter();
    let header = packets.find_map(|packet| packet.strip_suffix(payload.as_ref()));
    header
        .map(<[u8]>::to_vec)
        .ok_or_else(|| "no packet carries it".to_owned())
}

/// Counts corrupted messages delivered over a link that flips two bits in one packet of twenty.
fn wrong_messages(transport: &str, seed: u64) -> Result<f64, String> {
    let there = LinkSpec {
        corruption: Corruption::Packets {
            errors: Errors::Uniform(Probability::new(0.05)),
            flips: Flips {
                least: 2,
                most: 2,
                placement: Placement::Scattered,
            },
        },
        ..link()
    };
    let message = payload(LEN, &mut Random::new(seed).fork("message"));
    let messages = core::iter::repeat_n((0, message.clone()), MESSAGES);
    let writer = Writer::new(messages, Duration::from_millis(2));
    let mut bench = Bench::new(seed, &[[there, link()]])?;
    let pair = bench.talk(transport, Wishes::BARE, writer, Reader::new(usize::MAX))?;
    bench.world.run_until(Time::from_millis(600_000));
    let bytes = bench.reader(pair)?.bytes();
    // All messages are equal and of equal length, so errors also show in a byte stream.
    let wrong = bytes.chunks_exact(LEN).filter(|read| *read != message);
    Ok(wrong.count() as f64)
}

fn payload(len: usize, random: &mut Random) -> Bytes {
    let words = (0..len.div_ceil(8)).flat_map(|_| random.u64().to_le_bytes());
    words.take(len).collect::<Vec<u8>>().into()
}
