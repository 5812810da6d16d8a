//! The options that say how to reach the network, and the endpoint made from them.

mod failover;
mod host;
mod multipath;
mod peer;
mod successor;
mod values;

use std::net::IpAddr;
use std::num::NonZero;
use std::time::Duration;

use clap::{Args, ValueEnum};
use sheave::{
    Authentication, AuthenticationOptions, BindError, BufferSizes, CarrierKind, ChunkChecksum,
    ChunkSet, Coalescing, Config, CongestionAlgorithm, Endpoint, ExplicitCongestion, Heartbeats,
    Interleaving, KeyId, ListenError, Listener, LossDetection, LossRecovery, Options, Pacing,
    PacketDropReports, PathMtuDiscovery, Profile, SelectiveAcks, Shards, SharedKey,
    StreamScheduler, Unauthenticated,
};

use self::failover::FailoverArgs;
pub use self::host::{HostPort, resolve};
use self::multipath::MultipathArgs;
pub use self::peer::PeerArgs;
use self::values::{
    MaxBurst, clamp, parse_buffers, parse_coalescing, parse_congestion, parse_heartbeats,
    parse_loss_detection, parse_max_burst, parse_path_mtu_discovery, parse_scheduler,
};
use crate::failure::Failure;
use crate::units::{parse_bytes, parse_duration};

/// The UDP port of SCTP (RFC 6951 §5.1).
pub const UDP_PORT: u16 = 9899;

/// How SCTP packets travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Carrier {
    /// In UDP datagrams (RFC 6951); needs no privilege.
    #[default]
    Udp,
    /// As IP protocol 132; needs root or CAP_NET_RAW.
    Raw,
}

/// A named set of protocol parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProfileName {
    /// RFC 9260 to the letter: RTO 1 s to 60 s.
    Rfc9260,
    /// The defaults of the Linux kernel's SCTP.
    Linux,
    /// RFC 9260 with RACK-TLP and CUBIC.
    Modern,
    /// Signalling: RTO 120 ms to 400 ms, quick failover.
    Telecom,
    /// Short RTO, rare SACKs, large buffers.
    #[default]
    Datacenter,
}

/// Options of every command that speaks SCTP.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Network")]
pub struct NetworkArgs {
    /// Local address; several, by comma or repeated, make several paths [default: all usable ones]
    #[arg(
        short = 'X',
        long = "local",
        visible_alias = "xbind",
        value_name = "ADDR"
    )]
    #[arg(value_delimiter = ',')]
    pub local: Vec<IpAddr>,

    /// How SCTP packets travel
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub carrier: Carrier,

    /// Local UDP port; 0 picks a free one [default: 9899 for servers, free for clients]
    #[arg(long, value_name = "PORT")]
    pub udp_port: Option<u16>,

    /// Threads that receive, verify and send the packets of each endpoint, so that one association
    /// uses several processors
    #[arg(long, value_name = "N", default_value = "1", hide_short_help = true)]
    pub workers: NonZero<usize>,

    /// How long to look for the next packet before sleeping: lower latency for a processor
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = parse_duration, hide_short_help = true)]
    pub busy_poll: Duration,

    /// Protocol parameters to begin with
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub profile: ProfileName,

    #[command(flatten)]
    parameters: ParameterArgs,
}

