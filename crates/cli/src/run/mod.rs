//! `sheave run`: programs that use SCTP sockets, on a machine whose kernel has none.

mod list;
mod pcap;
mod sysctl;

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sheave::config::CarrierKind;
use sheave::options::PartialReliability;
use sheave::{Config, Options, Profile};
use sheave_engine::{Authentication, Protection};
use sheave_run::{DoorKind, Ending, MakeTap, Numbers, Report, RunError, Settings, Verbosity};

use crate::failure::{Exit, Failure};
use crate::features;
use crate::network::{SecureArgs, UDP_PORT};
use crate::screen::Output;
use crate::units::parse_duration;
use list::Form;
use pcap::Pcap;
use sysctl::Sysctl;

/// Runs a program, and all that it starts, with SCTP sockets of Sheave.
#[derive(Args, Clone, Debug)]
#[command(after_help = include_str!("../../help/run.txt").trim_end())]
pub struct RunArgs {
    /// The program and its arguments
    #[arg(
        required_unless_present = "list",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    command: Vec<OsString>,

    /// Carry packets in UDP, from this port on; 0 picks a free one [default: 9899]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "9899", require_equals = false, conflicts_with = "raw")]
    udp: Option<u16>,

    /// Carry packets as IP protocol 132; needs root or CAP_NET_RAW
    #[arg(long)]
    raw: bool,

    /// UDP port of peers, unless the program chooses another
    #[arg(long, value_name = "PORT", default_value_t = UDP_PORT, conflicts_with = "raw")]
    encap_port: u16,

    /// Local address; several, by comma or repeated, make several paths [default: all usable ones]
    #[arg(
        short = 'X',
        long = "local",
        value_name = "ADDR",
        value_delimiter = ','
    )]
    local: Vec<IpAddr>,

    #[command(flatten)]
    secure: SecureArgs,

    /// Initial options of sockets
    #[arg(long, value_name = "NAME", default_value = "modern")]
    profile: Profile,

    /// Set a Linux sysctl (net.sctp.rto_min=100) or an option of docs/options.md
    /// (path_mtu_discovery=off); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<Sysctl>,

    /// Set the lines `net.sctp.KEY = VALUE` of a file, such as one of /etc/sysctl.d
    #[arg(long, value_name = "FILE")]
    sysctl: Vec<PathBuf>,

    /// Mechanism by which calls of programs reach Sheave
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Door::Automatic)]
    door: Door,

    /// Numbers of the descriptors of SCTP sockets, with a listener
    #[arg(long, value_enum, value_name = "HOW")]
    fds: Option<Fds>,

    /// Share a host with the `sheave run` of this name [default: one for each UDP port]
    #[arg(long, value_name = "NAME")]
    join: Option<String>,

    /// Write packets to a capture file
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,

    /// Print counters at the end, to standard error
    #[arg(long)]
    stats: bool,

    /// Show sockets, associations and paths of every running host, or of the one with this name
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "command")]
    #[cfg_attr(feature = "dtls", arg(conflicts_with = "secure"))]
    list: Option<String>,

    /// Repeat --list at this interval, seconds
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "1", value_parser = parse_duration, requires = "list")]
    watch: Option<Duration>,

    /// Show counters in Prometheus's format, with Linux's names
    #[arg(long, requires = "list", conflicts_with = "watch")]
    prometheus: bool,

    /// Print each call that is answered, to standard error
    #[arg(long, short)]
    verbose: bool,

    /// Longest wait for open associations after the program has exited
    #[arg(long, value_name = "TIME", default_value = "5", value_parser = parse_duration, hide_short_help = true)]
    linger: Duration,
}

/// The mechanism by which calls of programs reach Sheave.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    /// A listener, or a library if a listener is not allowed.
    Automatic,
    /// The listener of a seccomp filter, which sees the calls of every program.
    Listener,
    /// A library preloaded (LD_PRELOAD) into dynamically linked programs.
    Preload,
}

/// The numbers of descriptors.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Fds {
    /// From 512 on: calls on other descriptors keep their speed.
    High,
    /// The lowest free numbers, as from a kernel; other reads and writes become slower.
    Low,
}

