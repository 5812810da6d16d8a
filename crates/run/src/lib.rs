//! SCTP sockets for unmodified programs on machines whose kernel has no SCTP.
//!
//! [`run`] starts a program under a seccomp filter that traps calls on SCTP sockets. This process,
//! the *host*, answers these calls with an endpoint (`sheave`) and sockets (`sheave-sockets`) of
//! its own, also for the program's descendants. No privilege is needed. If a filter is not allowed,
//! a preloaded library passes the calls instead.
//!
//! A program's socket is one end of a Unix socket pair, which shows readiness to `poll` and tells
//! the host when the last copy is closed; messages are copied between the processes' memories.
//! `docs/howto/run.md` lists supported programs and limits.
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
#[cfg(feature = "secure")]
mod keys;
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
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use sheave::config::CarrierKind;
use sheave::poll_loop::{PollLoop, Tap, Time};
#[cfg(feature = "secure")]
use sheave::secure::Secure;
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
use host::{Host, Loopback, Parts, Program, Terms};
use join::{JoinError, Meeting};
#[cfg(feature = "secure")]
use keys::Keys;
use process::Reach;
use sys::signals::Signals;

/// Programs that use `select` or that need the lowest free descriptor numbers.
const LOW_NUMBERS: [&str; 1] = ["iperf3"];
/// Smallest file limit above the high base.
const ROOM: u64 = 256;

/// Descriptor numbers of SCTP sockets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// High numbers; low ones for programs that need them and for small file limits.
    #[default]
    Automatic,
    /// From 512 on: other descriptors keep their usual cost.
    High,
    /// The lowest free numbers, as from the kernel; every read and write of the program then costs
    /// some microseconds more.
    Low,
}

/// The mechanism by which calls of programs reach the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoorKind {
    /// A seccomp listener, or a preloaded library if that is not allowed.
    #[default]
    Automatic,
    /// The listener of a seccomp filter, which sees the calls of every program.
    Listener,
    /// A library loaded before the C library: it sees calls of dynamically linked programs and
    /// needs no privilege.
    Preload,
}

/// The program to run and the properties of its sockets.
pub struct Settings {
    /// The program.
    pub program: OsString,
    /// The program's arguments.
    pub args: Vec<OsString>,
    /// The network: addresses, carrier, limits.
    pub config: Config,
    /// Initial options of sockets.
    pub options: Options,
    /// Default UDP port of peers, if packets travel over UDP; programs may override it
    /// (`SCTP_REMOTE_UDP_ENCAPS_PORT`).
    pub encapsulation: Option<u16>,
    /// The mechanism by which calls reach the host.
    pub door: DoorKind,
    /// Descriptor numbers of sockets, with a listener.
    pub numbers: Numbers,
    /// Name under which several `sheave run` share a host; by default the UDP port, or raw IP.
    pub meeting: Option<String>,
    /// Whether calls are printed to standard error.
    pub verbosity: Verbosity,
    /// Creates the packet observer, if this process carries the packets.
    pub tap: Option<MakeTap>,
    /// Longest wait for open associations after the last program has exited.
    pub linger: Duration,
}

/// Creates the packet observer; its argument is the host's UDP port.
pub type MakeTap = Box<dyn FnOnce(Option<u16>) -> io::Result<Box<dyn Tap>>>;

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The exit code.
    Code(i32),
    /// The signal that ended the program.
    Signal(i32),
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The end of the program.
    pub ending: Ending,
    /// Counters; `None` if another host served the program.
    pub report: Option<Report>,
}

