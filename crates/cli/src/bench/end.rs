//! An end of a measurement between two processes, started by `sheave bench`.
//!
//! A server prints its port on one line, serves the given number of connections, and prints its
//! received bytes and CPU cost on a second line. A client prints its CPU cost or the round-trip
//! times.

mod beside;

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sheave::config::Offload;
use sheave::options::{Interleaving, PathMtuDiscovery};
use sheave::streams::StreamScheduler;
use sheave::{Association, Config, Endpoint, Message, Options, StreamId, Target};
use sheave_measure::pair::UserData;

use crate::failure::{Exit, Failure, While};
use crate::sys::cpu_time;

/// SCTP port of the server.
const PORT: u16 = 5001;

/// Arguments of an end.
#[derive(Args, Clone, Copy, Debug)]
pub struct EndArgs {
    /// The protocol
    #[arg(long, value_enum)]
    pub over: Over,
    /// The client's task
    #[arg(long, value_enum)]
    pub work: Work,
    /// The client's address
    #[arg(long)]
    pub client: IpAddr,
    /// The server's address
    #[arg(long)]
    pub server: IpAddr,
    /// The server's port, for a client
    #[arg(long)]
    pub port: Option<u16>,
    /// Maximum IP packet size, bytes [default: found by discovery]
    #[arg(long)]
    pub mtu: Option<u16>,
    /// Bytes of a message
    #[arg(long)]
    pub size: usize,
    /// Connections at the same time
    #[arg(long)]
    pub connections: u16,
    /// Time to send, milliseconds; round trips, for echoes
    #[arg(long)]
    pub amount: u32,
    /// Bytes of a bulk message beside the echoes
    #[arg(long, default_value_t = 0)]
    pub bulk: usize,
    /// The order in which streams are served
    #[arg(long, value_enum, default_value_t = Order::FirstCome)]
    pub order: Order,
}

/// The protocols that carry the messages.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The kernel's TCP
    Tcp,
    /// Sheave over UDP with GSO and GRO
    Sctp,
    /// Sheave over UDP, one packet for each system call
    SctpWithoutGso,
    /// Sheave over raw IP
    SctpRaw,
}

impl Over {
    /// Name in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP of the kernel",
            Self::Sctp => "sheave, UDP with GSO",
            Self::SctpWithoutGso => "sheave, UDP without",
            Self::SctpRaw => "sheave, raw IP",
        }
    }
}

/// Traffic patterns.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A single direction, as fast as possible
    Stream,
    /// Echo of a single message
    Echo,
    /// Echo of a single message during one-way bulk transfer
    EchoBeside,
}

/// Order in which the streams of an association are served.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In the order of sending, each message to its end
    FirstCome,
    /// Echoes before bulk, between its fragments (I-DATA)
    Priority,
    /// Echoes before bulk, with short bulk queues
    ShortQueue,
}

/// Maximum queueing time of bulk data if echoes are urgent.
const SHORT_QUEUE: Duration = Duration::from_micros(100);

/// Runs an end.
///
/// # Errors
/// A socket failed.
pub fn run(args: &EndArgs) -> Result<Exit, Failure> {
    let told = match (args.work, args.over, args.port) {
        (Work::EchoBeside, Over::Tcp, None) => beside::tcp_server(args),
        (Work::EchoBeside, Over::Tcp, Some(port)) => beside::tcp_client(args, port),
        (Work::EchoBeside, _, None) => beside::sctp_server(args),
        (Work::EchoBeside, _, Some(port)) => beside::sctp_client(args, port),
        (_, Over::Tcp, None) => tcp_server(args),
        (_, Over::Tcp, Some(port)) => tcp_client(args, port),
        (_, _, None) => sctp_server(args),
        (_, _, Some(port)) => sctp_client(args, port),
    };
    say(&told.while_doing("cannot measure over the loopback interface")?);
    Ok(Exit::Success)
}

fn say(line: &Value) {
    println!("{line}");
    // Fails only if the parent is gone.
    let _ = io::stdout().flush();
}

/// CPU time of this process so far, seconds.
fn cpu() -> f64 {
    let spent = cpu_time();
    (spent.user + spent.system).as_secs_f64()
}

fn endpoint(args: &EndArgs, local: IpAddr) -> io::Result<Endpoint> {
    let mut config = match args.over {
        Over::SctpRaw => Config::raw_ip([local]),
        _ => Config::udp([local], 0),
    };
    if args.over == Over::SctpWithoutGso {
        config.offload = Offload::Off;
    }
    Endpoint::bind(config).map_err(io::Error::other)
}

fn options(args: &EndArgs) -> Options {
    let mut options = Options::default();
    if args.order != Order::FirstCome {
        options.scheduler = StreamScheduler::Priority;
        options.interleaving = Interleaving::On;
    }
    if args.order == Order::ShortQueue {
        options.standing_queue = Some(SHORT_QUEUE);
    }
    match args.mtu {
        None => options,
        Some(mtu) => Options {
            initial_pmtu: mtu,
            path_mtu_discovery: PathMtuDiscovery::Off,
            ..options
        },
    }
}

fn target(args: &EndArgs, port: u16) -> Target {
    let target = match args.over {
        Over::SctpRaw => Target::over_ip([args.server], PORT),
        _ => Target::over_udp([args.server], port, PORT),
    };
    target.with_options(options(args))
}

