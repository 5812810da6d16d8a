use core::fmt;

/// Bytes of the tag of a record.
pub const TAG_LEN: usize = 16;

/// The keys of one direction: encrypts and decrypts the records of DTLS 1.3 (RFC 9147 §4). The engine keeps the
/// sequence numbers, and never seals two records with the same one.
pub trait RecordCipher: fmt::Debug + Send + Sync {
    /// Encrypts `record` where it stands and returns its tag. `header` is the record's, its sequence number not
    /// yet encrypted: the additional data.
    fn seal(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> [u8; TAG_LEN];

    /// Decrypts a record where it stands. Its last [`TAG_LEN`] bytes are its tag, and are worthless afterwards.
    ///
    /// # Errors
    /// [`Forged`]; the bytes are worthless then, too.
    fn open(&self, sequence: u64, header: [u8; 3], record: &mut [u8]) -> Result<(), Forged>;

    /// The mask over the sequence number of a record that begins with `sample` (RFC 9147 §4.2.3).
    fn mask(&self, sample: [u8; 16]) -> [u8; 2];

    /// Frees memory that the next record brings back: the association has been idle for a second.
    fn rest(&self) {}

    /// The limits of the keys.
    fn limits(&self) -> CipherLimits;
}

/// Limits of the use of keys (RFC 9147 §4.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CipherLimits {
    /// Records that may be sealed.
    pub sealed: u64,
    /// Forged records that may be tried.
    pub forged: u64,
    /// Sealed bytes after which new keys are requested
    /// ([`NearLimit`](crate::ProtectionChange::NearLimit)); `u64::MAX` for any number.
    pub bytes: u64,
}

/// The record was not made by the other end, or was changed on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forged;
