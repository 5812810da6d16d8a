//! Protection of packets in a tool without the feature `dtls`.

use clap::Args;
use sheave::error::ConnectError;
use sheave::{Endpoint, Target};

use crate::failure::Failure;

/// No options of packet protection.
#[derive(Args, Clone, Debug)]
pub struct SecureArgs {}

impl SecureArgs {
    #[expect(clippy::unused_self, reason = "same signature as with protection")]
    pub const fn is_on(&self) -> bool {
        false
    }

    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "same signature as with protection"
    )]
    pub(super) fn expecting(&self, _: &str, target: Target) -> Result<Target, Failure> {
        Ok(target)
    }
}

/// `None`: without protection, an endpoint has no certificate for it.
pub(super) const fn fingerprint(_: &Endpoint) -> Option<String> {
    None
}

/// Warns of nothing: without protection, no peer is refused for the lack of it.
pub(super) const fn warn_of_refusals(_: &Endpoint) {}

/// `None`: without protection, no association fails by it.
pub(super) const fn remedy(_: &ConnectError) -> Option<&'static str> {
    None
}
