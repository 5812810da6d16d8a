use std::net::IpAddr;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use sheave::dtls::Fingerprint;
use sheave::error::ConnectError;
use sheave::secure::{
    self, Fault, Identity, KeyLog, Names, Rekeying, RestartStore, Secure, SharedSecret,
    TlsSettings, Trust,
};
use sheave::{Endpoint, Target};

use super::Role;
use crate::failure::{Failure, While};
use crate::units::parse_duration;

/// Options of packet protection.
#[derive(Args, Clone, Debug)]
pub struct SecureArgs {
    /// Encrypt every packet on every path with DTLS chunks, with keys from TLS 1.3; both ends
    /// authenticate by certificates (experimental: IETF drafts)
    #[arg(long, group = "encryption")]
    secure: bool,

    /// PEM file with the own certificate and those between it and the authority; `sheave
    /// certificate` makes one without an authority [default: generated at each start]
    #[arg(long, value_name = "FILE", requires = "secure", requires = "key")]
    cert: Option<PathBuf>,

    /// PEM file with the private key of --cert
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,

    /// File with a secret of 16 bytes or more that the other end has, too, in place of certificates
    #[arg(long, value_name = "FILE", requires = "secure")]
    #[arg(conflicts_with_all = ["cert", "fingerprint", "ca", "peer_name", "rekey", "restart_keys"])]
    psk_file: Option<PathBuf>,

    /// SHA-256 fingerprint of a certificate to trust; several, by comma or repeated
    #[arg(
        long,
        value_name = "SHA256",
        value_delimiter = ',',
        requires = "encryption"
    )]
    fingerprint: Vec<Fingerprint>,

    /// PEM file with authorities whose certificates are trusted, besides --fingerprint
    #[arg(long, value_name = "FILE", requires = "secure")]
    ca: Option<PathBuf>,

    /// Name that the peer's certificate must hold; several, by comma or repeated [default: HOST of
    /// a client, unless it is an address; else every name]
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        requires = "secure",
        hide_short_help = true
    )]
    peer_name: Vec<String>,

    /// Age at which keys are replaced, by another handshake
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_age)]
    #[arg(requires = "secure", hide_short_help = true)]
    rekey: Duration,

    /// Keep keys in FOLDER with which this end sets up its associations again after a crash, under
    /// protection, from the same SCTP port; both ends need it
    #[arg(
        long,
        value_name = "FOLDER",
        requires = "secure",
        hide_short_help = true
    )]
    restart_keys: Option<PathBuf>,

    /// Append the keys to a file, with which `sheave dump --keys` decrypts a capture
    #[arg(long, value_name = "FILE", requires = "secure", hide_short_help = true)]
    key_log: Option<PathBuf>,
}

impl SecureArgs {
    /// Whether packets are protected.
    pub const fn is_on(&self) -> bool {
        self.secure
    }

    /// Whether the certificate is generated at this start.
    pub const fn generates_certificate(&self) -> bool {
        self.secure && self.cert.is_none() && self.psk_file.is_none()
    }

    /// The certificates to trust.
    pub(super) fn pinned(&self) -> &[Fingerprint] {
        &self.fingerprint
    }

    /// Expects a certificate with --peer-name, or else with the name `host`, if protection is on.
    pub(super) fn expecting(&self, host: &str, target: Target) -> Result<Target, Failure> {
        if !self.secure || self.psk_file.is_some() {
            return Ok(target);
        }
        let is_name = self.peer_name.is_empty() && host.parse::<IpAddr>().is_err();
        let names = match is_name {
            true => vec![host.to_owned()],
            false => self.peer_name.clone(),
        };
        target.expecting(names).while_doing("--peer-name")
    }

