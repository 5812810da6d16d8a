use std::net::IpAddr;
use std::time::Duration;

use clap::Args;
use sheave::{Association, ConnectError, Endpoint, Options, PeerAddress, Target};

use super::{UDP_PORT, resolve};
use crate::failure::Failure;
use crate::units::parse_duration;

/// Options of commands that set up an association.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Network")]
pub struct PeerArgs {
    /// Further address of the peer, tried if the first does not answer
    #[arg(long, value_name = "ADDR", value_delimiter = ',')]
    pub remote: Vec<IpAddr>,

    /// The peer's UDP port
    #[arg(long, value_name = "PORT", default_value_t = UDP_PORT)]
    pub peer_udp_port: u16,

    /// How long to wait for the association
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = parse_duration)]
    pub connect_timeout: Duration,
}

impl PeerArgs {
    /// Sets up an association with `host` at SCTP port `port`.
    ///
    /// # Errors
    /// The host is unknown, or nobody answers there.
    pub fn connect(
        &self,
        endpoint: &Endpoint,
        host: &str,
        port: u16,
        options: Options,
    ) -> Result<Association, Failure> {
        let mut addresses = vec![resolve(host)?];
        for &ip in &self.remote {
            if !addresses.contains(&ip) {
                addresses.push(ip);
            }
        }
        let remote = addresses.iter().map(|&ip| match endpoint.udp_port() {
            Some(_) => PeerAddress::encapsulated(ip, self.peer_udp_port),
            None => PeerAddress::native(ip),
        });
        let target = Target::new(remote, port).with_options(options);
        endpoint
            .connect_timeout(target, self.connect_timeout)
            .map_err(|error| self.connect_failure(endpoint, host, port, &error))
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
        match error {
            ConnectError::Failed(_) | ConnectError::Deadline(_) => failure.fix(
                "is the server running there, with the same --carrier, --port and UDP port \
                 (--udp-port there, --peer-udp-port here)?",
            ),
            _ => failure,
        }
    }
}
