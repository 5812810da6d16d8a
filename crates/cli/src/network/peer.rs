use std::net::IpAddr;
use std::time::Duration;

use clap::Args;
use sheave::dtls::{DtlsError, WANTS_DTLS};
use sheave::error::ConnectError;
use sheave::{Association, CloseReason, Endpoint, Options, PeerAddress, Target};
use sheave_wire::dtls::MISSING_SUPPORT;

use super::host::{Family, obstacle, resolve_all};
use super::{NetworkArgs, UDP_PORT, secure};
use crate::failure::Failure;
use crate::units::parse_duration;

/// Options of commands that set up an association.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Network")]
pub struct PeerArgs {
    /// Further address of the peer, tried if those of its name do not answer
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    pub remote: Vec<IpAddr>,

    /// The peer's UDP port
    #[arg(long, value_name = "PORT", default_value_t = UDP_PORT)]
    pub peer_udp_port: u16,

    /// Longest wait for the association; a bare number counts seconds, and milliseconds for
    /// `perf`, as iperf3's
    // INITs leave after 0, 1, 3, 7 and 15 s, and the last one is worth its answer.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = ConnectTimeout::parse)]
    connect_timeout: ConnectTimeout,
}

/// A duration whose unit may be missing.
#[derive(Clone, Copy, Debug)]
enum ConnectTimeout {
    /// With a unit.
    Span(Duration),
    /// A bare number.
    Bare(f64),
}

/// The local port and address family to use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin {
    /// The local SCTP port.
    pub port: Option<u16>,
    /// The family of the peer's address.
    pub family: Option<Family>,
}

impl ConnectTimeout {
    fn parse(text: &str) -> Result<Self, String> {
        let span = parse_duration(text)?;
        Ok(text.parse().map_or(Self::Span(span), Self::Bare))
    }

    fn of_bare_unit(self, unit: Duration) -> Duration {
        match self {
            Self::Span(span) => span,
            Self::Bare(number) => {
                Duration::try_from_secs_f64(number * unit.as_secs_f64()).unwrap_or(Duration::MAX)
            }
        }
    }
}

impl PeerArgs {
    /// Makes a bare number of --connect-timeout mean milliseconds.
    pub fn in_millis(mut self) -> Self {
        let millis = self.connect_timeout.of_bare_unit(Duration::from_millis(1));
        self.connect_timeout = ConnectTimeout::Span(millis);
        self
    }

    /// Connects to `host` at SCTP port `port`.
    /// Errors: the host is unknown, or does not answer.
    pub fn connect(
        &self,
        (network, endpoint): (&NetworkArgs, &Endpoint),
        host: &str,
        port: u16,
        options: Options,
    ) -> Result<Association, Failure> {
        let origin = Origin::default();
        self.connect_from(origin, (network, endpoint), host, port, options)
    }

    /// Connects like [`connect`](Self::connect), with the port and family of `origin`.
    pub fn connect_from(
        &self,
        origin: Origin,
        (network, endpoint): (&NetworkArgs, &Endpoint),
        host: &str,
        port: u16,
        options: Options,
    ) -> Result<Association, Failure> {
        let mut addresses = resolve_all(host, origin.family)?;
        for &ip in &self.remote {
            if !addresses.contains(&ip) {
                addresses.push(ip);
            }
        }
        let remote = addresses.iter().map(|&ip| match endpoint.udp_port() {
            Some(_) => PeerAddress::encapsulated(ip, self.peer_udp_port),
            None => PeerAddress::native(ip),
        });
        let mut target = Target::new(remote, port).with_options(options);
        target.local_port = origin.port;
        let target = network.expecting(host, target)?;
        let timeout = self.connect_timeout.of_bare_unit(Duration::from_secs(1));
        endpoint.connect_timeout(target, timeout).map_err(|error| {
            match (error, obstacle(&addresses)) {
                (ConnectError::Deadline(_), Some(obstacle)) => {
                    Failure::new(format!("cannot reach {host}: {obstacle}"))
                        .fix("look at the interfaces and routes of this machine: sheave doctor")
                }
                (error, _) => self.connect_failure(endpoint, host, port, &error),
            }
        })
    }

    fn connect_failure(
        &self,
        endpoint: &Endpoint,
        host: &str,
        port: u16,
        error: &ConnectError,
    ) -> Failure {
        let place = match endpoint.udp_port() {
            Some(_) => format!("{host} port {port} (UDP port {})", self.peer_udp_port),
            None => format!("{host} port {port}"),
        };
        let failure = Failure::new(format!("cannot connect to {place}: {error}"));
        if let Some(remedy) = secure::remedy(error) {
            return failure.fix(remedy);
        }
        match error {
            ConnectError::Dtls(DtlsError::WrongCertificate { .. }) => failure.fix(
                "if that is the fingerprint that the server printed when it started, give it with \
                 --fingerprint; else somebody else answers there",
            ),
            ConnectError::Dtls(DtlsError::NoDtls) => failure.fix(
                "leave --dtls away, which sends everything in the clear, or start the server with --dtls",
            ),
            ConnectError::Failed(CloseReason::AbortedByPeer { detail, .. })
                if detail == WANTS_DTLS =>
            {
                failure.fix(
                    "add --dtls, and --fingerprint with what the server printed when it started or \
                     --psk with its key",
                )
            }
            ConnectError::Failed(CloseReason::AbortedByPeer {
                cause: Some(MISSING_SUPPORT),
                ..
            }) => failure.fix(
                "the server protects packets: add --secure, and --cert, --key and --ca or --fingerprint",
            ),
            ConnectError::Dtls(_) => failure.fix(
                "is the server running there, with --dtls of the same version, the same UDP port, and the \
                 same --psk or this client's fingerprint if it takes few?",
            ),
            ConnectError::Failed(_) | ConnectError::Deadline(_) => failure.fix(
                "is the server running there, with the same --carrier, --port and UDP port \
                 (--udp-port there, --peer-udp-port here), and with --dtls (of one version) or --secure at \
                 both ends or at none?",
            ),
            _ => failure,
        }
    }
}
