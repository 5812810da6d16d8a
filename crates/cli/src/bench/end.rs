//! An end of a measurement between two processes, started by `sheave bench`.
//!
//! A server prints its port on one line, serves the given number of connections, and prints its
//! received bytes and CPU cost on a second line. A client prints its CPU cost and the round-trip
//! times.

mod beside;
#[cfg(feature = "dtls")]
mod protected;

use std::io::{self, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clap::Args;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sheave::config::Offload;
use sheave::options::{Interleaving, PathMtuDiscovery};
use sheave::streams::StreamScheduler;
use sheave::{Config, Endpoint, Options, StreamId, Target};
use sheave_measure::pair::UserData;
use sheave_measure::{Connection, Load, Part, Sctp, Tcp, Work, process_cpu_time};

#[cfg(feature = "dtls")]
pub use self::protected::identity;
use crate::failure::{Exit, Failure, While};

/// SCTP port of the server.
const PORT: u16 = 5001;
/// Streams of bulk messages and of echoes.
const BULK: u16 = 0;
const ECHO: u16 = 1;

/// Size of the buffer in which TCP's bulk messages arrive, bytes.
const BULK_BUFFER: usize = 64 << 10;

/// Arguments of an end.
#[derive(Args, Clone, Debug)]
pub struct EndArgs {
    /// The end, as JSON
    #[arg(value_parser = parse::<End>)]
    end: End,
    /// Part of the end, as JSON
    #[arg(value_parser = parse::<Part>)]
    part: Part,
}

/// The protocol and the addresses of an end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct End {
    /// Protocol.
    pub over: Over,
    /// The client's address.
    pub client: IpAddr,
    /// The server's address.
    pub server: IpAddr,
    /// Maximum IP packet size, bytes; `None` to find it by discovery.
    pub mtu: Option<u16>,
    /// The order in which streams are served.
    pub order: Order,
    /// Certificate and key of both ends, PEM, where they authenticate.
    #[cfg(feature = "dtls")]
    pub identity: Option<[String; 2]>,
}

/// The protocols that carry the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Over {
    /// The kernel's TCP
    Tcp,
    /// Sheave over UDP with GSO and GRO
    Sctp,
    /// Sheave over UDP, one packet for each system call
    SctpWithoutGso,
    /// Sheave over raw IP
    SctpRaw,
    /// Sheave over UDP with GSO, protected by DTLS chunks
    Secure,
    /// Sheave over DTLS (RFC 8261)
    Dtls,
    /// TLS 1.3 by rustls over the kernel's TCP
    Tls,
}

impl Over {
    /// Name in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP of the kernel",
            Self::Sctp => "sheave, UDP with GSO",
            Self::SctpWithoutGso => "sheave, UDP without",
            Self::SctpRaw => "sheave, raw IP",
            Self::Secure => "sheave --secure",
            Self::Dtls => "sheave --dtls",
            Self::Tls => "TLS 1.3 over TCP",
        }
    }
}

/// Order in which the streams of an association are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Parses an argument that is JSON.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

pub fn run(args: &EndArgs) -> Result<Exit, Failure> {
    let (end, load) = (&args.end, args.part.load);
    let told = match args.part.port {
        None => serve(end, load),
        Some(port) => call(end, load, port),
    };
    say(&told.while_doing("cannot measure over the loopback interface")?);
    Ok(Exit::Success)
}

fn say(line: &Value) {
    println!("{line}");
    // Fails only if the parent is gone.
    let _ = io::stdout().flush();
}

fn endpoint(end: &End, local: IpAddr) -> io::Result<Endpoint> {
    let mut config = match end.over {
        Over::SctpRaw => Config::raw_ip([local]),
        _ => Config::udp([local], 0),
    };
    if end.over == Over::SctpWithoutGso {
        config.offload = Offload::Off;
    }
    #[cfg(feature = "dtls")]
    let config = protected::fit(config, end)?;
    Endpoint::bind(config).map_err(io::Error::other)
}

fn options(end: &End) -> Options {
    let mut options = Options::default();
    if end.order != Order::FirstCome {
        options.scheduler = StreamScheduler::Priority;
        options.interleaving = Interleaving::On;
    }
    if end.order == Order::ShortQueue {
        options.standing_queue = Some(SHORT_QUEUE);
    }
    if let Some(mtu) = end.mtu {
        options.initial_pmtu = mtu;
        options.path_mtu_discovery = PathMtuDiscovery::Off;
    }
    options
}

