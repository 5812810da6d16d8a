//! The options that say how to reach the network, and the endpoint made from them.

#[cfg_attr(not(feature = "dtls"), path = "network/no_dtls.rs")]
mod dtls;
mod host;
mod options;
mod peer;
#[cfg_attr(not(feature = "dtls"), path = "network/no_secure.rs")]
mod secure;
mod successor;

use std::net::IpAddr;
use std::num::NonZero;
use std::time::Duration;

use clap::{Args, ValueEnum};
use sheave::config::CarrierKind;
use sheave::error::{BindError, ListenError, OptionError};
use sheave::{Config, Endpoint, Listener, Options, Shards, Target};

use self::dtls::DtlsArgs;
pub use self::host::{Family, HostPort, resolve};
use self::options::{LimitArgs, OptionArgs};
pub use self::peer::{Origin, PeerArgs};
pub use self::secure::SecureArgs;
use crate::failure::Failure;
use crate::units::parse_duration;

/// The UDP port of SCTP (RFC 6951 §5.1).
pub const UDP_PORT: u16 = 9899;

/// The carriers of SCTP packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Carrier {
    /// In UDP datagrams (RFC 6951); needs no privilege.
    #[default]
    Udp,
    /// IP protocol 132; needs root or CAP_NET_RAW.
    Raw,
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

    /// Carrier of SCTP packets
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub carrier: Carrier,

    /// Local UDP port; 0 picks a free one [default: 9899 for servers, free for clients]
    #[arg(long, value_name = "PORT")]
    pub udp_port: Option<u16>,

    /// Threads that receive, verify and send the packets of each endpoint, so that one association
    /// uses several processors
    #[arg(long, value_name = "N", default_value = "1", hide_short_help = true)]
    pub workers: NonZero<usize>,

    /// Time to poll for the next packet before sleeping: lower latency at the cost of a processor
    #[arg(long, value_name = "TIME", default_value = "0", value_parser = parse_duration, hide_short_help = true)]
    pub busy_poll: Duration,

    #[command(flatten)]
    dtls: DtlsArgs,

    // Before --secure, on which they depend: each field takes its words away.
    #[command(flatten)]
    parameters: OptionArgs,

    #[command(flatten)]
    secure: SecureArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

/// The role of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Waits for associations.
    Server,
    /// Starts associations.
    Client,
}

impl NetworkArgs {
    /// The protocol parameters.
    pub fn options(&self) -> Options {
        self.parameters.options().clone()
    }

    /// Restricts the local addresses to one family.
    /// Errors: no local address of the family exists.
    pub fn of_family(mut self, family: Family) -> Result<Self, Failure> {
        if self.local.is_empty() {
            // Binds a temporary endpoint to list its addresses.
            let config = Config {
                carrier: CarrierKind::Udp { port: 0 },
                ..Config::default()
            };
            let endpoint = Endpoint::bind(config).map_err(|error| bind_failure(&error))?;
            self.local = endpoint.local_addresses().to_vec();
        }
        self.local.retain(|ip| family.has(*ip));
        match self.local.is_empty() {
            true => Err(Failure::new("no local address is of the family asked for")),
            false => Ok(self),
        }
    }

    /// Binds the endpoint and prints warnings.
    /// Errors: an address or port cannot be bound.
    pub fn bind(&self, role: Role) -> Result<Endpoint, Failure> {
        let shards = self.bind_shards(role, NonZero::<usize>::MIN)?;
        let only = shards.endpoints().first().cloned();
        only.ok_or_else(|| Failure::new("no endpoint"))
    }

    /// Binds several endpoints to the same addresses, like [`bind`](Self::bind).
    pub fn bind_shards(&self, role: Role, count: NonZero<usize>) -> Result<Shards, Failure> {
        let shards = Shards::bind(self.config(role)?, count);
        let shards = shards.map_err(|error| bind_failure(&error))?;
        if let Some(first) = shards.endpoints().first() {
            tell_warnings(first);
        }
        (shards.endpoints().iter()).for_each(secure::warn_of_refusals);
        Ok(shards)
    }

    pub const fn has_dtls(&self) -> bool {
        self.dtls.is_on()
    }

    /// Whether packets are protected by DTLS chunks.
    pub const fn is_secure(&self) -> bool {
        self.secure.is_on()
    }

    /// Expects the certificate of the server at `host`, if packets are protected.
    ///
    /// # Errors
    /// --peer-name or `host` is no name.
    fn expecting(&self, host: &str, target: Target) -> Result<Target, Failure> {
        self.secure.expecting(host, target)
    }

    fn config(&self, role: Role) -> Result<Config, Failure> {
        let carrier = match (self.carrier, role) {
            (Carrier::Raw, _) => CarrierKind::RawIp,
            (Carrier::Udp, Role::Server) => CarrierKind::Udp {
                port: self.udp_port.unwrap_or(UDP_PORT),
            },
            (Carrier::Udp, Role::Client) => CarrierKind::Udp {
                port: self.udp_port.unwrap_or(0),
            },
        };
        Ok(Config {
            local: self.local.clone(),
            carrier,
            #[cfg(feature = "dtls")]
            dtls: self.dtls.settings(role, self.secure.pinned())?,
            #[cfg(feature = "dtls")]
            secure: self.secure.settings(role)?,
            workers: self.workers,
            busy_poll: self.busy_poll,
            linger: Duration::from_secs(3),
            endpoint: self.limits.limits().clone(),
            ..Config::default()
        })
    }
}

fn bind_failure(error: &BindError) -> Failure {
    let failure = Failure::new(error);
    match error {
        BindError::NoPermission | BindError::Shards => failure.fix("add --carrier udp"),
        BindError::Address { .. } => {
            failure.fix("choose others with --local or --udp-port (0 picks a free one)")
        }
        BindError::Dtls => failure.fix("use --carrier udp, and one thread (--threads 1)"),
        BindError::NoAddress | BindError::System { .. } => failure,
    }
}

fn tell_warnings(endpoint: &Endpoint) {
    for warning in endpoint.warnings() {
        eprintln!("sheave: warning: {warning}");
    }
}

/// Accepts associations on `port`.
/// Errors: the port is taken or 0, or an option is out of range.
pub fn listen(endpoint: &Endpoint, port: u16, options: Options) -> Result<Listener, Failure> {
    endpoint
        .listen(port, options)
        .map_err(|error| match &error {
            ListenError::Option(error) => option_failure(error),
            _ => Failure::new(format!("cannot listen on SCTP port {port}: {error}"))
                .fix("choose another with --port"),
        })
}

/// The endpoint's addresses and ports, for messages.
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
    let place = format!("SCTP port {port} {carrier} of {}", addresses.join(", "));
    match (dtls::fingerprint(endpoint), secure::fingerprint(endpoint)) {
        (Some(fingerprint), _) => format!("{place}, with DTLS, fingerprint {fingerprint}"),
        (_, Some(fingerprint)) => format!("{place}, protected, fingerprint {fingerprint}"),
        (None, None) => place,
    }
}

/// The fingerprint of the endpoint's certificate, for JSON.
pub fn fingerprint(endpoint: &Endpoint) -> Option<String> {
    secure::fingerprint(endpoint).or_else(|| dtls::fingerprint(endpoint))
}

/// The failure for an invalid option, named by its flag.
pub fn option_failure(error: &OptionError) -> Failure {
    Failure::usage(options::complaint(error))
}

#[cfg(test)]
mod tests;