/// Single protocol parameters (RFC 9260 §16), over those of the profile.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Protocol parameters (over the profile's)")]
struct ParameterArgs {
    /// First retransmission timeout of a path, 10ms to 120s
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true)]
    rto_initial: Option<Duration>,

    /// Shortest retransmission timeout, 10ms up
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true)]
    rto_min: Option<Duration>,

    /// Longest retransmission timeout, at most 600s
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true)]
    rto_max: Option<Duration>,

    /// Packets that one SACK may release, or "off"
    #[arg(long, value_name = "N|off", value_parser = parse_max_burst, hide_short_help = true)]
    max_burst: Option<MaxBurst>,

    /// How long a cookie is valid, 10ms to 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true)]
    valid_cookie_life: Option<Duration>,

    /// Unanswered sends before the association is given up
    #[arg(long, value_name = "N", hide_short_help = true)]
    association_max_retrans: Option<u32>,

    /// Unanswered sends before a path counts as down
    #[arg(long, value_name = "N", hide_short_help = true)]
    path_max_retrans: Option<u32>,

    /// Unanswered INITs before connecting is given up
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_init_retransmits: Option<u32>,

    /// How often idle paths are probed, or "off"
    #[arg(long, value_name = "TIME|off", value_parser = parse_heartbeats, hide_short_help = true)]
    heartbeats: Option<Heartbeats>,

    /// Longest wait before data is acknowledged, at most 500ms
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true)]
    sack_delay: Option<Duration>,

    /// One SACK for this many packets with data, 1 to 64
    #[arg(long, value_name = "N", hide_short_help = true)]
    sack_frequency: Option<u8>,

    /// When small messages wait for company: "nodelay" or "nagle"
    #[arg(long, value_name = "HOW", value_parser = parse_coalescing, hide_short_help = true)]
    coalescing: Option<Coalescing>,

    /// Path MTU to begin with, bytes of IP packet, 576 up
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    initial_pmtu: Option<u16>,

    /// Longest packets to look for on each path, bytes of IP packet, 576 up, or "off"
    #[arg(long, value_name = "BYTES|off", value_parser = parse_path_mtu_discovery, hide_short_help = true)]
    path_mtu_discovery: Option<PathMtuDiscovery>,

    /// Tell the peer of packets that arrive damaged, if it does, too
    #[arg(long, hide_short_help = true)]
    packet_drop_reports: bool,

    /// Bytes that may wait to be sent or acknowledged
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, hide_short_help = true)]
    send_buffer: Option<u64>,

    /// Whether buffers grow with the path's rate and delay: "fixed" or "auto", up to MAX
    #[arg(long, value_name = "fixed|auto[:MAX]", value_parser = parse_buffers, hide_short_help = true)]
    buffers: Option<BufferSizes>,

    /// Tell damaged data from lost data, if the peer does, too
    #[arg(long)]
    chunk_checksum: bool,

    /// Let routers mark packets instead of dropping them, if the peer does, too
    #[arg(long, hide_short_help = true)]
    ecn: bool,

    /// Never drop what was acknowledged beyond a gap, if the peer does neither (NR-SACK)
    #[arg(long, hide_short_help = true)]
    nr_sack: bool,

    /// Keep and report nothing beyond a gap, if the peer does neither
    #[arg(long, hide_short_help = true)]
    go_back_n: bool,

    /// The congestion control: "new-reno", "cubic", "highspeed", "bbr" or, with --ecn, "dctcp"
    #[arg(long, value_name = "NAME", value_parser = parse_congestion, hide_short_help = true)]
    congestion: Option<CongestionAlgorithm>,

    /// Spread new data evenly over the round trip
    #[arg(long, hide_short_help = true)]
    pacing: bool,

    /// Let messages on different streams overtake each other in the middle, if the peer does, too
    #[arg(long, hide_short_help = true)]
    interleaving: bool,

    /// Which stream sends next: "first-come", "round-robin", "round-robin-per-packet", "priority",
    /// "fair-bandwidth" or "weighted-fair-queueing"
    #[arg(long, value_name = "NAME", value_parser = parse_scheduler, hide_short_help = true)]
    scheduler: Option<StreamScheduler>,

    /// Authenticate all chunks with this secret, and talk only to who knows it; other users of this
    /// machine can see it
    #[arg(long, value_name = "SECRET")]
    auth_key: Option<String>,

    /// How losses are found: "missing-reports" or "rack"
    #[arg(long, value_name = "HOW", value_parser = parse_loss_detection, hide_short_help = true)]
    loss_detection: Option<LossDetection>,

    #[command(flatten)]
    multipath: MultipathArgs,

    #[command(flatten)]
    failover: FailoverArgs,

    /// Bytes that may wait to be read; the advertised window comes from it
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, hide_short_help = true)]
    receive_buffer: Option<u64>,
}

/// Which end of a conversation this process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It waits for others.
    Server,
    /// It connects.
    Client,
}

impl NetworkArgs {
    /// The protocol parameters.
    pub fn options(&self) -> Options {
        let profile = match self.profile {
            ProfileName::Rfc9260 => Profile::Rfc9260,
            ProfileName::Linux => Profile::Linux,
            ProfileName::Modern => Profile::Modern,
            ProfileName::Telecom => Profile::Telecom,
            ProfileName::Datacenter => Profile::Datacenter,
        };
        let mut options = profile.options();
        self.parameters.apply(&mut options);
        options
    }

    /// Binds the endpoint and tells the user what may surprise.
    ///
    /// # Errors
    /// An option is out of range, or an address or port cannot be bound.
    pub fn bind(&self, role: Role) -> Result<Endpoint, Failure> {
        let shards = self.bind_shards(role, NonZero::<usize>::MIN)?;
        let only = shards.endpoints().first().cloned();
        only.ok_or_else(|| Failure::new("no endpoint"))
    }

    /// As [`bind`](Self::bind), several endpoints on the same addresses.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub fn bind_shards(&self, role: Role, count: NonZero<usize>) -> Result<Shards, Failure> {
        self.options()
            .validate()
            .map_err(|error| option_failure(&error))?;
        let shards = Shards::bind(self.config(role), count);
        let shards = shards.map_err(|error| bind_failure(&error))?;
        if let Some(first) = shards.endpoints().first() {
            tell_warnings(first);
        }
        Ok(shards)
    }

    fn config(&self, role: Role) -> Config {
        let carrier = match (self.carrier, role) {
            (Carrier::Raw, _) => CarrierKind::RawIp,
            (Carrier::Udp, Role::Server) => CarrierKind::Udp {
                port: self.udp_port.unwrap_or(UDP_PORT),
            },
            (Carrier::Udp, Role::Client) => CarrierKind::Udp {
                port: self.udp_port.unwrap_or(0),
            },
        };
        Config {
            local: self.local.clone(),
            carrier,
            workers: self.workers,
            busy_poll: self.busy_poll,
            linger: Duration::from_secs(3),
            ..Config::default()
        }
    }
}