fn serve(end: &End, load: Load) -> io::Result<Value> {
    let mut threads = Vec::new();
    let mut start = |mut connection: Box<dyn Connection>| {
        threads.push(thread::spawn(move || take_in(&mut *connection, load.work)));
    };
    let _endpoint = if matches!(end.over, Over::Tcp | Over::Tls) {
        let listener = TcpListener::bind((end.server, 0))?;
        say(&json!({ "port": listener.local_addr()?.port() }));
        // Echoes beside bulk have a connection of their own.
        let own = u16::from(load.work == Work::EchoBeside);
        for stream in 0..load.connections + own {
            let (socket, _) = listener.accept()?;
            let size = if own > stream { BULK_BUFFER } else { load.size };
            #[cfg(feature = "dtls")]
            if end.over == Over::Tls {
                start(Box::new(protected::Tls::accept(socket, end, size)?));
                continue;
            }
            start(Box::new(Tcp::new(socket, stream, size)?));
        }
        None
    } else {
        let endpoint = endpoint(end, end.server)?;
        let listener = endpoint.listen(PORT, options(end));
        let listener = listener.map_err(io::Error::other)?;
        // Raw IP has no UDP port and needs none.
        say(&json!({ "port": endpoint.udp_port().unwrap_or(PORT) }));
        for _ in 0..load.connections {
            let association = listener.accept();
            let association = association.ok_or_else(|| io::Error::other("the endpoint ended"))?;
            start(Box::new(Sctp::new(association, StreamId(ECHO))));
        }
        Some(endpoint)
    };
    let mut bytes = 0;
    for thread in threads {
        bytes += join(thread)?;
    }
    Ok(json!({ "bytes": bytes, "cpu": process_cpu_time().as_secs_f64() }))
}

/// Receives messages to the end, and echoes those that want it; returns the bytes of the load.
fn take_in(connection: &mut dyn Connection, work: Work) -> io::Result<u64> {
    let mut bytes = 0;
    while let Some((stream, part)) = connection.receive()? {
        match work {
            Work::EchoBeside if stream == ECHO => {
                connection.echo(Some(beside::mark))?;
                continue;
            }
            Work::Echo => {
                bytes += part.len() as u64;
                connection.echo(None)?;
            }
            Work::Stream | Work::EchoBeside => bytes += part.len() as u64,
        }
    }
    Ok(bytes)
}

fn call(end: &End, load: Load, port: u16) -> io::Result<Value> {
    let tcp = |stream, size| Tcp::new(TcpStream::connect((end.server, port))?, stream, size);
    if end.over == Over::Tcp {
        return match load.work {
            Work::EchoBeside => beside::call(load, tcp(BULK, load.bulk)?, tcp(ECHO, load.size)?),
            _ => drive_all((0..load.connections).map(|_| tcp(BULK, load.size)), load),
        };
    }
    #[cfg(feature = "dtls")]
    if end.over == Over::Tls {
        let connect = |_| protected::Tls::connect((end.server, port), end, load.size);
        return drive_all((0..load.connections).map(connect), load);
    }
    let endpoint = endpoint(end, end.client)?;
    let target = match end.over {
        Over::SctpRaw => Target::over_ip([end.server], PORT),
        _ => Target::over_udp([end.server], port, PORT),
    };
    let target = target.with_options(options(end));
    let connect = || endpoint.connect(target.clone()).map_err(io::Error::other);
    if load.work == Work::EchoBeside {
        let association = connect()?;
        // Other schedulers ignore priorities.
        let set = association.set_stream_priority(StreamId(BULK), 1);
        set.map_err(io::Error::other)?;
        let [bulk, echoes] =
            [BULK, ECHO].map(|stream| Sctp::new(association.clone(), StreamId(stream)));
        return beside::call(load, bulk, echoes);
    }
    let connections = (0..load.connections).map(|_| Ok(Sctp::new(connect()?, StreamId(BULK))));
    drive_all(connections, load)
}

/// Drives each connection in a thread.
fn drive_all<C: Connection + 'static>(
    connections: impl Iterator<Item = io::Result<C>>,
    load: Load,
) -> io::Result<Value> {
    let connections = connections.collect::<io::Result<Vec<C>>>()?;
    let begin = Instant::now();
    let threads = connections.into_iter().map(|mut connection| {
        thread::spawn(move || {
            let trips = drive(&mut connection, load, begin)?;
            connection.close()?;
            Ok(trips)
        })
    });
    let threads: Vec<_> = threads.collect();
    let mut trips = Vec::new();
    for thread in threads {
        trips.append(&mut join(thread)?);
    }
    let [p50, p99, p999] = percentiles(trips);
    Ok(told(begin, json!({ "p50": p50, "p99": p99, "p999": p999 })))
}

/// The report of a client with these round-trip times.
fn told(begin: Instant, mut times: Value) -> Value {
    times["seconds"] = begin.elapsed().as_secs_f64().into();
    times["cpu"] = process_cpu_time().as_secs_f64().into();
    times
}

/// Sends for the given time or number of round trips; returns the round-trip times.
fn drive(
    connection: &mut impl Connection,
    load: Load,
    begin: Instant,
) -> io::Result<Vec<Duration>> {
    let (mut data, mut trips) = (UserData::fresh(load.size), Vec::new());
    if load.work == Work::Stream {
        let span = Duration::from_millis(u64::from(load.amount));
        while begin.elapsed() < span {
            connection.send_next(&mut data)?;
        }
        return Ok(trips);
    }
    let mut echo = vec![0; load.size];
    for _ in 0..load.amount {
        let begin = Instant::now();
        connection.send_next(&mut data)?;
        connection.receive_exact(&mut echo)?;
        trips.push(begin.elapsed());
    }
    Ok(trips)
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
