//! Echo of a 64-byte message between two ends in one process, over sockets: blocking threads and
//! tokio tasks, each compared with TCP used in the same manner.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sheave::{Config, Endpoint, Message, Options, StreamId, Target, tokio as tasks};
use sheave_measure::{Connection, Sctp, Tcp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};

use crate::pair::UserData;
use crate::{Args, Report, Row, Spread, Table, process_cpu_time};

/// Message size, bytes.
const SIZE: usize = 64;
/// Round trips before the measured ones.
const WARM_UP: usize = 500;
/// SCTP port of the server.
const PORT: u16 = 5001;

/// Busy-poll time of the spinning variant.
const AWAKE: Duration = Duration::from_micros(50);

/// Echo variants, each with the index of the TCP variant to compare with.
const WAYS: [(&str, Way, usize); 5] = [
    ("TCP, threads", tcp_of_threads, 0),
    (
        "sheave, threads",
        |count| sheave_of_threads(count, Duration::ZERO),
        0,
    ),
    (
        "sheave, threads, busy_poll",
        |count| sheave_of_threads(count, AWAKE),
        0,
    ),
    ("TCP, tasks of tokio", tcp_of_tasks, 3),
    ("sheave, tasks of tokio", sheave_of_tasks, 3),
];

/// Performs the given number of round trips after the warm-up.
type Way = fn(usize) -> io::Result<Trips>;

/// Round trips of one sample.
#[derive(Default)]
struct Trips {
    /// CPU time of the process before the first trip, microseconds.
    cpu_before: f64,
    /// Duration of each trip, microseconds.
    micros: Vec<f64>,
}

/// CPU time of this process, microseconds.
fn cpu() -> f64 {
    process_cpu_time().as_secs_f64() * 1e6
}

impl Trips {
    /// Records round trip `number`, which began at `began`.
    fn note(&mut self, number: usize, began: Instant) {
        match number {
            ..WARM_UP => self.cpu_before = cpu(),
            _ => self.micros.push(began.elapsed().as_secs_f64() * 1e6),
        }
    }

    /// Median and CPU time of both ends per round trip, microseconds.
    fn cost(self) -> [f64; 2] {
        let count = self.micros.len().max(1) as f64;
        let cpu = (cpu() - self.cpu_before) / count;
        [Spread::of(self.micros).median, cpu]
    }
}

/// Measures every variant, round after round.
pub(crate) fn run(args: &Args, report: &Report) -> io::Result<()> {
    if !args.wants("echo") {
        return Ok(());
    }
    let count = if args.quick { 2000 } else { 10_000 };
    let turns = ("echo", args.rounds());
    let mut ways = WAYS;
    let describe =
        |(name, ..): &(&str, Way, usize)| (format!("echo, {name}"), json!({ "stack": name }));
    let costs = report.in_turns(
        turns,
        &mut ways,
        ["p50_us", "cpu_us"],
        describe,
        |(_, way, _)| io::Result::Ok(way(count)?.cost()),
    )?;
    let mut table = Table::new(format!(
        "echo: {SIZE} bytes to another thread and back, us of wall time (p50) and of CPU time"
    ));
    for ((name, _, tcp), own) in ways.iter().zip(&costs) {
        let mut row = Row::new().text("stack", "way", name);
        for (at, head) in ["p50", "CPU"].into_iter().enumerate() {
            let ratio = Spread::of_ratios(&own[at], &costs[*tcp][at]);
            row = row
                .median(head, head, Spread::of(&own[at]), (1.0, 1))
                .spread("ratio", "to TCP", ratio, (1.0, 2));
        }
        table.push(row);
    }
    report.print(&table);
    Ok(())
}

fn config() -> Config {
    Config {
        linger: Duration::from_secs(1),
        ..Config::udp([Ipv4Addr::LOCALHOST.into()], 0)
    }
}

fn target(udp_port: Option<u16>) -> Target {
    Target::over_udp([Ipv4Addr::LOCALHOST.into()], udp_port.unwrap_or(0), PORT)
}

/// Writes a new message.
fn message(number: usize) -> Message {
    Message::new(StreamId(0), vec![number.to_le_bytes()[0]; SIZE])
}

fn early_end() -> io::Error {
    io::Error::other("the peer is gone")
}

