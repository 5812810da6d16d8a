//! SCTP sockets for unmodified programs, on a machine whose kernel has none.
//!
//! [`run`] starts a program under a seccomp filter that traps the calls that make SCTP sockets and
//! those on them, and answers them from this process, the *host*, which owns an endpoint of its own
//! (`sheave`) and the sockets on it (`sheave-sockets`). Everything that the program starts is served
//! likewise. No privilege is needed. Where no filter can be had, a library is preloaded instead,
//! whose functions hand the same calls over.
//!
//! A socket of the program is one end of a pair of Unix sockets, which shows readiness to `poll` and
//! its like and tells the host when the last copy is closed; messages are copied between the
//! processes' memories. `docs/howto/run.md` says which programs run and what cannot be had.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

mod door;
mod doors;
mod entry;
mod error;
mod filter;
mod front;
mod host;
mod join;
mod message;
mod parked;
mod process;
mod report;
mod socket;
mod sys;
mod trace;
mod trapped;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use sheave::config::CarrierKind;
use sheave::poll_loop::{PollLoop, Tap, Time};
use sheave::{Config, Options};
use sheave_sockets::{Abi, SocketMemory, Stack};

pub use doors::{Doors, doors};
pub use error::RunError;
pub use report::Report;
pub use sys::memory::MemoryAccess;
pub use trace::Verbosity;

use door::Entrance;
use entry::Entered;
use filter::Base;
use host::{Host, Loopback, Parts, Program};
use join::{JoinError, Meeting};
use process::Reach;
use sys::signals::Signals;

/// Programs whose servers need the lowest free numbers, or that hand sockets to `select`.
const LOW_NUMBERS: [&str; 1] = ["iperf3"];
/// Numbers above the high base that a program needs at least.
const ROOM: u64 = 256;

/// The numbers that descriptors of SCTP sockets get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// High ones, low ones for programs that need them and where the limit of open files is small.
    #[default]
    Automatic,
    /// From 512 on: other descriptors cost what they always do.
    High,
    /// The lowest free ones, as the kernel gives: each read and write of the program, on whatever
    /// descriptor, then costs some microseconds more.
    Low,
}

/// The way in which calls of programs reach their host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoorKind {
    /// A listener, and where none can be had a preloaded library.
    #[default]
    Automatic,
    /// The listener of a seccomp filter: it sees the calls of every program.
    Listener,
    /// A library that is loaded before the C library: it sees the calls of programs that are linked
    /// dynamically, and needs no right at all.
    Preload,
}

/// The program to run and what its sockets are like.
pub struct Settings {
    /// The program.
    pub program: OsString,
    /// The program's arguments.
    pub args: Vec<OsString>,
    /// The network: addresses, carrier, limits.
    pub config: Config,
    /// The options that sockets begin with.
    pub options: Options,
    /// The UDP port of peers, over UDP; programs may choose another
    /// (`SCTP_REMOTE_UDP_ENCAPS_PORT`).
    pub encapsulation: Option<u16>,
    /// The way in which calls reach the host.
    pub door: DoorKind,
    /// The numbers of descriptors, with a listener.
    pub numbers: Numbers,
    /// The name under which programs of several `sheave run` share a host; `None` for the UDP port,
    /// or raw IP.
    pub meeting: Option<String>,
    /// Whether calls are printed to standard error.
    pub verbosity: Verbosity,
    /// Makes what sees the packets, once they are carried here.
    pub tap: Option<MakeTap>,
    /// Time that associations have to end once all programs have.
    pub linger: Duration,
}

/// Makes what sees the packets of a host, whose UDP port it is told.
pub type MakeTap = Box<dyn FnOnce(Option<u16>) -> io::Result<Box<dyn Tap>>>;

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program exited with that code.
    Code(i32),
    /// A signal of that number ended it.
    Signal(i32),
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The end of the program.
    pub ending: Ending,
    /// Counters; `None` where another host served the program.
    pub report: Option<Report>,
}