    /// The protection settings for this role, if protection is on.
    ///
    /// # Errors
    /// A file is unreadable or unfit, a name is none, or nobody is trusted.
    pub fn settings(&self, role: Role) -> Result<Option<Secure>, Failure> {
        if !self.secure {
            return Ok(None);
        }
        let key_log = self.key_log.as_ref().map(KeyLog::append_to).transpose();
        let key_log = key_log.while_doing("--key-log")?;
        if let Some(file) = &self.psk_file {
            let secret = SharedSecret::from_file(file).while_doing(file.display())?;
            return Ok(Some(Secure::with(match key_log {
                Some(log) => secret.logging_keys_to(log),
                None => secret,
            })));
        }
        let identity = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Identity::from_files(cert, key).while_doing("--cert, --key"),
            _ => Identity::generate(["sheave"]).while_doing("--secure"),
        }?;
        let own = identity.fingerprint();
        let pinned = self
            .fingerprint
            .iter()
            .map(|one| secure::Fingerprint(*one.as_bytes()));
        let trust = Trust::default().fingerprints(pinned);
        let trust = match &self.ca {
            Some(path) => trust.authorities_in(path).while_doing("--ca")?,
            None => trust,
        };
        if trust.is_empty() {
            let what = "--secure: nothing says whom to trust";
            return Err(Failure::usage(what).fix(format!(
                "add --ca with the authorities of both ends, or --fingerprint with that of the \
                 other end's certificate; this one's is {own}"
            )));
        }
        let rekeying = Rekeying {
            every: self.rekey,
            ..Rekeying::default()
        };
        let settings = TlsSettings::new(identity, trust).with_rekeying(rekeying);
        let settings = match key_log {
            Some(log) => settings.logging_keys_to(log),
            None => settings,
        };
        let settings = match &self.restart_keys {
            Some(folder) => {
                settings.with_restarts(RestartStore::open(folder).while_doing(folder.display())?)
            }
            None => settings,
        };
        let secure = Secure::with(settings);
        Ok(Some(match role {
            Role::Client => secure,
            Role::Server => {
                let names = Names::new(self.peer_name.iter().cloned());
                secure.expecting(names.while_doing("--peer-name")?)
            }
        }))
    }
}

/// The fingerprint of the endpoint's certificate, if protection is on.
pub(super) fn fingerprint(endpoint: &Endpoint) -> Option<String> {
    endpoint.own_fingerprint().map(|own| own.to_string())
}

/// Warns of peers whose associations could not be protected, or are no longer, until the endpoint is
/// closed.
pub(super) fn warn_of_refusals(endpoint: &Endpoint) {
    if endpoint.own_fingerprint().is_none() {
        return;
    }
    let endpoint = endpoint.clone();
    thread::spawn(move || {
        while let Some(refusal) = endpoint.refused() {
            match refusal.peer {
                Some(peer) => eprintln!("sheave: refused {peer}: {}", refusal.fault),
                None => eprintln!("sheave: refused a peer: {}", refusal.fault),
            }
        }
    });
}

/// The advice for a client whose association could not be protected.
pub(super) const fn remedy(error: &ConnectError) -> Option<&'static str> {
    let ConnectError::Secure(fault) = error else {
        return None;
    };
    Some(match fault {
        Fault::Unprotected => {
            "start the server with --secure, or leave --secure out, which sends everything in the clear"
        }
        Fault::UnknownAuthority => {
            "give --ca with the authority of the server's certificate, or --fingerprint with what \
             the server printed when it started"
        }
        Fault::Refused(_) => {
            "the server must trust this end's certificate: give it --ca with its authority, or \
             --fingerprint with what `sheave certificate` shows"
        }
        Fault::OtherSecret => "give both ends the same file with --psk-file",
        Fault::NotAgreed => "give both ends --psk-file, or both certificates",
        Fault::WrongName => "if the name is right, give it with --peer-name",
        _ => return None,
    })
}

/// Parses the age of keys.
fn parse_age(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        Duration::ZERO => Err("must be above zero".to_owned()),
        age => Ok(age),
    }
}