/// Runs the command.
/// Errors: the program cannot be started or served.
pub fn run(args: &RunArgs, output: Output) -> Result<Exit, Failure> {
    if let Some(name) = &args.list {
        let form = match (args.prometheus, output) {
            (true, _) => Form::Prometheus,
            (false, Output::Human) => Form::Text,
            (false, Output::Json) => Form::Json,
        };
        return list::run(name, form, args.watch);
    }
    let mut words = args.command.iter().cloned();
    let Some(program) = words.next() else {
        return Err(Failure::usage("no program"));
    };
    // Everything behind the first unknown word belongs to the program.
    if let Some(option) = program.to_str().filter(|word| word.starts_with('-')) {
        return Err(features::missing(option).unwrap_or_else(|| {
            Failure::usage(format!("{option}: no such option")).fix(
                "`sheave run --help` lists the options; a program whose name begins with - is given with its folder",
            )
        }));
    }
    let mut options = Options {
        // On, as in every kernel: programs set lifetimes without enabling the extension.
        partial_reliability: PartialReliability::On,
        ..args.profile.options()
    };
    let mut config = Config::udp(args.local.clone(), args.udp.unwrap_or(UDP_PORT));
    let mut encapsulation = args.encap_port;
    let mut settings = Vec::new();
    for file in &args.sysctl {
        let read = sysctl::read(file).map_err(|error| Failure::usage(format!("--sysctl: {error}")));
        settings.extend(read?);
    }
    settings.extend_from_slice(&args.set);
    let set = sysctl::set(&settings, &mut options, &mut config.endpoint);
    let without = set.map_err(|error| Failure::usage(format!("--set: {error}")))?;
    if !without.is_empty() {
        let names: Vec<String> = without
            .iter()
            .map(|name| format!("net.sctp.{name}"))
            .collect();
        eprintln!("sheave: no effect here: {}", names.join(", "));
    }
    for setting in settings {
        match setting {
            Sysctl::EncapPort(port) => encapsulation = port,
            Sysctl::UdpPort(port) => config.carrier = CarrierKind::Udp { port },
            _ => {}
        }
    }
    if args.raw {
        config.carrier = CarrierKind::RawIp;
    }
    if args.secure.is_on() && options.authentication != Authentication::Off {
        let what = "--secure: packets are authenticated as a whole, not by AUTH chunks (RFC 4895)";
        return Err(Failure::usage(what).fix("leave out net.sctp.auth_enable=1"));
    }
    if !args.secure.is_on() && options.protection != Protection::Off {
        let what = "protection: packets are protected with keys";
        return Err(Failure::usage(what).fix("use --secure instead"));
    }
    #[cfg(feature = "dtls")]
    {
        // A program gives addresses, not names.
        config.secure = args.secure.settings(crate::network::Role::Server)?;
        if let Some(secure) = &config.secure
            && args.secure.generates_certificate()
        {
            eprintln!(
                "sheave: the fingerprint of this start is {}",
                secure.fingerprint()
            );
        }
    }
    let tap = args
        .pcap
        .clone()
        .map(|file| -> MakeTap { Box::new(move |port| Ok(Box::new(Pcap::create(&file, port)?))) });
    let finished = sheave_run::run(Settings {
        program,
        args: words.collect(),
        config,
        options,
        encapsulation: (!args.raw).then_some(encapsulation),
        door: match args.door {
            Door::Automatic => DoorKind::Automatic,
            Door::Listener => DoorKind::Listener,
            Door::Preload => DoorKind::Preload,
        },
        numbers: match args.fds {
            None => Numbers::Automatic,
            Some(Fds::High) => Numbers::High,
            Some(Fds::Low) => Numbers::Low,
        },
        meeting: args.join.clone(),
        verbosity: if args.verbose {
            Verbosity::Calls
        } else {
            Verbosity::Quiet
        },
        tap,
        linger: args.linger,
    });
    let finished = finished.map_err(|error| failure(&error))?;
    if args.stats {
        match finished.report {
            Some(report) if output == Output::Json => eprintln!("{}", json(&report)),
            Some(report) => eprintln!("sheave: {report}"),
            None => eprintln!("sheave: counted by the host that served the program"),
        }
    }
    Ok(match finished.ending {
        Ending::Code(code) => Exit::Code(u8::try_from(code & 0xff).unwrap_or(1)),
        Ending::Signal(signal) => Exit::Signal(u8::try_from(signal).unwrap_or(0)),
    })
}

fn json(report: &Report) -> Value {
    let carrier = &report.carrier;
    json!({ "stats": {
        "programs": report.programs,
        "calls": report.calls,
        "sockets": report.sockets,
        "messages_sent": report.messages_sent,
        "bytes_sent": report.bytes_sent,
        "packets_sent": carrier.packets_sent,
        "messages_received": report.messages_received,
        "bytes_received": report.bytes_received,
        "packets_received": carrier.packets_received,
        "send_errors": carrier.send_errors,
    }})
}

fn failure(error: &RunError) -> Failure {
    let failure = Failure {
        exit: Exit::Code(error.exit_code()),
        ..Failure::new(error)
    };
    match error.fix() {
        Some(fix) => failure.fix(fix),
        None => failure,
    }
}
