//! `sheave dc`: WebRTC data channels with a browser, or with another `sheave dc`.

mod file;
pub mod http;
mod load;
pub mod session;
pub mod signalling;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::json;
use sheave_webrtc::{ConnectionConfig, IceMode, Identity, PeerConnection, UdpDriver};

use self::http::{Request, Server};
use self::session::{Session, Tasks};
use self::signalling::Signal;
use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;
use crate::screen::{Output, Screen};

/// Most simultaneous browser connections.
const MOST_SESSIONS: usize = 64;

/// Exchanges text, files and load over WebRTC data channels.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../../help/dc.txt").trim_end())]
pub struct DcArgs {
    #[command(subcommand)]
    role: Role,
}

/// The exchange of the descriptions.
#[derive(Subcommand, Clone, Debug)]
enum Role {
    /// Print an offer, read the answer from standard input
    Offer(Options),
    /// Read an offer from standard input, print the answer
    Answer(Options),
    /// Serve a page with data channels to browsers, and answer the offers of `sheave dc call`
    Serve {
        /// Address and port of the page
        #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
        listen: SocketAddr,

        /// End after the first connection
        #[arg(long)]
        once: bool,

        #[command(flatten)]
        options: Options,
    },
    /// Send an offer to a `sheave dc serve`
    Call {
        /// http://HOST:PORT
        url: String,

        #[command(flatten)]
        options: Options,
    },
}

/// Options of a connection.
#[derive(Args, Clone, Debug)]
struct Options {
    /// Local addresses for the UDP sockets; by default those that other machines can reach
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    local: Vec<IpAddr>,

    /// UDP port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    udp_port: u16,

    /// Answer connectivity checks and make none: for an end with a public address
    #[arg(long)]
    ice_lite: bool,

    /// File to send; may be repeated
    #[arg(long, value_name = "FILE")]
    send: Vec<PathBuf>,

    /// Directory for received files; without it, files are refused
    #[arg(long, value_name = "DIRECTORY")]
    receive: Option<PathBuf>,

    /// Measure the throughput for this many seconds
    #[arg(long, value_name = "SECONDS")]
    load: Option<u64>,

    /// Message size of --load, bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16_384)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=262_144))]
    size: u32,

    /// Echo messages on channels with other labels
    #[arg(long)]
    echo: bool,

    /// Largest path MTU to search for, bytes; browsers accept at most 2048, and 1280 disables the
    /// search
    #[arg(long, value_name = "BYTES", default_value_t = 1500)]
    #[arg(value_parser = clap::value_parser!(u16).range(1280..))]
    max_pmtu: u16,
}

/// Runs the command.
/// Errors: no socket can be bound, no description is valid, or the connection fails.
pub fn run(args: &DcArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let screen = Screen::new(output);
    let (options, connected) = match &args.role {
        Role::Offer(options) => (options, offer(options, &screen)?),
        Role::Answer(options) => (options, answer(options, &screen)?),
        Role::Call { url, options } => (options, call(url, options)?),
        Role::Serve {
            listen,
            once,
            options,
        } => {
            let server = Server::bind(*listen).while_doing(format!("--listen {listen}"))?;
            let limit = if *once { Limit::Once } else { Limit::None };
            return serve(&server, limit, options, &screen, interrupts);
        }
    };
    let (driver, connection, tasks) = connected;
    let mut session = Session::new(driver, connection, options.work(tasks)?, screen.clone());
    let waker = session.waker();
    interrupts.on_interrupt(move || waker.wake());
    if !options.has_tasks() {
        session.read_input();
    }
    session.run(interrupts)
}

/// A connection, and which tasks its end has.
type Connected = (UdpDriver, PeerConnection, Tasks);

fn offer(options: &Options, screen: &Screen) -> Result<Connected, Failure> {
    let (driver, mut connection) = options.begin(None)?;
    let offer = connection.offer().map_err(Failure::new)?;
    screen.line(&signalling::to_json(Signal::Offer, &offer));
    eprintln!("sheave: waiting for the answer on standard input");
    let answer = signalling::read(Signal::Answer)?;
    let accepted = connection.accept(Instant::now(), &answer);
    accepted.while_doing("the answer")?;
    Ok((driver, connection, Tasks::Initiator))
}

fn answer(options: &Options, screen: &Screen) -> Result<Connected, Failure> {
    let (driver, mut connection) = options.begin(None)?;
    eprintln!("sheave: waiting for an offer on standard input");
    let offer = signalling::read(Signal::Offer)?;
    let answer = connection.answer(Instant::now(), &offer);
    let answer = answer.while_doing("the offer")?;
    screen.line(&signalling::to_json(Signal::Answer, &answer));
    Ok((driver, connection, Tasks::Responder))
}

