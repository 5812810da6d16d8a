//! Restart keys that survive the process (draft-ietf-tsvwg-sctp-dtls-chunk-04 §5.4, §10.4).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sheave_engine::{CipherLimits, Forged, RecordCipher, TAG_LEN};
use zeroize::Zeroizing;

use crate::TrafficKeys;
use crate::certificate::{Fingerprint, Subject};
use crate::suite::{from_hex, to_hex};

/// Age at which keys of an association that nobody has set up again are removed.
const STALE: Duration = Duration::from_secs(7 * 24 * 3600);

/// A folder with the restart keys of one endpoint's associations, a file for each. With them, an
/// endpoint that has lost its state sets its associations up again, under protection. Anyone who
/// can read it can take their place.
///
/// A file leaves the folder before the keys in it are first used, so that no crash makes them
/// protect two packets under one nonce.
#[derive(Clone, Debug)]
pub struct RestartStore(Arc<Path>);

/// The names by which an endpoint finds the keys of an association.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) local_port: u16,
    pub(crate) remote_port: u16,
    pub(crate) remote: Vec<IpAddr>,
}

/// Restart keys of an association.
#[derive(Clone, Debug)]
pub(crate) struct RestartKeys {
    pub(crate) epoch: u64,
    pub(crate) send: TrafficKeys,
    pub(crate) receive: TrafficKeys,
    /// The peer of the handshake that made them.
    pub(crate) peer: Subject,
}

impl RestartStore {
    /// Opens or creates a folder, which only its owner can read, and removes keys of more than a
    /// week ago.
    ///
    /// # Errors
    /// The folder cannot be created or read.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&folder)?;
        let is_stale = |file: &fs::DirEntry| {
            let age = file.metadata()?.modified()?.elapsed();
            io::Result::Ok(age.is_ok_and(|age| age > STALE))
        };
        for file in fs::read_dir(&folder)?.flatten() {
            if file.path().extension().is_some_and(|kind| kind == "keys") && is_stale(&file)? {
                fs::remove_file(file.path())?;
            }
        }
        Ok(Self(folder.as_ref().into()))
    }

    /// Keeps the keys of an association in place of its earlier ones.
    pub(crate) fn keep(&self, place: &Place, keys: &RestartKeys) -> io::Result<PathBuf> {
        let words: Vec<String> = (place.remote.iter().map(IpAddr::to_string))
            .chain([to_hex(&keys.peer.0.0)])
            .collect();
        let line = |keys_of: &TrafficKeys| Zeroizing::new(keys_of.to_text(keys.epoch));
        let (send, receive) = (line(&keys.send), line(&keys.receive));
        let text = format!("{}\n{}\n{}\n", words.join(" "), *send, *receive);
        let text = Zeroizing::new(text);
        let first = place
            .remote
            .first()
            .map(|ip| ip.to_string().replace(':', "_"));
        let name = first.unwrap_or_default();
        let path = self.0.join(format!("{}{name}.keys", place.prefix()));
        let fresh = path.with_extension("new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&fresh, &path)?;
        self.sync()?;
        Ok(path)
    }

    /// The keys of an association that was there before, and their file.
    pub(crate) fn find(&self, place: &Place) -> Option<(RestartKeys, PathBuf)> {
        let prefix = place.prefix();
        let mut files = fs::read_dir(&self.0).ok()?.flatten();
        files.find_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let fits = name.starts_with(&prefix) && name.ends_with(".keys");
            let text = fs::read_to_string(file.path()).ok().filter(|_| fits)?;
            let text = Zeroizing::new(text);
            Some((RestartKeys::of(&text, &place.remote)?, file.path()))
        })
    }

    /// Removes the file of keys for good.
    pub(crate) fn remove(&self, file: &Path) -> io::Result<()> {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => self.sync(),
        }
    }

    /// Makes changes of the folder survive a crash of the machine.
    fn sync(&self) -> io::Result<()> {
        match cfg!(unix) {
            true => File::open(&self.0)?.sync_all(),
            false => Ok(()),
        }
    }
}

impl Place {
    fn prefix(&self) -> String {
        format!("{}-{}-", self.local_port, self.remote_port)
    }
}

impl RestartKeys {
    /// Reads the text of a file if it is for a peer with one of these addresses.
    fn of(text: &str, remote: &[IpAddr]) -> Option<Self> {
        let mut lines = text.lines();
        let words: Vec<&str> = lines.next()?.split(' ').collect();
        let (peer, addresses) = words.split_last()?;
        let mut known = addresses.iter().filter_map(|word| word.parse().ok());
        known.find(|ip: &IpAddr| remote.contains(ip))?;
        let peer = <[u8; 32]>::try_from(from_hex(peer)?).ok()?;
        let (send, epoch) = TrafficKeys::from_text(lines.next()?)?;
        let (receive, _) = TrafficKeys::from_text(lines.next()?)?;
        Some(Self {
            epoch,
            send,
            receive,
            peer: Subject(Fingerprint(peer)),
        })
    }

    /// The cipher for what leaves, which takes the keys out of the store before it seals.
    pub(crate) fn sender(
        &self,
        kept: Option<(RestartStore, PathBuf)>,
    ) -> Result<Arc<dyn RecordCipher>, crate::WrongLength> {
        let cipher = self.send.cipher()?;
        let kept = Mutex::new(kept);
        Ok(Arc::new(Kept { cipher, kept }))
    }
}

/// A cipher with keys that are in a store until their first use.
#[derive(Debug)]
struct Kept {
    cipher: Arc<dyn RecordCipher>,
    kept: Mutex<Option<(RestartStore, PathBuf)>>,
}

impl RecordCipher for Kept {
    fn seal(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> [u8; TAG_LEN] {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((store, file)) = kept.as_ref()
            && store.remove(file).is_err()
        {
            // Keys that may come back must not be used: the peer drops this record.
            record.fill(0);
            return [0; TAG_LEN];
        }
        *kept = None;
        self.cipher.seal(sequence, header, record)
    }

    fn open(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> Result<(), Forged> {
        self.cipher.open(sequence, header, record)
    }

    fn mask(&self, sample: [u8; 16]) -> [u8; 2] {
        self.cipher.mask(sample)
    }

    fn rest(&self) {
        self.cipher.rest();
    }

    fn limits(&self) -> CipherLimits {
        self.cipher.limits()
    }
}
