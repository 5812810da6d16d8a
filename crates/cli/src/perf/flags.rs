//! iperf3's flags, except for those that define the load.

use std::net::{IpAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use sheave::Options;
use sheave::options::{Coalescing, Heartbeats, PathMtuDiscovery};
use sheave_engine::quantity::read_integer;

use super::presentation::{Detail, Emission, Presentation, RateUnit};
use crate::failure::Failure;
use crate::network::{Family, option_failure};
use crate::units::{parse_bytes, parse_millis};

/// Size of the IP and transport headers that iperf3 subtracts from the MTU, bytes.
pub const MSS_HEADERS: u16 = 40;

/// The shortest --rcv-timeout, as in iperf3.
const LEAST_TIMEOUT: Duration = Duration::from_millis(100);

/// Flags with iperf3's meaning.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "As iperf3's")]
pub struct Flags {
    /// Number of blocks (messages of --length) to send instead of a time
    #[arg(short = 'k', long, value_name = "N", value_parser = parse_bytes)]
    #[arg(conflicts_with_all = ["time", "bytes"])]
    pub blockcount: Option<u64>,

    /// Unit of rates: bits with k, m, g, t, bytes with K, M, G, T
    #[arg(short = 'f', long, value_name = "kmgtKMGT", value_parser = RateUnit::parse)]
    format: Option<RateUnit>,

    /// Only IPv4
    #[arg(short = '4', long, conflicts_with = "version6")]
    version4: bool,

    /// Only IPv6
    #[arg(short = '6', long)]
    version6: bool,

    /// Local address or host name, as --local; an interface ("%DEV") cannot be named
    #[arg(short = 'B', long, value_name = "HOST")]
    bind: Vec<String>,

    /// SCTP port of the client; further associations take the next ones
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    #[arg(conflicts_with = "server")]
    pub cport: Option<u16>,

    /// Size of both the send and the receive buffer, bytes, of this end only; also set it at the
    /// other end
    #[arg(short = 'w', long, value_name = "SIZE", value_parser = parse_bytes)]
    #[arg(conflicts_with_all = ["send_buffer", "receive_buffer", "buffers"])]
    window: Option<u64>,

    /// Segment size: packets of this end have at most 40 bytes more, without path MTU discovery;
    /// with --vs-tcp also for TCP
    #[arg(short = 'M', long, value_name = "BYTES")]
    #[arg(conflicts_with_all = ["initial_pmtu", "path_mtu_discovery"])]
    set_mss: Option<u16>,

    /// Do not delay small messages (--coalescing no-delay), at this end
    #[arg(short = 'N', long, conflicts_with = "coalescing")]
    no_delay: bool,

    /// Congestion control of this end, like --congestion; "reno" is new-reno
    #[arg(short = 'C', value_name = "NAME", conflicts_with = "congestion")]
    algorithm: Option<String>,

    /// Type of service of this end's packets: --dscp in its upper six bits; the others are for ECN
    #[arg(short = 'S', long, value_name = "N", value_parser = parse_tos, hide_short_help = true)]
    #[arg(conflicts_with = "dscp")]
    tos: Option<u8>,

    /// End a test if no data arrives for this time; a bare number means milliseconds
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = parse_millis)]
    rcv_timeout: Duration,

    /// End a test if data is not acknowledged for this time, like --dead-peer-timeout; a bare
    /// number means milliseconds
    #[arg(long, value_name = "TIME", value_parser = parse_millis, hide_short_help = true)]
    #[arg(conflicts_with = "dead_peer_timeout")]
    snd_timeout: Option<Duration>,

    /// Don't Fragment: accepted; packets with data have it, unless --path-mtu-discovery is off
    #[arg(long, hide_short_help = true)]
    dont_fragment: bool,

    /// Zero copy: accepted; messages are never copied on their way to a packet
    #[arg(short = 'Z', long, hide_short_help = true)]
    zerocopy: bool,

    /// Measure SCTP: accepted; the default
    #[arg(long, hide_short_help = true)]
    sctp: bool,

    /// Repeating payload: accepted; the default
    #[arg(long, hide_short_help = true)]
    repeating_payload: bool,

    /// Also print the environment and the plan
    #[arg(short = 'V', long)]
    verbose: bool,

    /// Text before each line, and in the JSON document
    #[arg(short = 'T', long, value_name = "TEXT")]
    pub title: Option<String>,

    /// Text for the JSON document
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    extra_data: Option<String>,

    /// Time before each line, in strftime(3) format [default: %c]
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "%c ")]
    pub timestamps: Option<String>,

    /// Append the output to a file instead
    #[arg(long, value_name = "FILE")]
    pub logfile: Option<PathBuf>,

    /// Flush each line: accepted; the default
    #[arg(long, hide_short_help = true)]
    forceflush: bool,

    /// Also print the server's output
    #[arg(long, conflicts_with = "server")]
    pub get_server_output: bool,

    /// Print JSON lines for the start, every interval and the end
    #[arg(long)]
    pub json_stream: bool,

    /// Write the process id to a file, which is removed at the end
    #[arg(short = 'I', long, value_name = "FILE")]
    pub pidfile: Option<PathBuf>,

    /// Run in the background; this command ends when the server listens
    #[arg(short = 'D', long, conflicts_with = "client")]
    pub daemon: bool,

    #[command(flatten)]
    refused: Refused,
}