/// Runs a program to its end.
///
/// # Errors
/// The program cannot be started, or nothing can serve it here. The error says what to do.
pub fn run(settings: Settings) -> Result<Finished, RunError> {
    let reach = process::reach();
    let base = base_of(&settings);
    let signals = Signals::watch().map_err(RunError::system("watch for signals"))?;
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own))
        .map_err(|error| RunError::system("adopt orphans")(error.into()))?;
    let name = meeting_of(&settings);
    // A host may end between the look for one and the attempt to become one.
    for _ in 0..8 {
        if let Some(name) = &name
            && let Some(host) = find(name)?
        {
            let is_ours = join::is_ours(&host).map_err(RunError::system("look at the host"))?;
            match &settings.tap {
                _ if !is_ours => return Err(RunError::OtherUser),
                Some(_) => return Err(RunError::TapOfJoined),
                None => {}
            }
            drop(host);
            return run_joined(&settings, &signals, name, base, reach);
        }
        let carrier = PollLoop::bind(&settings.config).map_err(RunError::Bind)?;
        // One whose port was picked is found by that, too.
        let picked = carrier.udp_port().map(|port| format!("udp-{port}"));
        let meeting = match name.as_ref().or(picked.as_ref()) {
            Some(name) => Meeting::open(name).map_err(RunError::system("become a host"))?,
            None => None,
        };
        if name.is_none() || meeting.is_some() {
            return run_here(settings, signals, carrier, meeting, base, reach);
        }
    }
    Err(RunError::system("find a host")(
        io::ErrorKind::AddrInUse.into(),
    ))
}

/// Runs the program in this host.
fn run_here(
    mut settings: Settings,
    signals: Signals,
    mut carrier: PollLoop,
    meeting: Option<Meeting>,
    base: Base,
    reach: Reach,
) -> Result<Finished, RunError> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| RunError::system("read random bytes")(io::Error::other(error)))?;
    let addresses = carrier.local_addresses().to_vec();
    let limits = settings.config.endpoint.clone();
    let options = carrier.fit(settings.options.clone());
    let port = carrier.udp_port();
    let tap = settings.tap.take().map(|make| make(port)).transpose();
    let tap = tap.map_err(RunError::system("write the capture file"))?;
    let entered = entry::start(&settings, &signals, base, reach)?;
    let mut stack = Stack::new(addresses, limits, options, Abi::LINUX, seed);
    stack.set_encapsulation(carrier.udp_port().and(settings.encapsulation));
    stack.set_own_encapsulation(carrier.udp_port());
    stack.set_memory(socket_memory('w'), socket_memory('r'));
    stack.set_routes(carrier.routes());
    if let Some(tap) = tap {
        carrier.set_tap(tap);
    }
    raise_file_limit();
    let parts = Parts {
        carrier,
        stack,
        signals,
        meeting,
        reach,
        verbosity: settings.verbosity,
        linger: settings.linger,
        loopback: match settings.config.local.is_empty() {
            true => Loopback::Whole,
            false => Loopback::AsSaid,
        },
    };
    let program = Program {
        door: entered
            .entrance
            .open()
            .map_err(RunError::system("open a door"))?,
        base: entered.base,
        link: None,
    };
    let mut host = Host::new(parts, entered.process, program)
        .map_err(RunError::system("watch the program"))?;
    let ending = host.serve().map_err(RunError::system("wait for calls"))?;
    Ok(Finished {
        ending,
        report: Some(host.report),
    })
}

/// The bounds of this machine on buffers of sockets, to write to or to read from: an administrator's
/// limits hold here as they do in the kernel.
fn socket_memory(way: char) -> SocketMemory {
    let read = |name: &str| {
        let file = format!("/proc/sys/net/core/{way}mem_{name}");
        let text = fs::read_to_string(file).ok()?;
        text.trim().parse().ok()
    };
    SocketMemory {
        usual: read("default").unwrap_or(SocketMemory::LINUX.usual),
        most: read("max").unwrap_or(SocketMemory::LINUX.most),
    }
}

