//! Keys with which DTLS chunks are decrypted.

use std::fs;
use std::path::PathBuf;

use clap::Args;
pub(super) use sheave::secure::Decoder;

use crate::failure::{Failure, While};

/// The file with the keys.
#[derive(Args, Clone, Debug)]
pub(super) struct KeyArgs {
    /// Decrypt DTLS chunks with the keys in a file that `--key-log` has written; give the capture
    /// from the beginning of the association
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
}

impl KeyArgs {
    pub(super) fn decoder(&self) -> Result<Decoder, Failure> {
        let Some(path) = &self.keys else {
            return Ok(Decoder::default());
        };
        let text = fs::read_to_string(path).while_doing(path.display())?;
        Decoder::from_log(&text).while_doing(path.display())
    }
}
