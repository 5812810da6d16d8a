//! Logs connections' secrets in SSLKEYLOGFILE format (RFC 9850).

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Length of the DTLS 1.2 master secret, bytes (RFC 5246 §8.1).
const MASTER: usize = 48;

/// Labels of the DTLS 1.3 secrets (RFC 8446 §7.1) and their names in the file.
const SECRETS: [(&[u8], &str); 5] = [
    (b"c hs traffic", "CLIENT_HANDSHAKE_TRAFFIC_SECRET"),
    (b"s hs traffic", "SERVER_HANDSHAKE_TRAFFIC_SECRET"),
    (b"c ap traffic", "CLIENT_TRAFFIC_SECRET_0"),
    (b"s ap traffic", "SERVER_TRAFFIC_SECRET_0"),
    (b"exp master", "EXPORTER_SECRET"),
];

/// Labels of the DTLS 1.2 master secret (RFC 5246 §8.1, RFC 7627 §4).
const MASTERS: [&[u8]; 2] = [b"extended master secret", b"master secret"];

/// Label prefix of DTLS 1.3 (RFC 9147 §5.9).
const PREFIX: &[u8] = b"dtls13";

/// Random of a ClientHello, which identifies a connection in the file.
pub(super) type ClientRandom = [u8; 32];

/// The file to which secrets are appended.
#[derive(Debug)]
pub(super) struct KeyLog(Mutex<File>);

impl KeyLog {
    /// Opens the file; a new one is readable only by its owner.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(0o600).open(path)?;
        Ok(Self(Mutex::new(file)))
    }

    fn write(&self, label: &str, random: &ClientRandom, secret: &[u8]) {
        let line = format!("{label} {} {}\n", hex(random), hex(secret));
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A failed write loses the log entry, not the connection.
        let _ = file.write_all(line.as_bytes());
    }
}

/// The connection whose secrets are being derived on this thread.
struct Current {
    log: Arc<KeyLog>,
    random: ClientRandom,
    /// The master secret's blocks derived so far.
    master: Vec<u8>,
}

thread_local! {
    static CURRENT: RefCell<Option<Current>> = const { RefCell::new(None) };
}

/// Runs `step` and logs the secrets derived in it for the connection with that random.
pub(super) fn during<R>(log: &Arc<KeyLog>, random: ClientRandom, step: impl FnOnce() -> R) -> R {
    let current = Current {
        log: Arc::clone(log),
        random,
        master: Vec::new(),
    };
    CURRENT.with_borrow_mut(|place| *place = Some(current));
    let outcome = step();
    CURRENT.with_borrow_mut(|place| *place = None);
    outcome
}

/// Observes an HMAC of `data`; logs `mac` if it is a secret, recognised by its label.
pub(super) fn observe(data: &[u8], mac: &[u8]) {
    CURRENT.with_borrow_mut(|current| {
        let Some(current) = current else { return };
        if let Some(name) = secret_of(data) {
            current.log.write(name, &current.random, mac);
        } else if is_master(data, mac.len()) {
            current.master.extend_from_slice(mac);
            if current.master.len() >= MASTER {
                let secret = &current.master[..MASTER];
                current.log.write("CLIENT_RANDOM", &current.random, secret);
                current.master.clear();
            }
        }
    });
}

/// Name of the secret for an HkdfLabel (RFC 8446 §7.1): a two-byte length, the label with its
/// length, the context, and the block number 1.
fn secret_of(data: &[u8]) -> Option<&'static str> {
    let (&length, rest) = data.get(2..)?.split_first()?;
    let label = rest.get(..usize::from(length))?.strip_prefix(PREFIX)?;
    let (_, name) = SECRETS.iter().find(|(known, _)| *known == label)?;
    Some(name)
}

/// Whether `data` is the HMAC input of a master-secret block: A(i), label, seed (RFC 5246 §5).
fn is_master(data: &[u8], hash: usize) -> bool {
    let seeded = data.get(hash..).unwrap_or_default();
    MASTERS.iter().any(|label| seeded.starts_with(label))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