/// Flags of iperf3 that are not supported.
#[derive(Args, Clone, Debug, Default)]
struct Refused {
    #[arg(short = 'u', long, hide = true)]
    udp: bool,

    #[arg(short = 'F', long, hide = true, value_name = "NAME")]
    file: Option<String>,

    #[arg(long, hide = true, value_name = "DEV")]
    bind_dev: Option<String>,

    #[arg(long, hide = true, value_name = "RATE")]
    fq_rate: Option<String>,

    #[arg(long, hide = true, value_name = "TIME")]
    pacing_timer: Option<String>,

    #[arg(long, hide = true, value_name = "RATE")]
    server_bitrate_limit: Option<String>,
}

impl Refused {
    /// Rejects unsupported flags.
    /// Errors: the first unsupported flag, and its replacement.
    fn check(&self) -> Result<(), Failure> {
        let flags = [
            (
                self.udp,
                "--udp",
                "SCTP is measured here, and TCP with --vs-tcp",
                "use `iperf3 -u` for UDP",
            ),
            (
                self.file.is_some(),
                "--file",
                "memory alone is sent here",
                "`sheave send` and `sheave recv` move files, and say how fast",
            ),
            (
                self.bind_dev.is_some(),
                "--bind-dev",
                "an interface cannot be named",
                "give an address of that interface with -B",
            ),
            (
                self.fq_rate.is_some(),
                "--fq-rate",
                "the kernel does not pace packets of SCTP",
                "use -b RATE, or --pacing on",
            ),
            (
                self.pacing_timer.is_some(),
                "--pacing-timer",
                "-b waits before each message, without a timer of its own",
                "leave the flag out, or send bursts with -b RATE/N",
            ),
            (
                self.server_bitrate_limit.is_some(),
                "--server-bitrate-limit",
                "the server does not limit its clients",
                "give -b RATE to each client",
            ),
        ];
        match flags.into_iter().find(|(given, ..)| *given) {
            None => Ok(()),
            Some((_, flag, why, instead)) => {
                Err(Failure::usage(format!("{flag}: {why}")).fix(instead))
            }
        }
    }
}

impl Flags {
    /// The address family of -4 or -6.
    pub fn family(&self) -> Option<Family> {
        match (self.version4, self.version6) {
            (true, _) => Some(Family::V4),
            (_, true) => Some(Family::V6),
            _ => None,
        }
    }

    /// The addresses of -B.
    /// Errors: a name is unknown or refers to an interface.
    pub fn bound(&self) -> Result<Vec<IpAddr>, Failure> {
        self.bind.iter().map(|host| self.bound_to(host)).collect()
    }

