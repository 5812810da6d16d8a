use std::env;
use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sheave::Endpoint;
use sheave::dtls::{Dtls, DtlsVersion, Fingerprint, Identity};

use super::Role;
use crate::failure::{Failure, While};

/// The variable that names the file for the secrets of connections (RFC 9850).
const KEY_LOG: &str = "SSLKEYLOGFILE";

/// The identity for the key of --psk; both ends share one key.
const PSK_IDENTITY: &str = "sheave";

/// Length of the shortest key of --psk, bytes.
const SHORTEST: usize = 16;

/// The versions of DTLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Version {
    /// 1.3 if both ends support it, else 1.2.
    Newest,
    /// 1.2 alone.
    #[value(name = "1.2")]
    V1_2,
    /// 1.3 alone.
    #[value(name = "1.3")]
    V1_3,
}

/// Options of DTLS.
#[derive(Args, Clone, Debug)]
pub(super) struct DtlsArgs {
    /// Encrypt with DTLS (RFC 8261); servers print the fingerprint of their certificate, which is
    /// generated at each start
    #[arg(long, value_enum, value_name = "VERSION", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "newest", group = "encryption")]
    dtls: Option<Version>,

    /// File with a key that both ends have, instead of fingerprints (DTLS 1.2)
    #[arg(
        long,
        value_name = "FILE",
        requires = "dtls",
        conflicts_with = "fingerprint"
    )]
    psk: Option<PathBuf>,
}

impl DtlsArgs {
    pub(super) const fn is_on(&self) -> bool {
        self.dtls.is_some()
    }

    /// The DTLS settings for this role, if DTLS is on; `pinned` are the certificates to trust.
    pub(super) fn settings(
        &self,
        role: Role,
        pinned: &[Fingerprint],
    ) -> Result<Option<Dtls>, Failure> {
        let Some(version) = self.dtls else {
            return Ok(None);
        };
        let dtls = match &self.psk {
            Some(_) if version == Version::V1_3 => {
                return Err(Failure::usage("--psk: goes with DTLS 1.2 alone").fix("use --dtls=1.2"));
            }
            Some(path) => {
                let mut key = fs::read(path).while_doing(path.display())?;
                key.truncate(key.trim_ascii_end().len());
                if key.len() < SHORTEST {
                    let what = format!("--psk: the key in {} is too short", path.display());
                    return Err(Failure::usage(what).fix(format!(
                        "take {SHORTEST} bytes or more, such as those of: openssl rand -hex 32"
                    )));
                }
                Dtls::with_pre_shared_key(PSK_IDENTITY, key)
            }
            None => {
                let identity = Identity::generate().map_err(Failure::new)?;
                let dtls = Dtls::with_certificate(identity);
                match (pinned, role) {
                    ([], Role::Server) => dtls,
                    ([], Role::Client) => {
                        let what = "--dtls: nothing says whom to trust";
                        return Err(Failure::usage(what).fix(
                            "add --fingerprint with what the server prints when it starts, or \
                             --psk with the same key at both ends",
                        ));
                    }
                    (pinned, _) => dtls.trusting(pinned.iter().copied()),
                }
            }
        };
        let dtls = match env::var_os(KEY_LOG).filter(|path| !path.is_empty()) {
            Some(path) => dtls.logging_keys_to(path),
            None => dtls,
        };
        Ok(Some(dtls.with_version(match version {
            Version::Newest => DtlsVersion::Newest,
            Version::V1_2 => DtlsVersion::V1_2,
            Version::V1_3 => DtlsVersion::V1_3,
        })))
    }
}

/// The fingerprint of the endpoint's certificate, if DTLS is on.
pub(super) fn fingerprint(endpoint: &Endpoint) -> Option<String> {
    endpoint.fingerprint().map(|own| own.to_string())
}
