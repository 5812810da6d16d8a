//! Keys of protected associations in the simulator: TLS 1.3 by the crate `sheave-secure`, as outside
//! of it, with [constants](crate::tls) for all that is random.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use sheave::secure::{Identity, KeyManagement, KeyProgress, Names, Rekeying, TlsSettings, Trust};
use sheave_engine::{AssocId, Endpoint, Event, Options, Time};
use sheave_sim::CustomKeys;

use crate::tls;

/// Keys by TLS with a certificate at each end.
pub(crate) const TLS: CustomKeys = CustomKeys {
    name: "tls",
    make: |rekey| Box::new(Keys::new(rekey)),
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
struct Keys(KeyManagement);

impl Keys {
    fn new(rekey: Duration) -> Self {
        let settings = SETTINGS.clone().with_rekeying(Rekeying {
            every: rekey,
            ..Rekeying::default()
        });
        Self(KeyManagement::new(Arc::new(settings), Names::default()))
    }
}

impl sheave_sim::KeyManagement for Keys {
    fn fit(&self, options: Options) -> Options {
        self.0.fit(options)
    }

    fn expect(&mut self, now: Time, endpoint: &mut Endpoint, id: AssocId) {
        self.0.expect(now, endpoint, id, None);
    }

    fn poll_event(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<(AssocId, Event)> {
        loop {
            // The end of an association that could not be protected is an event, too.
            if let KeyProgress::Event(id, event) = self.0.poll_event(now, endpoint)? {
                return Some((id, event));
            }
        }
    }
}

#[cfg(test)]
mod tests;