fn bind_failure(error: &BindError) -> Failure {
    let failure = Failure::new(error);
    match error {
        BindError::NoPermission | BindError::Shards => failure.fix("add --carrier udp"),
        BindError::Address { .. } => {
            failure.fix("choose others with --local or --udp-port (0 picks a free one)")
        }
        BindError::NoAddress | BindError::System { .. } => failure,
    }
}

fn tell_warnings(endpoint: &Endpoint) {
    for warning in endpoint.warnings() {
        eprintln!("sheave: warning: {warning}");
    }
}

/// Accepts associations on `port`.
///
/// # Errors
/// The port is taken or 0, or an option is out of range.
pub fn listen(endpoint: &Endpoint, port: u16, options: Options) -> Result<Listener, Failure> {
    endpoint
        .listen(port, options)
        .map_err(|error| match &error {
            ListenError::Option(error) => option_failure(error),
            _ => Failure::new(format!("cannot listen on SCTP port {port}: {error}"))
                .fix("choose another with --port"),
        })
}

/// The addresses that an endpoint is reached at, for people.
pub fn place(endpoint: &Endpoint, port: u16) -> String {
    let addresses: Vec<String> = endpoint
        .local_addresses()
        .iter()
        .map(ToString::to_string)
        .collect();
    let carrier = match endpoint.udp_port() {
        Some(udp) => format!("over UDP port {udp}"),
        None => "over IP protocol 132".to_owned(),
    };
    format!("SCTP port {port} {carrier} of {}", addresses.join(", "))
}

fn option_failure(error: &sheave::OptionError) -> Failure {
    let flag = error.option.replace('_', "-");
    Failure::usage(format!("--{flag}: {}", error.reason))
}

impl ParameterArgs {
    fn apply(&self, options: &mut Options) {
        set(&mut options.rto_initial, self.rto_initial);
        set(&mut options.rto_min, self.rto_min);
        set(&mut options.rto_max, self.rto_max);
        set(&mut options.max_burst, self.max_burst.map(|burst| burst.0));
        set(&mut options.valid_cookie_life, self.valid_cookie_life);
        set(
            &mut options.association_max_retrans,
            self.association_max_retrans,
        );
        set(&mut options.path_max_retrans, self.path_max_retrans);
        set(&mut options.max_init_retransmits, self.max_init_retransmits);
        set(&mut options.heartbeats, self.heartbeats);
        set(&mut options.sack_delay, self.sack_delay);
        set(&mut options.sack_frequency, self.sack_frequency);
        set(&mut options.coalescing, self.coalescing);
        set(&mut options.initial_pmtu, self.initial_pmtu);
        set(&mut options.send_buffer, self.send_buffer.map(clamp));
        set(&mut options.receive_buffer, self.receive_buffer.map(clamp));
        set(&mut options.buffers, self.buffers);
        set(&mut options.loss_detection, self.loss_detection);
        set(&mut options.congestion, self.congestion);
        if self.pacing {
            options.pacing = Pacing::On;
        }
        set(&mut options.scheduler, self.scheduler);
        if self.interleaving {
            options.interleaving = Interleaving::On;
        }
        set(&mut options.path_mtu_discovery, self.path_mtu_discovery);
        if self.packet_drop_reports {
            options.packet_drop_reports = PacketDropReports::On;
        }
        self.multipath.apply(options);
        self.failover.apply(options);
        if self.chunk_checksum {
            options.chunk_checksum = ChunkChecksum::On;
        }
        if let Some(secret) = &self.auth_key {
            options.authentication = authenticated(secret);
        }
        if self.ecn {
            options.ecn = ExplicitCongestion::On;
        }
        if self.nr_sack {
            options.selective_acks = SelectiveAcks::NonRenegable;
        }
        if self.go_back_n {
            options.loss_recovery = LossRecovery::GoBackN;
        }
        // A short RTO.Min with a long RTO.Initial means what it says; the reverse cannot be.
        if self.rto_initial.is_none() && self.rto_max.is_some() {
            options.rto_initial = options.rto_initial.min(options.rto_max);
        }
    }
}

fn authenticated(secret: &str) -> Authentication {
    let key = SharedKey::new(KeyId(1), secret);
    Authentication::On(Box::new(AuthenticationOptions {
        chunks: ChunkSet::all(),
        active: key.id(),
        keys: vec![key],
        others: Unauthenticated::Refused,
        ..AuthenticationOptions::default()
    }))
}

fn set<T>(option: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *option = value;
    }
}

#[cfg(test)]
mod tests;