fn call(url: &str, options: &Options) -> Result<Connected, Failure> {
    let (driver, mut connection) = options.begin(None)?;
    let offer = connection.offer().map_err(Failure::new)?;
    let reply = http::post(url, "/offer", &signalling::to_json(Signal::Offer, &offer))?;
    let answer = signalling::parse(Signal::Answer, &reply)?;
    let accepted = connection.accept(Instant::now(), &answer);
    accepted.while_doing("the answer")?;
    Ok((driver, connection, Tasks::Initiator))
}

/// When the server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    None,
    Once,
}

fn serve(
    server: &Server,
    limit: Limit,
    options: &Options,
    screen: &Screen,
    interrupts: &Interrupts,
) -> Result<Exit, Failure> {
    let identity = Identity::generate().map_err(Failure::new)?;
    let url = format!("http://{}", server.address());
    screen.event("listening", json!({ "url": url }), || {
        format!("open {url} in a browser, or: sheave dc call {url}")
    });
    let alive = Arc::new(());
    let mut last = None;
    while interrupts.exit().is_none() {
        let Some(mut request) = server.accept(Duration::from_millis(200)) else {
            continue;
        };
        if request.is("GET", "/") {
            request.reply_page(include_str!("page.html"));
        } else if !request.is("POST", "/offer") {
            request.refuse(
                "404 Not Found",
                "there is a page at / and offers go to /offer",
            );
        } else if Arc::strong_count(&alive) > MOST_SESSIONS {
            request.refuse("503 Service Unavailable", "too many connections");
        } else {
            match take_offer(&request, options, &identity) {
                Ok((reply, driver, connection)) => {
                    request.reply_json(&reply);
                    let work = options.work(Tasks::Responder)?;
                    let session = Session::new(driver, connection, work, screen.clone());
                    let (guard, interrupts) = (Arc::clone(&alive), interrupts.clone());
                    last = Some(thread::spawn(move || {
                        let outcome = session.run(&interrupts);
                        drop(guard);
                        outcome
                    }));
                    if limit == Limit::Once {
                        break;
                    }
                }
                Err(failure) => request.refuse("400 Bad Request", &failure.what),
            }
        }
    }
    match (limit, last.map(thread::JoinHandle::join)) {
        (Limit::Once, Some(Ok(outcome))) => outcome,
        (Limit::Once, Some(Err(_))) => Err(Failure::new("the connection's thread panicked")),
        _ => Ok(Exit::Success),
    }
}

/// Answers an offer received by HTTP.
fn take_offer(
    request: &Request,
    options: &Options,
    identity: &Identity,
) -> Result<(String, UdpDriver, PeerConnection), Failure> {
    let offer = signalling::parse(Signal::Offer, request.body())?;
    let (driver, mut connection) = options.begin(Some(identity))?;
    let answer = connection.answer(Instant::now(), &offer);
    let answer = answer.while_doing("the offer")?;
    let reply = signalling::to_json(Signal::Answer, &answer);
    Ok((reply, driver, connection))
}

impl Options {
    /// Creates the sockets and a connection.
    fn begin(&self, identity: Option<&Identity>) -> Result<(UdpDriver, PeerConnection), Failure> {
        let driver = UdpDriver::bind(&self.local, self.udp_port).map_err(|error| {
            let fix = "--local takes addresses of this machine, --udp-port a port that is free";
            Failure::new(error).fix(fix)
        })?;
        let mut config = ConnectionConfig::new(driver.addresses());
        config.identity = identity.cloned();
        config.max_pmtu = self.max_pmtu;
        config.key_log = std::env::var_os("SSLKEYLOGFILE")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from);
        if self.ice_lite {
            config.ice = IceMode::Lite;
        }
        let connection = PeerConnection::new(Instant::now(), config).map_err(Failure::new)?;
        Ok((driver, connection))
    }

    fn has_tasks(&self) -> bool {
        !self.send.is_empty() || self.load.is_some()
    }

    fn work(&self, tasks: Tasks) -> Result<session::Work, Failure> {
        if let Some(directory) = &self.receive {
            std::fs::create_dir_all(directory).while_doing(directory.display())?;
        }
        Ok(session::Work {
            tasks,
            files: self.send.clone(),
            directory: self.receive.clone(),
            load: self.load.map(Duration::from_secs),
            size: usize::try_from(self.size).unwrap_or(usize::MAX),
            echo: self.echo,
        })
    }
}
