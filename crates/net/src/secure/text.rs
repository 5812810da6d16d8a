//! Protection settings from text.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use sheave_engine::{OptionError, quantity};

use super::{
    Identity, KeyLog, Names, Rekeying, RestartStore, Secure, SharedSecret, TlsSettings, Trust,
};

/// Settings read so far.
#[derive(Debug, Default)]
pub(crate) struct SecureText {
    cert: Option<PathBuf>,
    key: Option<PathBuf>,
    trust: Trust,
    names: Vec<String>,
    rekeying: Rekeying,
    key_log: Option<KeyLog>,
    restarts: Option<RestartStore>,
    secret: Option<SharedSecret>,
    /// Whether any of them was given.
    is_given: bool,
}

impl SecureText {
    /// Reads a setting; `None` if the name is none of protection's.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), OptionError>> {
        let text = |error: &dyn Display| error.to_string();
        let done = match name {
            "cert" => {
                self.cert = Some(value.into());
                Ok(())
            }
            "key" => {
                self.key = Some(value.into());
                Ok(())
            }
            "ca" => std::mem::take(&mut self.trust)
                .authorities_in(value)
                .map(|trust| self.trust = trust)
                .map_err(|error| text(&error)),
            "fingerprint" => value.parse().map_err(|error| text(&error)).map(|one| {
                self.trust = std::mem::take(&mut self.trust).fingerprints([one]);
            }),
            "peer_name" => {
                self.names.push(value.into());
                Ok(())
            }
            "rekey" => match quantity::read_time(value) {
                Ok(Duration::ZERO) => Err("must be above zero".into()),
                Ok(every) => {
                    self.rekeying.every = every;
                    Ok(())
                }
                Err(error) => Err(format!("must be {}", error.expected())),
            },
            "key_log" => KeyLog::append_to(value)
                .map(|log| self.key_log = Some(log))
                .map_err(|error| text(&error)),
            "restart_keys" => RestartStore::open(value)
                .map(|store| self.restarts = Some(store))
                .map_err(|error| text(&error)),
            "psk_file" => SharedSecret::from_file(value)
                .map(|secret| self.secret = Some(secret))
                .map_err(|error| text(&error)),
            _ => return None,
        };
        self.is_given = true;
        Some(done.map_err(|reason| fault(name, value, reason)))
    }

    /// The settings, if a certificate or a secret is among them.
    pub(crate) fn finish(self) -> Result<Option<Secure>, OptionError> {
        if let Some(secret) = self.secret {
            let is_alone = self.cert.is_none() && self.key.is_none() && self.trust.is_empty();
            let is_alone = is_alone && self.names.is_empty() && self.restarts.is_none();
            return match (
                is_alone && self.rekeying == Rekeying::default(),
                self.key_log,
            ) {
                (true, Some(log)) => Ok(Some(Secure::with(secret.logging_keys_to(log)))),
                (true, None) => Ok(Some(Secure::with(secret))),
                (false, _) => Err(fault(
                    "psk_file",
                    "",
                    "excludes certificates, rekey and restart_keys".into(),
                )),
            };
        }
        let (Some(cert), Some(key)) = (&self.cert, &self.key) else {
            let lacking = |one: &str| {
                fault(
                    one,
                    "",
                    "must be there beside the other settings of protection".into(),
                )
            };
            return match (self.cert, self.key) {
                (None, None) if !self.is_given => Ok(None),
                (None, _) => Err(lacking("cert")),
                _ => Err(lacking("key")),
            };
        };
        let shown = cert.display().to_string();
        let identity = Identity::from_files(cert, key);
        let identity = identity.map_err(|error| fault("cert", &shown, error.to_string()))?;
        if self.trust.is_empty() {
            return Err(fault(
                "ca",
                "",
                "must be there, or fingerprint: whom to trust".into(),
            ));
        }
        let mut settings = TlsSettings::new(identity, self.trust).with_rekeying(self.rekeying);
        if let Some(log) = self.key_log {
            settings = settings.logging_keys_to(log);
        }
        if let Some(store) = self.restarts {
            settings = settings.with_restarts(store);
        }
        let names = Names::new(self.names);
        let names = names.map_err(|error| fault("peer_name", &error.0, error.to_string()))?;
        Ok(Some(Secure::with(settings).expecting(names)))
    }
}

fn fault(name: &str, value: &str, reason: String) -> OptionError {
    OptionError {
        option: name.into(),
        value: value.into(),
        reason,
    }
}
