//! Configurations from text: names and values.

use std::str::FromStr;
use std::time::Duration;

#[cfg(doc)]
use sheave_engine::EndpointOptions;
use sheave_engine::{OptionError, quantity};

use super::{CarrierKind, Config, Offload, PortSharing, USUAL_UDP_PORT};

impl Config {
    /// Sets the field `name` from text. `local` adds an address; every other name replaces the
    /// value. `carrier` is `udp` or `ip`, and `udp_port` the port of the former. Names that are not
    /// fields of this type set limits of [`EndpointOptions`].
    ///
    /// # Errors
    /// The field or limit does not exist, or the value is malformed or out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let outcome = match name {
            "local" => read(value, "an IP address").map(|ip| self.local.push(ip)),
            "carrier" => self.set_carrier(value),
            "udp_port" => self.set_udp_port(value),
            "socket_buffer" => read_size(value).map(|size| self.socket_buffer = size),
            "offload" => word(
                value,
                &[("automatic", Offload::Automatic), ("off", Offload::Off)],
            )
            .map(|offload| self.offload = offload),
            "backlog" => read(value, "a number").map(|backlog| self.backlog = backlog),
            "workers" => read(value, "a number from 1").map(|workers| self.workers = workers),
            "busy_poll" => read_time(value).map(|span| self.busy_poll = span),
            "linger" => read_time(value).map(|span| self.linger = span),
            "port_sharing" => {
                let words = [
                    ("exclusive", PortSharing::Exclusive),
                    ("with-successor", PortSharing::WithSuccessor),
                ];
                word(value, &words).map(|sharing| self.port_sharing = sharing)
            }
            _ => return self.endpoint.set(name, value),
        };
        outcome.map_err(|reason| OptionError {
            option: name.into(),
            value: value.into(),
            reason: format!("must be {reason}"),
        })
    }

    fn set_carrier(&mut self, value: &str) -> Result<(), String> {
        let port = match self.carrier {
            CarrierKind::Udp { port } => port,
            CarrierKind::RawIp => USUAL_UDP_PORT,
        };
        let words = [
            ("udp", CarrierKind::Udp { port }),
            ("ip", CarrierKind::RawIp),
        ];
        self.carrier = word(value, &words)?;
        Ok(())
    }

    fn set_udp_port(&mut self, value: &str) -> Result<(), String> {
        let number = read(value, "a port, 0 to 65535")?;
        match &mut self.carrier {
            CarrierKind::Udp { port } => *port = number,
            CarrierKind::RawIp => return Err("left out where the carrier is ip".into()),
        }
        Ok(())
    }
}

/// Reads `NAME=VALUE,NAME=VALUE`, such as `local=192.0.2.1,local=198.51.100.1,udp_port=0`; see
/// [`Config::set`]. With the feature `secure`, `cert` and `key`, PEM files, [protect](crate::secure)
/// packets; with them go `ca`, a PEM file, and `fingerprint`, of which one is needed, `peer_name`,
/// `rekey`, a time, and the files `key_log` and `restart_keys`. `psk_file`, a secret, takes the place
/// of certificates.
impl FromStr for Config {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let mut config = Self::default();
        #[cfg(feature = "secure")]
        let mut secure = crate::secure::SecureText::default();
        let set = |(name, value): (&str, &str)| {
            #[cfg(feature = "secure")]
            if let Some(done) = secure.set(name.trim(), value.trim()) {
                return done;
            }
            config.set(name.trim(), value.trim())
        };
        let items = text.split(',').filter(|item| !item.trim().is_empty());
        items
            .map(|item| item.split_once('=').unwrap_or((item, "")))
            .try_for_each(set)?;
        #[cfg(feature = "secure")]
        {
            config.secure = secure.finish()?;
        }
        Ok(config)
    }
}

/// Parses a value; on failure, returns the valid range as the error.
fn read<T: FromStr>(value: &str, range: &str) -> Result<T, String> {
    value.parse().map_err(|_| range.to_owned())
}

fn read_time(value: &str) -> Result<Duration, String> {
    quantity::read_time(value).map_err(|error| error.expected().into())
}

fn read_size(value: &str) -> Result<usize, String> {
    let bytes = quantity::read_size(value).map_err(|error| error.expected().to_owned())?;
    usize::try_from(bytes).map_err(|_| "a size that memory can have".into())
}

/// Parses one of a fixed set of words.
fn word<T: Copy>(value: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| *word == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        names.join(" or ")
    })
}

#[cfg(test)]
mod tests;
