//! Programs that use the kernel's SCTP socket API, for `sheave bench run`.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use socket2::{Domain, Protocol, Socket, Type};

use super::end::percentiles;
use crate::failure::{Exit, Failure, While};

/// Size of an echo message, bytes.
const MESSAGE: usize = 64;
/// Warm-up echoes, not measured.
const WARM_UP: u32 = 200;
/// Connection attempts, and the pause between them.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// A program with kernel SCTP sockets.
#[derive(Args, Clone, Debug)]
pub struct SocketsArgs {
    /// The program
    role: Role,
    /// SCTP port of 127.0.0.1
    #[arg(long, default_value_t = 7)]
    port: u16,
    /// Echoes or calls
    #[arg(long, default_value_t = 1000)]
    count: u32,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Echoes one client's messages
    Server,
    /// Sends messages one after the other and reports their round trips
    Client,
    /// Receives one client's messages and reports how many arrived per second
    Sink,
    /// Sends messages without waiting for answers
    Source,
    /// Reads a socket's name repeatedly and reports the calls per second
    Calls,
}

/// Runs the command.
/// Errors: SCTP sockets are unsupported, or the other end is missing.
pub fn run(args: &SocketsArgs) -> Result<Exit, Failure> {
    let told = match args.role {
        Role::Server => serve(args.port),
        Role::Client => echo(args.port, args.count),
        Role::Sink => sink(args.port),
        Role::Source => source(args.port, args.count),
        Role::Calls => calls(args.count),
    };
    println!("{}", told.while_doing("cannot use an SCTP socket")?);
    Ok(Exit::Success)
}

fn socket() -> io::Result<Socket> {
    Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::from(132)))
}

fn address(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// Accepts the first client's association.
fn accept(port: u16) -> io::Result<Socket> {
    let listener = socket()?;
    listener.bind(&address(port).into())?;
    listener.listen(1)?;
    listener.accept().map(|(peer, _)| peer)
}

fn sink(port: u16) -> io::Result<Value> {
    let peer = accept(port)?;
    let mut room = [0; MESSAGE];
    (&peer).read_exact(&mut room)?;
    let (begin, mut received) = (Instant::now(), 0_u32);
    while (&peer).read(&mut room)? > 0 {
        received += 1;
    }
    Ok(json!({ "messages_per_second": f64::from(received) / begin.elapsed().as_secs_f64() }))
}

fn source(port: u16, count: u32) -> io::Result<Value> {
    let peer = connect(port)?;
    let message = [7; MESSAGE];
    for _ in 0..=count {
        (&peer).write_all(&message)?;
    }
    Ok(json!({ "sent": count }))
}

fn serve(port: u16) -> io::Result<Value> {
    let peer = accept(port)?;
    let mut room = [0; MESSAGE];
    let mut served = 0;
    loop {
        match (&peer).read(&mut room)? {
            0 => return Ok(json!({ "served": served })),
            length => (&peer).write_all(&room[..length])?,
        }
        served += 1;
    }
}

fn echo(port: u16, count: u32) -> io::Result<Value> {
    let peer = connect(port)?;
    let (message, mut room) = ([7; MESSAGE], [0; MESSAGE]);
    let mut trips = Vec::new();
    for number in 0..WARM_UP + count {
        let begin = Instant::now();
        (&peer).write_all(&message)?;
        let length = (&peer).read(&mut room)?;
        if room[..length] != message {
            return Err(io::Error::other("an echo came back changed"));
        }
        if number >= WARM_UP {
            trips.push(begin.elapsed());
        }
    }
    let [p50, p99, _] = percentiles(trips);
    Ok(json!({ "p50": p50, "p99": p99 }))
}

/// Connects as soon as the server listens.
fn connect(port: u16) -> io::Result<Socket> {
    let mut attempts = 0;
    loop {
        let peer = socket()?;
        match peer.connect(&address(port).into()) {
            Err(error)
                if error.kind() == io::ErrorKind::ConnectionRefused && attempts < ATTEMPTS =>
            {
                attempts += 1;
                thread::sleep(PAUSE);
            }
            connected => return connected.map(|()| peer),
        }
    }
}

fn calls(count: u32) -> io::Result<Value> {
    let socket = socket()?;
    socket.bind(&address(0).into())?;
    let begin = Instant::now();
    for _ in 0..count {
        socket.local_addr()?;
    }
    Ok(json!({ "calls_per_second": f64::from(count) / begin.elapsed().as_secs_f64() }))
}
