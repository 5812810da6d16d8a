//! The parts of a WebRTC peer in Rust that no stack makes differ.
//!
//! Commands come by standard input and news go to standard output, a line each, as `../webrtc.md` says.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::command::Command;

/// Time after which the program ends by itself.
const BOUND: Duration = Duration::from_secs(300);

/// Longest wait for a datagram: commands are looked for that often.
const PAUSE: Duration = Duration::from_millis(2);

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A stack with its channels.
pub(crate) trait Stack {
    fn obey(&mut self, command: Command) -> Outcome;

    /// When the stack wants to be called again, if ever.
    fn timeout(&mut self) -> Option<Instant>;

    fn handle_timeout(&mut self, now: Instant) -> Outcome;

    fn handle_datagram(&mut self, from: SocketAddr, datagram: &[u8]) -> Outcome;

    /// Sends what there is to send, and tells what has happened.
    fn drain(&mut self, socket: &UdpSocket) -> Outcome;

    /// Sends the messages for which there is room; whether there were any.
    fn flush(&mut self) -> Outcome<bool>;
}

/// Runs the stack made by `new`, to which it gives the address of its socket.
pub(crate) fn main<S: Stack>(new: impl FnOnce(SocketAddr) -> Outcome<S>) -> ExitCode {
    match run(new) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("failed {error}");
            ExitCode::FAILURE
        }
    }
}

fn run<S: Stack>(new: impl FnOnce(SocketAddr) -> Outcome<S>) -> Outcome {
    let socket = UdpSocket::bind((own_address(), 0))?;
    let mut stack = new(socket.local_addr()?)?;
    let commands = commands();
    let mut datagram = vec![0; 1 << 16];
    println!("ready");
    let end = Instant::now() + BOUND;
    while Instant::now() < end {
        match commands.try_recv() {
            Ok(line) => stack.obey(line.parse()?)?,
            Err(TryRecvError::Empty) => {
                if let Some((length, from)) = receive(&socket, stack.timeout(), &mut datagram)? {
                    stack.handle_datagram(from, &datagram[..length])?;
                }
            }
            Err(TryRecvError::Disconnected) => return Ok(()),
        }
        let now = Instant::now();
        if stack.timeout().is_some_and(|due| due <= now) {
            stack.handle_timeout(now)?;
        }
        stack.drain(&socket)?;
        if stack.flush()? {
            stack.drain(&socket)?;
        }
    }
    Err("time is up".into())
}

/// Takes one datagram, if it comes in time.
fn receive(
    socket: &UdpSocket,
    due: Option<Instant>,
    datagram: &mut [u8],
) -> Outcome<Option<(usize, SocketAddr)>> {
    let left = due.map_or(PAUSE, |due| due.saturating_duration_since(Instant::now()));
    socket.set_read_timeout(Some(left.clamp(Duration::from_micros(100), PAUSE)))?;
    match socket.recv_from(datagram) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_no_datagram(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn describe(kind: &str, sdp: &str) {
    println!("{kind} {}", json!({ "type": kind, "sdp": sdp }));
}

/// Lines of standard input, read in a thread of their own.
fn commands() -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

fn is_no_datagram(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
    )
}

/// The address that this machine sends from: no datagram is needed to find it out.
fn own_address() -> Ipv4Addr {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let found = socket.and_then(|socket| {
        socket.connect((Ipv4Addr::new(203, 0, 113, 1), 9))?;
        socket.local_addr()
    });
    match found {
        Ok(SocketAddr::V4(address)) => *address.ip(),
        _ => Ipv4Addr::LOCALHOST,
    }
}