/// The names of the hosts that serve programs in this network namespace, `udp-PORT` and `raw` unless they
/// were given one.
///
/// # Errors
/// The system does not list sockets.
pub fn hosts() -> io::Result<Vec<String>> {
    join::names()
}

/// The state of the host of that name: a JSON object with its sockets, associations, paths and counters.
/// `None` if there is no such host.
///
/// # Errors
/// The host belongs to another user, or does not answer.
pub fn state(name: &str) -> Result<Option<String>, RunError> {
    let Some(host) = find(name)? else {
        return Ok(None);
    };
    let file = join::ask(&host).map_err(|error| match error {
        JoinError::OtherUser => RunError::OtherUser,
        JoinError::System(error) => RunError::system("ask the host")(error),
    })?;
    let mut file = fs::File::from(file);
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.read_to_string(&mut text))
        .map_err(RunError::system("read the host's answer"))?;
    Ok(Some(text))
}

/// A connection to the host of that name, if there is one.
fn find(name: &str) -> Result<Option<OwnedFd>, RunError> {
    join::find(name).map_err(RunError::system("look for a host"))
}

/// Runs the program with the host of that name.
fn run_joined(
    settings: &Settings,
    signals: &Signals,
    name: &str,
    base: Base,
    reach: Reach,
) -> Result<Finished, RunError> {
    let Entered {
        process,
        entrance,
        base,
        _library,
    } = entry::start(settings, signals, base, reach)?;
    // A host that is connected to does nothing before it is spoken to: a program takes time to start.
    let joined = find(name).and_then(|host| match host {
        Some(host) => join_host(host, &entrance, base),
        None => Err(RunError::system("join the host")(
            io::ErrorKind::NotFound.into(),
        )),
    });
    drop(entrance);
    let host = joined.inspect_err(|_| front::end(process))?;
    let ending = front::wait(process, signals, &host, settings.linger)
        .map_err(RunError::system("wait for the program"))?;
    Ok(Finished {
        ending,
        report: None,
    })
}

/// Hands the program's door to the host; the connection, which lasts as long as the host.
fn join_host(host: OwnedFd, entrance: &Entrance, base: Base) -> Result<OwnedFd, RunError> {
    match join::join(&host, entrance, base) {
        Ok(()) => Ok(host),
        Err(JoinError::OtherUser) => Err(RunError::OtherUser),
        Err(JoinError::System(error)) => Err(RunError::system("join the host")(error)),
    }
}

/// The base of the numbers of sockets.
fn base_of(settings: &Settings) -> Base {
    let words = std::iter::once(&settings.program).chain(&settings.args);
    let needs_low = words.filter_map(|word| word.to_str()).any(|word| {
        let names = word
            .split_whitespace()
            .filter_map(|word| Path::new(word).file_name());
        names
            .into_iter()
            .any(|name| LOW_NUMBERS.iter().any(|low| name == *low))
    });
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let is_small = limit.is_some_and(|limit| limit < u64::from(Base::HIGH.0) + ROOM);
    match settings.numbers {
        Numbers::High => Base::HIGH,
        Numbers::Low => Base::LOW,
        Numbers::Automatic if needs_low || is_small => Base::LOW,
        Numbers::Automatic => Base::HIGH,
    }
}

/// The name under which hosts of this network find each other.
fn meeting_of(settings: &Settings) -> Option<String> {
    let usual = match settings.config.carrier {
        CarrierKind::Udp { port: 0 } => None,
        CarrierKind::Udp { port } => Some(format!("udp-{port}")),
        CarrierKind::RawIp => Some("raw".to_owned()),
    };
    settings.meeting.clone().or(usual)
}

/// Lets the host have as many sockets as it may; the program has its own limit.
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        ..limit
    };
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Whether this process runs under a seccomp filter already, for an error's advice.
fn is_filtered() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.trim_end() == "Seccomp:\t2")
}
