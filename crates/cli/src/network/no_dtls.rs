//! The tool without the feature `dtls`.

use clap::Args;
use sheave::Endpoint;

/// No options of DTLS.
#[derive(Args, Clone, Debug)]
pub(super) struct DtlsArgs {}

impl DtlsArgs {
    #[expect(clippy::unused_self, reason = "same signature as with DTLS")]
    pub(super) const fn is_on(&self) -> bool {
        false
    }
}

/// `None`: without DTLS, an endpoint has no certificate for it.
pub(super) const fn fingerprint(_: &Endpoint) -> Option<String> {
    None
}