fn ended<T>(thread: thread::JoinHandle<io::Result<T>>) -> io::Result<T> {
    let outcome = thread.join();
    outcome.unwrap_or_else(|_| Err(io::Error::other("the server's thread panicked")))
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn sheave_of_threads(count: usize, busy_poll: Duration) -> io::Result<Trips> {
    let bind = || {
        let bound = Endpoint::bind(Config {
            busy_poll,
            ..config()
        });
        bound.map_err(io::Error::other)
    };
    let (server, client) = (bind()?, bind()?);
    let listener = server.listen(PORT, Options::default());
    let listener = listener.map_err(io::Error::other)?;
    let accept = move || {
        let association = listener.accept().ok_or_else(early_end)?;
        Ok(Sctp::new(association, StreamId(0)))
    };
    let association = client.connect(target(server.udp_port()));
    let association = association.map_err(io::Error::other)?;
    echoes(count, accept, Sctp::new(association, StreamId(0)))
}

fn tcp_of_threads(count: usize) -> io::Result<Trips> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let socket = TcpStream::connect(listener.local_addr()?)?;
    let accept = move || Tcp::new(listener.accept()?.0, 0, SIZE);
    echoes(count, accept, Tcp::new(socket, 0, SIZE)?)
}

/// Echoes through a thread that accepts the client's connection.
fn echoes<C: Connection>(
    count: usize,
    accept: impl FnOnce() -> io::Result<C> + Send + 'static,
    mut client: C,
) -> io::Result<Trips> {
    let echo = thread::spawn(move || {
        let mut server = accept()?;
        while server.receive()?.is_some() {
            server.echo(None)?;
        }
        Ok(())
    });
    let mut trips = Trips::default();
    let (mut data, mut reply) = (UserData::fresh(SIZE), [0; SIZE]);
    for number in 0..WARM_UP + count {
        let began = Instant::now();
        client.send_next(&mut data)?;
        client.receive_exact(&mut reply)?;
        trips.note(number, began);
    }
    client.close()?;
    ended(echo)?;
    Ok(trips)
}

fn sheave_of_tasks(count: usize) -> io::Result<Trips> {
    let server = tasks::Endpoint::bind(config()).map_err(io::Error::other)?;
    let to = target(server.udp_port());
    let listener = server
        .listen(PORT, Options::default())
        .map_err(io::Error::other)?;
    let echo = thread::spawn(move || {
        runtime()?.block_on(async {
            let association = listener.accept().await.ok_or_else(early_end)?;
            while let Some(received) = association.receive().await.map_err(io::Error::other)? {
                let sent = association.send(received.message).await;
                sent.map_err(io::Error::other)?;
            }
            Ok(())
        })
    });
    let trips = runtime()?.block_on(async {
        let client = tasks::Endpoint::bind(config()).map_err(io::Error::other)?;
        let association = client.connect(to).await.map_err(io::Error::other)?;
        let mut trips = Trips::default();
        for number in 0..WARM_UP + count {
            let began = Instant::now();
            let sent = association.send(message(number)).await;
            sent.map_err(io::Error::other)?;
            let received = association.receive().await.map_err(io::Error::other)?;
            received.ok_or_else(early_end)?;
            trips.note(number, began);
        }
        association.shutdown().await.map_err(io::Error::other)?;
        io::Result::Ok(trips)
    })?;
    ended(echo)?;
    Ok(trips)
}

fn tcp_of_tasks(count: usize) -> io::Result<Trips> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let to = listener.local_addr()?;
    let echo = thread::spawn(move || {
        runtime()?.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let (mut stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let mut bytes = [0; SIZE];
            while stream.read_exact(&mut bytes).await.is_ok() {
                stream.write_all(&bytes).await?;
            }
            Ok(())
        })
    });
    let trips = runtime()?.block_on(async {
        let mut stream = tokio::net::TcpStream::connect(to).await?;
        stream.set_nodelay(true)?;
        let mut bytes = [0; SIZE];
        let mut trips = Trips::default();
        for number in 0..WARM_UP + count {
            let began = Instant::now();
            stream.write_all(&[number.to_le_bytes()[0]; SIZE]).await?;
            stream.read_exact(&mut bytes).await?;
            trips.note(number, began);
        }
        io::Result::Ok(trips)
    })?;
    ended(echo)?;
    Ok(trips)
}
