//! Export and import of an authenticator.

use super::Authenticator;
use crate::AuthenticationOptions;
use crate::assoc::extensions::authentication::Keyring;
use crate::handover::Credentials;

impl Authenticator {
    /// The state to export; `None` if the peer does not authenticate.
    pub(crate) fn credentials(&self) -> Option<Credentials> {
        Some(Credentials {
            vectors: self.vectors()?,
            active: self.keys.active(),
            heard: self.heard,
            keys: self.keys.standing(),
        })
    }

    /// Resumes with the exported keys instead of those of the options.
    pub(crate) fn resume(options: &AuthenticationOptions, credentials: &Credentials) -> Self {
        let mut authenticator = Self::with(options, credentials.vectors.ours.clone());
        authenticator.keys = Keyring::resume(credentials.active, &credentials.keys);
        authenticator.meet(credentials.vectors.theirs.clone());
        authenticator.heard = credentials.heard;
        authenticator
    }
}
