//! Certificates for tests: an authority and what it signs.

use std::sync::Arc;

use base64ct::{Base64, Encoding};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, date_time_ymd,
};
use sheave_secure::{Identity, TlsSettings, Trust};

pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

fn pem(label: &str, der: &[u8]) -> String {
    let body = Base64::encode_string(der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).expect("no names");
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(parameters, key).expect("an authority"))
    }

    /// An authority that this one has signed, and its certificate.
    pub(crate) fn intermediate(&self, name: &str) -> (Self, String) {
        let mut parameters = CertificateParams::new(Vec::new()).expect("no names");
        parameters.distinguished_name.push(DnType::CommonName, name);
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let signed = CertifiedIssuer::signed_by(parameters, key, &self.0).expect("an authority");
        let text = pem("CERTIFICATE", signed.der());
        (Self(signed), text)
    }

    pub(crate) fn pem(&self) -> String {
        pem("CERTIFICATE", self.0.der())
    }

    pub(crate) fn trust(&self) -> Trust {
        let trust = Trust::default().authorities(self.pem().as_bytes());
        trust.expect("an authority")
    }

    /// Certificate and key for a name.
    pub(crate) fn issue(&self, name: &str) -> Identity {
        self.issue_with(name, |_| ())
    }

    /// Certificate and key for a name, with changed parameters.
    pub(crate) fn issue_with(
        &self,
        name: &str,
        change: impl FnOnce(&mut CertificateParams),
    ) -> Identity {
        let [certificate, key] = self.issue_pem(name, change);
        Identity::from_pem(certificate.as_bytes(), key.as_bytes()).expect("an identity")
    }

    pub(crate) fn issue_pem(
        &self,
        name: &str,
        change: impl FnOnce(&mut CertificateParams),
    ) -> [String; 2] {
        let mut parameters = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        parameters.not_before = date_time_ymd(2020, 1, 1);
        parameters.not_after = date_time_ymd(2200, 1, 1);
        change(&mut parameters);
        let key = KeyPair::generate().expect("a key");
        let signed = parameters.signed_by(&key, &self.0).expect("a certificate");
        [
            pem("CERTIFICATE", signed.der()),
            pem("PRIVATE KEY", &key.serialize_der()),
        ]
    }

    /// Settings of an end whose certificate and trust both come from this authority.
    pub(crate) fn settings(&self, name: &str) -> Arc<TlsSettings> {
        Arc::new(TlsSettings::new(self.issue(name), self.trust()))
    }
}

/// Makes a certificate serve one purpose alone.
pub(crate) fn for_servers_alone(parameters: &mut CertificateParams) {
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
}