fn sctp_server(args: &EndArgs) -> io::Result<Value> {
    let endpoint = endpoint(args, args.server)?;
    let listener = endpoint.listen(PORT, options(args));
    let listener = listener.map_err(io::Error::other)?;
    // Raw IP has no UDP port and needs none.
    say(&json!({ "port": endpoint.udp_port().unwrap_or(PORT) }));
    let work = args.work;
    let mut threads = Vec::new();
    for _ in 0..args.connections {
        let Some(association) = listener.accept() else {
            return Err(io::Error::other("the endpoint ended"));
        };
        threads.push(thread::spawn(move || take_in(&association, work)));
    }
    totals(threads)
}

fn take_in(association: &Association, work: Work) -> io::Result<u64> {
    let mut bytes = 0;
    while let Some(received) = association.receive().map_err(io::Error::other)? {
        bytes += received.message.payload.len() as u64;
        if work == Work::Echo {
            let sent = association.send(received.message);
            sent.map_err(io::Error::other)?;
        }
    }
    Ok(bytes)
}

fn sctp_client(args: &EndArgs, port: u16) -> io::Result<Value> {
    let endpoint = endpoint(args, args.client)?;
    let mut associations = Vec::new();
    for _ in 0..args.connections {
        let connected = endpoint.connect(target(args, port));
        associations.push(connected.map_err(io::Error::other)?);
    }
    let (args, begin) = (*args, Instant::now());
    let mut threads = Vec::new();
    for association in associations {
        threads.push(thread::spawn(move || -> io::Result<Vec<Duration>> {
            let mut data = UserData::fresh(args.size);
            let trips = drive(args, begin, || {
                let sent = association.send(Message::new(StreamId(0), data.next_bytes()));
                sent.map_err(io::Error::other)?;
                if args.work == Work::Echo {
                    association.receive().map_err(io::Error::other)?;
                }
                Ok(())
            })?;
            let closed = association.shutdown();
            closed.map_err(|reason| io::Error::other(format!("{reason:?}")))?;
            Ok(trips)
        }));
    }
    told(threads, begin)
}

fn tcp_server(args: &EndArgs) -> io::Result<Value> {
    let listener = TcpListener::bind((args.server, 0))?;
    say(&json!({ "port": listener.local_addr()?.port() }));
    let EndArgs { size, work, .. } = *args;
    let mut threads = Vec::new();
    for _ in 0..args.connections {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        threads.push(thread::spawn(move || -> io::Result<u64> {
            let mut buffer = vec![0; size];
            let mut bytes = 0;
            loop {
                let read = stream.read(&mut buffer)?;
                if read == 0 {
                    return Ok(bytes);
                }
                bytes += read as u64;
                if work == Work::Echo {
                    stream.write_all(buffer.get(..read).unwrap_or_default())?;
                }
            }
        }));
    }
    totals(threads)
}

fn tcp_client(args: &EndArgs, port: u16) -> io::Result<Value> {
    let mut streams = Vec::new();
    for _ in 0..args.connections {
        let stream = TcpStream::connect((args.server, port))?;
        stream.set_nodelay(true)?;
        streams.push(stream);
    }
    let (args, begin) = (*args, Instant::now());
    let mut threads = Vec::new();
    for mut stream in streams {
        threads.push(thread::spawn(move || -> io::Result<Vec<Duration>> {
            let mut buffer = vec![0; args.size];
            let mut data = UserData::fresh(args.size);
            let trips = drive(args, begin, || {
                data.write_next(&mut buffer);
                stream.write_all(&buffer)?;
                if args.work == Work::Echo {
                    stream.read_exact(&mut buffer)?;
                }
                Ok(())
            })?;
            stream.shutdown(Shutdown::Write)?;
            // Waits until the peer has read everything.
            stream.read_to_end(&mut Vec::new())?;
            Ok(trips)
        }));
    }
    told(threads, begin)
}

/// Sends for the given time or number of round trips; returns the round-trip times.
fn drive(
    args: EndArgs,
    begin: Instant,
    mut turn: impl FnMut() -> io::Result<()>,
) -> io::Result<Vec<Duration>> {
    let mut trips = Vec::new();
    match args.work {
        Work::Stream => {
            let span = Duration::from_millis(u64::from(args.amount));
            while begin.elapsed() < span {
                turn()?;
            }
        }
        Work::Echo | Work::EchoBeside => {
            for _ in 0..args.amount {
                let begin = Instant::now();
                turn()?;
                trips.push(begin.elapsed());
            }
        }
    }
    Ok(trips)
}

fn totals(threads: Vec<JoinHandle<io::Result<u64>>>) -> io::Result<Value> {
    let mut bytes = 0;
    for thread in threads {
        bytes += join(thread)?;
    }
    Ok(json!({ "bytes": bytes, "cpu": cpu() }))
}

fn told(threads: Vec<JoinHandle<io::Result<Vec<Duration>>>>, begin: Instant) -> io::Result<Value> {
    let mut trips = Vec::new();
    for thread in threads {
        trips.append(&mut join(thread)?);
    }
    let [p50, p99, p999] = percentiles(trips);
    Ok(json!({
        "seconds": begin.elapsed().as_secs_f64(),
        "cpu": cpu(),
        "p50": p50,
        "p99": p99,
        "p999": p999,
    }))
}

/// Median, 99th and 99.9th percentile, microseconds.
pub(super) fn percentiles(mut times: Vec<Duration>) -> [Option<f64>; 3] {
    times.sort_unstable();
    [500, 990, 999].map(|per_mille| {
        let time = times.get(times.len() * per_mille / 1000);
        time.map(|time| time.as_secs_f64() * 1e6)
    })
}

fn join<T>(thread: JoinHandle<io::Result<T>>) -> io::Result<T> {
    let joined = thread.join();
    joined.map_err(|_| io::Error::other("a thread died"))?
}
