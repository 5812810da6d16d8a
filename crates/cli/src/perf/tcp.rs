//! The kernel's TCP, measured for comparison.
//!
//! The client sends its request as one line of JSON. Forward, the client sends until it closes its
//! side, and the server answers with its count; in reverse, the server sends until the client is
//! gone.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use socket2::{Domain, SockRef, Socket, Type};

use super::control::{Direction, MAX_ASSOCIATIONS, MAX_LENGTH, Plan};
use crate::failure::{Failure, While};
use crate::sys::cpu_time;

/// Timeout for a silent peer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest first line, bytes.
const MAX_LINE: u64 = 1024;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Wish {
    direction: Direction,
    length: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Traffic {
    bytes: u64,
    seconds: f64,
}

/// The throughput of TCP.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// User bits received per second over every connection.
    pub bits_per_second: f64,
    /// CPU time of this process, per cent of elapsed time.
    pub cpu: f64,
    /// The longest TCP segment of this end, bytes of user data.
    pub segment: u32,
}

/// Measures TCP for `time` with the plan's direction, message length and number of connections, and
/// with segments of at most `mss` bytes if given.
/// Errors: the server does not accept TCP at this port, or a connection broke.
pub fn measure(
    (host, port): (&str, u16),
    plan: &Plan,
    mss: Option<u16>,
    time: Duration,
) -> Result<Reached, Failure> {
    let wish = Wish {
        direction: plan.direction,
        length: plan.length,
    };
    let connect = || -> io::Result<TcpStream> {
        let mut stream = connect_to(host, port, mss)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut line = serde_json::to_vec(&wish)?;
        line.push(b'\n');
        stream.write_all(&line)?;
        Ok(stream)
    };
    let what = format!("TCP to {host} port {port}");
    let streams: io::Result<Vec<TcpStream>> = (0..plan.associations).map(|_| connect()).collect();
    let streams = streams.while_doing(&what)?;
    let segments = streams
        .iter()
        .filter_map(|stream| SockRef::from(stream).tcp_mss().ok());
    let segment = segments.max().unwrap_or(0);
    let (cpu, began) = (cpu_time(), Instant::now());
    let deadline = began + time;
    let threads: Vec<_> = streams
        .into_iter()
        .map(|stream| thread::spawn(move || run(stream, wish, deadline)))
        .collect();
    let mut bits_per_second = 0.0;
    for thread in threads {
        let joined = thread
            .join()
            .map_err(|_| Failure::new(format!("{what}: a thread died")))?;
        let count = joined.while_doing(&what)?;
        bits_per_second += count.bytes as f64 * 8.0 / count.seconds.max(1e-9);
    }
    let now = cpu_time();
    let spent = (now.user + now.system).saturating_sub(cpu.user + cpu.system);
    Ok(Reached {
        bits_per_second,
        cpu: 100.0 * spent.as_secs_f64() / began.elapsed().as_secs_f64().max(1e-9),
        segment,
    })
}

fn connect_to(host: &str, port: u16, mss: Option<u16>) -> io::Result<TcpStream> {
    let Some(mss) = mss else {
        return TcpStream::connect((host, port));
    };
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in (host, port).to_socket_addrs()? {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.set_tcp_mss(mss.into())?;
        match socket.connect(&address.into()) {
            Ok(()) => return Ok(socket.into()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn run(mut stream: TcpStream, wish: Wish, deadline: Instant) -> io::Result<Traffic> {
    let mut buffer = vec![0; usize::try_from(wish.length).unwrap_or(65_536)];
    if wish.direction == Direction::Reverse {
        return count(&mut stream, &mut buffer, Some(deadline));
    }
    while Instant::now() < deadline {
        stream.write_all(&buffer)?;
    }
    stream.shutdown(Shutdown::Write)?;
    let mut line = String::new();
    BufReader::new(stream).take(MAX_LINE).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Counts received bytes until the end or the deadline.
fn count(
    stream: &mut TcpStream,
    buffer: &mut [u8],
    deadline: Option<Instant>,
) -> io::Result<Traffic> {
    let began = Instant::now();
    let mut bytes = 0;
    while deadline.is_none_or(|deadline| Instant::now() < deadline) {
        let read = stream.read(buffer)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
    }
    Ok(Traffic {
        bytes,
        seconds: began.elapsed().as_secs_f64(),
    })
}

/// Serves measurements, each on a new thread.
pub fn serve(listener: TcpListener) {
    let active = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if active.load(Ordering::Relaxed) >= usize::from(MAX_ASSOCIATIONS) {
                continue;
            }
            active.fetch_add(1, Ordering::Relaxed);
            let active = Arc::clone(&active);
            thread::spawn(move || {
                // A broken connection only means no measurement.
                let _ = serve_one(stream);
                active.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
}

fn serve_one(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let wish = read_wish(&mut stream)?;
    let mut buffer = vec![0; usize::try_from(wish.length.clamp(1, MAX_LENGTH)).unwrap_or(65_536)];
    if wish.direction == Direction::Reverse {
        loop {
            stream.write_all(&buffer)?;
        }
    }
    let count = count(&mut stream, &mut buffer, None)?;
    let mut line = serde_json::to_vec(&count)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Reads the first line byte by byte, so that the rest stays in the socket.
fn read_wish(stream: &mut TcpStream) -> io::Result<Wish> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < usize::try_from(MAX_LINE).unwrap_or(1024) {
        stream.read_exact(&mut byte)?;
        if byte == *b"\n" {
            return Ok(serde_json::from_slice(&line)?);
        }
        line.extend(byte);
    }
    Err(io::ErrorKind::InvalidData.into())
}
