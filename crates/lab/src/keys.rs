//! Keys of protected associations in the simulator: TLS 1.3 by the crate `sheave-secure`, as outside
//! of it, with [constants](crate::tls) for all that is random.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use sheave::secure::{
    Identity, KeyManagement, KeyProgress, Names, Rekeying, RestartStore, TlsSettings, Trust,
};
use sheave_engine::{AssocId, Endpoint, Event, Options, ProtectedRestart, Time};
use sheave_sim::CustomKeys;
use tempfile::TempDir;

use crate::tls;

/// Keys by TLS with a certificate at each end.
pub(crate) const TLS: CustomKeys = CustomKeys {
    name: "tls",
    make: |rekey, restart| Box::new(Keys::new(rekey, restart)),
};

static SETTINGS: LazyLock<TlsSettings> = LazyLock::new(|| {
    let identity = Identity::from_pem(tls::CERTIFICATE, tls::KEY);
    let identity = identity.expect("the certificate in the sources is valid");
    let trust = Trust::default().fingerprints([identity.fingerprint()]);
    TlsSettings::new(identity, trust)
        .with_provider(tls::PROVIDER.as_ref().clone())
        .with_clock(|| SystemTime::UNIX_EPOCH + tls::TODAY)
});

#[derive(Debug)]
struct Keys {
    management: KeyManagement,
    settings: Arc<TlsSettings>,
    /// The folder of restart keys, if they are kept.
    store: Option<Arc<TempDir>>,
}

impl Keys {
    fn new(rekey: Duration, restart: ProtectedRestart) -> Self {
        let settings = SETTINGS.clone().with_rekeying(Rekeying {
            every: rekey,
            ..Rekeying::default()
        });
        let folder = || tempfile::tempdir().expect("a folder for temporary files");
        let store = (restart == ProtectedRestart::On).then(|| Arc::new(folder()));
        let settings = match &store {
            Some(folder) => {
                let store = RestartStore::open(folder.path());
                settings.with_restarts(store.expect("a folder of our own"))
            }
            None => settings,
        };
        Self::of(Arc::new(settings), store)
    }

    fn of(settings: Arc<TlsSettings>, store: Option<Arc<TempDir>>) -> Self {
        Self {
            management: KeyManagement::new(Arc::clone(&settings), Names::default()),
            settings,
            store,
        }
    }
}

impl sheave_sim::KeyManagement for Keys {
    fn fit(&self, options: Options) -> Options {
        self.management.fit(options)
    }

    fn expect(&mut self, now: Time, endpoint: &mut Endpoint, id: AssocId) {
        self.management.expect(now, endpoint, id, None);
    }

    fn restarted(&self) -> Box<dyn sheave_sim::KeyManagement> {
        Box::new(Self::of(Arc::clone(&self.settings), self.store.clone()))
    }

    fn poll_event(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<(AssocId, Event)> {
        loop {
            // The end of an association that could not be protected is an event, too.
            if let KeyProgress::Event(id, event) = self.management.poll_event(now, endpoint)? {
                return Some((id, event));
            }
        }
    }
}

#[cfg(test)]
mod tests;