    fn bound_to(&self, host: &str) -> Result<IpAddr, Failure> {
        if host.contains('%') {
            let what = format!("--bind {host}: an interface cannot be named");
            return Err(Failure::usage(what).fix("give an address of that interface"));
        }
        let found = (host, 0)
            .to_socket_addrs()
            .map_err(|error| Failure::new(format!("--bind {host}: {error}")))?;
        let mut addresses = found.map(|address| address.ip());
        let fits = |ip: &IpAddr| self.family().is_none_or(|family| family.has(*ip));
        addresses
            .find(fits)
            .ok_or_else(|| Failure::new(format!("--bind {host}: no address of that family")))
    }

    /// Time without data after which a test fails.
    pub const fn rcv_timeout(&self) -> Duration {
        self.rcv_timeout
    }

    /// Rejects flags that only iperf3 supports.
    /// Errors: an unsupported flag is given.
    pub fn check(&self) -> Result<(), Failure> {
        if self.rcv_timeout < LEAST_TIMEOUT {
            return Err(Failure::usage("--rcv-timeout: must be at least 100 ms"));
        }
        self.refused.check()
    }

    /// The requested segment size.
    pub const fn set_mss(&self) -> Option<u16> {
        self.set_mss
    }

    /// Applies the flags that set protocol options.
    pub fn apply(&self, options: &mut Options) -> Result<(), Failure> {
        if let Some(window) = self.window {
            let window = usize::try_from(window).unwrap_or(usize::MAX);
            (options.send_buffer, options.receive_buffer) = (window, window);
            options.buffers = sheave::options::BufferSizes::Fixed;
        }
        if let Some(mss) = self.set_mss {
            options.initial_pmtu = mss.saturating_add(MSS_HEADERS);
            options.path_mtu_discovery = PathMtuDiscovery::Off;
        }
        if let Some(limit) = self.snd_timeout {
            options.dead_peer_timeout = Some(limit);
            if !options.heartbeats.come_within(limit) {
                options.heartbeats = Heartbeats::Every(limit / 4 * 3);
            }
        }
        if let Some(tos) = self.tos {
            options.dscp = tos >> 2;
        }
        if self.no_delay {
            options.coalescing = Coalescing::NoDelay;
        }
        if let Some(algorithm) = &self.algorithm {
            // Accepts Linux's name.
            let name = match algorithm.as_str() {
                "reno" => "new-reno",
                name => name,
            };
            let set = options.set("congestion", name);
            set.map_err(|error| Failure::usage(format!("-C {name}: {}", error.reason)))?;
        }
        options
            .validate()
            .map_err(|error| match error.option.as_str() {
                "send_buffer" | "receive_buffer" if self.window.is_some() => {
                    Failure::usage(format!("--window: {}", error.reason))
                }
                "initial_pmtu" if self.set_mss.is_some() => Failure::usage(format!(
                    "--set-mss: with {MSS_HEADERS} bytes of headers, {}",
                    error.reason
                )),
                _ => option_failure(&error),
            })
    }

    /// The format of printed results.
    pub fn look(&self) -> Presentation {
        Presentation {
            unit: self.format,
            detail: match self.verbose {
                true => Detail::Verbose,
                false => Detail::Usual,
            },
            emission: match self.json_stream {
                true => Emission::Stream,
                false => Emission::Document,
            },
            title: self.title.clone(),
            extra_data: self.extra_data.clone(),
            blocks: self.blockcount.unwrap_or(0),
            window: self.window.unwrap_or(0),
            tos: self.tos.unwrap_or(0),
            server: None,
        }
    }
}

/// Parses a type of service like iperf3, without the ECN bits.
fn parse_tos(text: &str) -> Result<u8, String> {
    let tos: Option<u8> = read_integer(text).and_then(|number| number.try_into().ok());
    tos.map(|tos| tos & !3)
        .ok_or_else(|| "expected 0 to 255".to_owned())
}

#[cfg(test)]
mod tests;
