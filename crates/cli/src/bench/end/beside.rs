//! Echoes during a bulk transfer: one thread sends bulk data, another small messages that are
//! echoed.
//!
//! A small message carries its sending time by the machine-wide monotonic clock; its echo adds its
//! arrival time.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use sheave::{Association, Bytes, Message, StreamId};
use sheave_measure::pair::UserData;

use super::{EndArgs, PORT, cpu, endpoint, join, options, percentiles, say, target};

const BULK: StreamId = StreamId(0);
const ECHO: StreamId = StreamId(1);
/// Size of a timestamp, bytes.
const STAMP: usize = 8;
/// Pause after each echo, so that the next message meets the bulk transfer at a random point.
const PAUSE: Duration = Duration::from_millis(1);
/// Pause before the first message, in which the bulk transfer ramps up.
const WARM_UP: Duration = Duration::from_millis(200);

/// Times of one message, ns.
#[derive(Clone, Copy)]
struct Trip {
    way: u64,
    round: u64,
}

/// Monotonic machine-wide time, ns.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

fn stamp(bytes: &mut [u8], place: usize) {
    if let Some(slot) = bytes.get_mut(place..place + STAMP) {
        slot.copy_from_slice(&now().to_le_bytes());
    }
}

fn read_stamp(bytes: &[u8], place: usize) -> io::Result<u64> {
    let stamp = bytes.get(place..place + STAMP);
    let stamp = stamp.and_then(|stamp| stamp.try_into().ok());
    let stamp = stamp.ok_or_else(|| io::Error::other("an echo without time stamps"))?;
    Ok(u64::from_le_bytes(stamp))
}

pub(super) fn sctp_server(args: &EndArgs) -> io::Result<Value> {
    let endpoint = endpoint(args, args.server)?;
    let listener = endpoint.listen(PORT, options(args));
    let listener = listener.map_err(io::Error::other)?;
    say(&json!({ "port": endpoint.udp_port().unwrap_or(PORT) }));
    let Some(association) = listener.accept() else {
        return Err(io::Error::other("the endpoint ended"));
    };
    let mut bytes = 0;
    while let Some(received) = association.receive().map_err(io::Error::other)? {
        let message = received.message;
        if message.stream == ECHO {
            let mut echo = message.payload.to_vec();
            stamp(&mut echo, STAMP);
            let sent = association.send(Message::new(ECHO, Bytes::from(echo)));
            sent.map_err(io::Error::other)?;
        } else {
            bytes += message.payload.len() as u64;
        }
    }
    Ok(json!({ "bytes": bytes, "cpu": cpu() }))
}

pub(super) fn sctp_client(args: &EndArgs, port: u16) -> io::Result<Value> {
    let endpoint = endpoint(args, args.client)?;
    let association = endpoint.connect(target(args, port));
    let association = association.map_err(io::Error::other)?;
    // Other schedulers ignore priorities.
    let set = association.set_stream_priority(BULK, 1);
    set.map_err(io::Error::other)?;
    let begin = Instant::now();
    let over = Arc::new(AtomicBool::new(false));
    let bulk = {
        let (over, association) = (Arc::clone(&over), association.clone());
        let mut data = UserData::fresh(args.bulk);
        thread::spawn(move || -> io::Result<()> {
            while !over.load(Ordering::Relaxed) {
                let sent = association.send(Message::new(BULK, data.next_bytes()));
                sent.map_err(io::Error::other)?;
            }
            Ok(())
        })
    };
    let trips = measure(args, |small| exchange(&association, small));
    over.store(true, Ordering::Relaxed);
    join(bulk)?;
    let closed = association.shutdown();
    closed.map_err(|reason| io::Error::other(format!("{reason:?}")))?;
    Ok(told(&trips?, begin))
}

/// Sends a small message and waits for its echo.
fn exchange(association: &Association, small: &mut [u8]) -> io::Result<()> {
    let message = Message::new(ECHO, Bytes::copy_from_slice(small));
    association.send(message).map_err(io::Error::other)?;
    match association.receive().map_err(io::Error::other)? {
        Some(echo) if echo.message.payload.len() == small.len() => {
            small.copy_from_slice(&echo.message.payload);
            Ok(())
        }
        _ => Err(io::Error::other("the echo did not come back")),
    }
}

pub(super) fn tcp_server(args: &EndArgs) -> io::Result<Value> {
    let listener = TcpListener::bind((args.server, 0))?;
    say(&json!({ "port": listener.local_addr()?.port() }));
    let (mut bulk, _) = listener.accept()?;
    let (mut echoes, _) = listener.accept()?;
    echoes.set_nodelay(true)?;
    let size = args.size;
    let echo = thread::spawn(move || -> io::Result<()> {
        let mut small = vec![0; size];
        while echoes.read_exact(&mut small).is_ok() {
            stamp(&mut small, STAMP);
            echoes.write_all(&small)?;
        }
        Ok(())
    });
    let mut buffer = vec![0; 64 << 10];
    let mut bytes = 0;
    loop {
        let read = bulk.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
    }
    join(echo)?;
    Ok(json!({ "bytes": bytes, "cpu": cpu() }))
}

pub(super) fn tcp_client(args: &EndArgs, port: u16) -> io::Result<Value> {
    let mut bulk = TcpStream::connect((args.server, port))?;
    let mut echoes = TcpStream::connect((args.server, port))?;
    echoes.set_nodelay(true)?;
    let begin = Instant::now();
    let over = Arc::new(AtomicBool::new(false));
    let sender = {
        let over = Arc::clone(&over);
        let mut data = UserData::fresh(args.bulk);
        thread::spawn(move || -> io::Result<()> {
            let mut buffer = vec![0; data.message_len()];
            while !over.load(Ordering::Relaxed) {
                data.write_next(&mut buffer);
                bulk.write_all(&buffer)?;
            }
            bulk.shutdown(Shutdown::Write)?;
            // Waits until the peer has read everything.
            bulk.read_to_end(&mut Vec::new())?;
            Ok(())
        })
    };
    let trips = measure(args, |small| {
        echoes.write_all(small)?;
        echoes.read_exact(small)
    });
    over.store(true, Ordering::Relaxed);
    echoes.shutdown(Shutdown::Write)?;
    join(sender)?;
    Ok(told(&trips?, begin))
}

/// Sends small timestamped messages one by one through `exchange`, which replaces each by its echo.
fn measure(
    args: &EndArgs,
    mut exchange: impl FnMut(&mut [u8]) -> io::Result<()>,
) -> io::Result<Vec<Trip>> {
    let mut small = vec![0; args.size.max(2 * STAMP)];
    let mut trips = Vec::new();
    thread::sleep(WARM_UP);
    for _ in 0..args.amount {
        stamp(&mut small, 0);
        exchange(&mut small)?;
        let sent = read_stamp(&small, 0)?;
        trips.push(Trip {
            way: read_stamp(&small, STAMP)?.saturating_sub(sent),
            round: now().saturating_sub(sent),
        });
        thread::sleep(PAUSE);
    }
    Ok(trips)
}

fn told(trips: &[Trip], begin: Instant) -> Value {
    let times = |of: fn(&Trip) -> u64| {
        let times = trips.iter().map(of).map(Duration::from_nanos);
        percentiles(times.collect())
    };
    let [p50, p99, p999] = times(|trip| trip.round);
    let [way_p50, way_p99, _] = times(|trip| trip.way);
    json!({
        "seconds": begin.elapsed().as_secs_f64(),
        "cpu": cpu(),
        "p50": p50,
        "p99": p99,
        "p999": p999,
        "way_p50": way_p50,
        "way_p99": way_p99,
    })
}