/// Runs a program to its end.
///
/// # Errors
/// The program cannot be started or served here; [`RunError::fix`] suggests a remedy.
pub fn run(settings: Settings) -> Result<Finished, RunError> {
    let reach = process::reach();
    let base = base_of(&settings);
    let signals = Signals::watch().map_err(RunError::system("watch for signals"))?;
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own))
        .map_err(|error| RunError::system("adopt orphans")(error.into()))?;
    let name = meeting_of(&settings);
    // The host may end between the search and the attempt to become one.
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
            let state = state(name)?;
            let theirs = state.as_deref().and_then(Terms::in_state);
            let own = Terms::of(&settings);
            if theirs.as_ref().and_then(|terms| terms.fingerprint.as_ref())
                != own.fingerprint.as_ref()
            {
                return Err(RunError::KeysOfJoined);
            }
            if theirs.is_none_or(|terms| terms.settings != own.settings) {
                eprintln!(
                    "sheave: another `sheave run` serves this program: its --profile, --set, --sysctl, \
                     --encap-port and --local hold"
                );
            }
            if settings.verbosity == Verbosity::Calls {
                eprintln!(
                    "sheave: another `sheave run` serves this program: -v there prints its calls"
                );
            }
            return run_joined(&settings, &signals, name, base, reach);
        }
        let carrier = PollLoop::bind(&settings.config).map_err(RunError::Bind)?;
        // A host with an automatic port is also found by that port.
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

/// Runs the program with this process as the host.
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
    let profile = stack.profile_mut();
    profile.encapsulation = carrier.udp_port().and(settings.encapsulation);
    profile.own_encapsulation = carrier.udp_port();
    profile.memory = ['w', 'r'].map(socket_memory);
    stack.set_routes(carrier.routes());
    #[cfg(feature = "secure")]
    {
        let secure = settings.config.secure.as_ref();
        let keys = Keys::new(secure.map(Secure::key_management));
        stack.set_key_management(Box::new(keys));
    }
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
        terms: Terms::of(&settings),
        loopback: match settings.config.local.is_empty() {
            true => Loopback::Whole,
            false => Loopback::AsSaid,
        },
    };
    let program = Program {
        door: entered
            .entrance
            .open()
            .map_err(RunError::system("open the channel for calls"))?,
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

/// Fingerprint of the certificate with which a host protects packets.
#[cfg(feature = "secure")]
fn fingerprint(config: &Config) -> Option<String> {
    let secure = config.secure.as_ref()?;
    Some(secure.fingerprint().to_string())
}

/// `None`: without key management, packets are not protected.
#[cfg(not(feature = "secure"))]
const fn fingerprint(_: &Config) -> Option<String> {
    None
}

impl Terms {
    fn of(settings: &Settings) -> Self {
        let (options, encapsulation) = (&settings.options, settings.encapsulation);
        let mut hasher = DefaultHasher::new();
        let text = format!("{options:?} {encapsulation:?} {:?}", settings.config.local);
        text.hash(&mut hasher);
        Self {
            fingerprint: fingerprint(&settings.config),
            settings: format!("{:016x}", hasher.finish()),
        }
    }

    /// The terms that a host's state names.
    fn in_state(state: &str) -> Option<Self> {
        let state: serde_json::Value = serde_json::from_str(state).ok()?;
        let word = |key| Some(state[key].as_str()?.to_owned());
        Some(Self {
            fingerprint: word("fingerprint"),
            settings: word("settings")?,
        })
    }
}

/// Socket buffer limits of this machine, for one direction: the administrator's sysctls apply as in
/// the kernel.
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

/// Names of the hosts in this network namespace: `udp-PORT` and `raw` by default.
///
/// # Errors
/// The system cannot list sockets.
pub fn hosts() -> io::Result<Vec<String>> {
    join::names()
}

/// The state of a host as a JSON object: sockets, associations, paths and counters. `None` if the
/// host does not exist.
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

/// Connects to the host with this name, if it exists.
fn find(name: &str) -> Result<Option<OwnedFd>, RunError> {
    join::find(name).map_err(RunError::system("look for a host"))
}

/// Runs the program with another process as the host.
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
    // Connects again after the program's start, since a connected host blocks until it gets a
    // request.
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

/// Passes the program's door to the host; the returned connection lasts as long as the host.
fn join_host(host: OwnedFd, entrance: &Entrance, base: Base) -> Result<OwnedFd, RunError> {
    match join::join(&host, entrance, base) {
        Ok(()) => Ok(host),
        Err(JoinError::OtherUser) => Err(RunError::OtherUser),
        Err(JoinError::System(error)) => Err(RunError::system("join the host")(error)),
    }
}

/// The base for descriptor numbers of sockets.
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

/// Raises the host's file limit to its maximum; the program keeps its own.
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        ..limit
    };
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Whether this process already runs under a seccomp filter, for the advice of an error.
fn is_filtered() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.trim_end() == "Seccomp:\t2")
}
