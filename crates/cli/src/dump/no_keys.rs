//! `sheave dump` without the feature `dtls`: DTLS chunks stay encrypted.

use clap::Args;
use sheave_wire::Packet;

use crate::failure::Failure;

/// No option for keys.
#[derive(Args, Clone, Debug)]
pub(super) struct KeyArgs {}

impl KeyArgs {
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "same signature as with keys"
    )]
    pub(super) const fn decoder(&self) -> Result<Decoder, Failure> {
        Ok(Decoder)
    }
}

/// A decoder without keys.
pub(super) struct Decoder;

impl Decoder {
    #[expect(clippy::unused_self, reason = "same signature as with keys")]
    pub(super) const fn is_empty(&self) -> bool {
        true
    }

    #[expect(clippy::unused_self, reason = "same signature as with keys")]
    pub(super) const fn open(&self, _: &Packet<'_>) -> Option<Vec<u8>> {
        None
    }
}
