//! The receiver's directory with its rules: what is there, what may come, where it is put.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

use super::message::{
    Detail, EntryId, Hash, MAX_WHOLE, ModifiedAt, Outcome, Permissions, Run, Terms, Update,
};
use super::name::{Name, NameRule};
use super::part::{Claims, Part, Session};
use super::tree::{Existing, Found, Tree, narrow, set_modified};

/// The receiver's rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// The treatment of files that are there.
    pub existing: Existing,
    /// Which names are refused.
    pub names: NameRule,
    /// The properties that are kept of files and directories, whatever the sender wishes.
    pub detail: Detail,
}

/// The outcome of an entry that ended at once, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: Outcome,
    /// The reason, as text; may be empty.
    pub reason: &'static str,
}

/// An announced file.
#[derive(Clone, Debug)]
pub struct Announced {
    /// The file's name.
    pub name: Name,
    /// Size, bytes.
    pub size: Size,
    /// Permissions before the umask.
    pub mode: Permissions,
    /// When it was last changed.
    pub modified: ModifiedAt,
}

/// The size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Known size, bytes.
    Known(u64),
    /// Unknown, because the sender reads a pipe.
    Unknown,
}

/// The part of an announced file that already exists.
pub enum Have {
    /// Nothing useful.
    Nothing,
    /// A file with this name, size and hash.
    Same(Hash),
    /// The beginning of the file.
    Beginning(Box<Beginning>),
}

/// The beginning of a file from an earlier session.
pub struct Beginning {
    /// The unfinished file.
    pub part: Part,
    /// The state of the hash after the existing bytes.
    pub hasher: blake3::Hasher,
    /// Number of existing bytes.
    pub len: u64,
}

/// The directory of a session and its rules.
pub struct Store {
    tree: Tree,
    policy: Policy,
    terms: Terms,
    claims: Arc<Claims>,
    session: Session,
    /// Directories created and not ended by this session; bounds the disk space used.
    made: BTreeSet<EntryId>,
}

const WRITTEN: Verdict = verdict(Outcome::Written, "");
const IDENTICAL: Verdict = verdict(Outcome::Identical, "");
const DONE: Verdict = verdict(Outcome::Done, "");
const NEWER: Verdict = verdict(Outcome::Newer, "");
const DIRECTORY_THERE: Verdict = verdict(Outcome::Refused, "a directory is there");
/// The verdict on an existing file that stays.
pub const EXISTS: Verdict = verdict(
    Outcome::Refused,
    "it exists and differs (the receiver can allow it with --overwrite)",
);

const fn verdict(outcome: Outcome, reason: &'static str) -> Verdict {
    Verdict { outcome, reason }
}

impl Store {
    /// Creates a store; `claims` is shared by every session of the tree.
    pub fn new(tree: Tree, policy: Policy, claims: Arc<Claims>) -> Self {
        Self {
            tree,
            policy,
            terms: Terms::default(),
            session: claims.new_session(),
            claims,
            made: BTreeSet::new(),
        }
    }

    /// Applies the sender's options.
    pub fn agree(&mut self, terms: Terms) {
        self.terms = terms;
    }

    /// The sender's options.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The receiver's rules.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Creates a directory.
    pub fn admit_directory(
        &mut self,
        id: EntryId,
        name: &Name,
        mode: Permissions,
    ) -> io::Result<Verdict> {
        Ok(match self.tree.look(name)? {
            Found::Nothing if self.terms.run == Run::Dry => WRITTEN,
            Found::Nothing => {
                self.tree.make_directory(name, mode)?;
                self.made.insert(id);
                WRITTEN
            }
            Found::Directory => IDENTICAL,
            _ => verdict(Outcome::Refused, "something that is no directory is there"),
        })
    }

    /// Sets the final permissions of a directory created by this session, and the requested
    /// modification time of any directory. Existing directories keep their permissions.
    pub fn end_directory(
        &mut self,
        directory: EntryId,
        name: &Name,
        mode: Permissions,
        modified: ModifiedAt,
    ) -> io::Result<Verdict> {
        let at_most = self.made.remove(&directory).then_some(mode);
        let modified = (self.terms.detail == Detail::Archive).then_some(modified);
        // The entry that blocks the directory was already reported.
        let is_there = self.tree.look(name)? == Found::Directory;
        if is_there && self.terms.run == Run::Real {
            self.tree.end_directory(name, at_most, modified)?;
        }
        Ok(DONE)
    }

    /// Creates a hard link to a received file.
    pub fn admit_hard_link(
        &mut self,
        name: &Name,
        to: &[u8],
        modified: ModifiedAt,
    ) -> io::Result<Verdict> {
        let Ok(to) = Name::parse(to, self.policy.names) else {
            let reason = "the file that it is another name of has a forbidden name";
            return Ok(verdict(Outcome::Refused, reason));
        };
        match self.tree.look(name)? {
            Found::Nothing => {}
            Found::Directory => return Ok(DIRECTORY_THERE),
            Found::File { .. } if self.tree.is_same_file(name, &to).unwrap_or(false) => {
                return Ok(IDENTICAL);
            }
            Found::File { modified: here, .. } if self.leaves(here, modified) => return Ok(NEWER),
            _ if self.policy.existing == Existing::Keep => return Ok(EXISTS),
            _ => {}
        }
        if self.terms.run == Run::Real {
            self.tree.make_hard_link(name, &to, self.policy.existing)?;
        }
        Ok(WRITTEN)
    }

    /// Creates a symbolic link.
    pub fn admit_link(&mut self, name: &Name, target: &[u8]) -> io::Result<Verdict> {
        if !name.may_link_to(target) {
            let reason =
                "the link leads outside the directory, or its target has \"..\" behind a name";
            return Ok(verdict(Outcome::Refused, reason));
        }
        match self.tree.look(name)? {
            Found::Link(existing) if existing == target => return Ok(IDENTICAL),
            Found::Directory => return Ok(DIRECTORY_THERE),
            Found::Nothing => {}
            _ if self.policy.existing == Existing::Keep => return Ok(EXISTS),
            _ => {}
        }
        if self.terms.run == Run::Real {
            self.tree.make_link(name, target, self.policy.existing)?;
        }
        Ok(WRITTEN)
    }

    /// Finds the existing part of a file, or the reason for not receiving the file.
    pub fn look_for(&mut self, file: &Announced) -> io::Result<Result<Have, Verdict>> {
        match self.tree.look(&file.name)? {
            Found::File { modified, .. } if self.leaves(modified, file.modified) => {
                return Ok(Err(NEWER));
            }
            Found::File { size, .. } if Size::Known(size) == file.size => {
                let mut hasher = blake3::Hasher::new();
                hash_into(&mut hasher, self.tree.read(&file.name)?)?;
                return Ok(Ok(Have::Same(*hasher.finalize().as_bytes())));
            }
            Found::Nothing => {}
            Found::Directory => return Ok(Err(DIRECTORY_THERE)),
            _ if self.policy.existing == Existing::Keep => return Ok(Err(EXISTS)),
            _ => {}
        }
        if self.terms.run == Run::Dry {
            return Ok(Err(WRITTEN));
        }
        // Short files are not resumed.
        if file.size == Size::Unknown || file.size.most() <= MAX_WHOLE as u64 {
            return Ok(Ok(Have::Nothing));
        }
        let unfinished = self.tree.part_len(&file.part_name())?;
        Ok(Ok(match unfinished {
            None | Some(0) => Have::Nothing,
            Some(_) => Have::Beginning(Box::new(self.beginning(file)?)),
        }))
    }

    /// Creates an empty unfinished file.
    pub fn begin(&mut self, file: &Announced) -> io::Result<Part> {
        let part = self.claim(file)?;
        part.cut(0)?;
        Ok(part)
    }

    /// Writes a short file whose hash was checked.
    /// Errors: `AlreadyExists`, or a system call failed.
    pub fn put(&mut self, file: &Announced, bytes: &[u8]) -> io::Result<()> {
        let part = format!("whole-{}-{}", std::process::id(), self.session);
        let written = self.write_whole(&part, file, bytes);
        if written.is_err() {
            let _ = self.tree.remove_part(&part);
        }
        written
    }

    fn write_whole(&mut self, part: &str, file: &Announced, bytes: &[u8]) -> io::Result<()> {
        let mut unfinished = self.tree.make_part(part, file.mode)?;
        unfinished.write_all(bytes)?;
        self.finish(&unfinished, part, file)
    }

    /// Removes an unfinished file that cannot be resumed.
    pub fn discard(&mut self, part: Part) {
        let tree = &mut self.tree;
        // A newer session that has claimed the file keeps it.
        let _ = part.complete(|_, part| tree.remove_part(part));
    }

    /// Sets a complete file's modification time and permissions and moves it to its name.
    /// Errors: `AlreadyExists`, or a system call failed.
    pub fn place(&mut self, part: Part, file: &Announced) -> io::Result<()> {
        part.complete(|unfinished, part| self.finish(unfinished, part, file))
    }

    fn finish(&mut self, unfinished: &File, part: &str, file: &Announced) -> io::Result<()> {
        set_modified(unfinished, file.modified)?;
        narrow(unfinished, file.mode)?;
        self.tree.place(part, &file.name, self.policy.existing)
    }

    /// Removes temporary files.
    pub fn tidy(&mut self) {
        self.tree.tidy();
    }

    /// Whether a file modified at `here` stays because it is newer than the sender's.
    fn leaves(&self, here: ModifiedAt, there: ModifiedAt) -> bool {
        self.terms.update == Update::OlderOnly && here > there
    }

    /// Resumes the unfinished file of an earlier session.
    fn beginning(&mut self, file: &Announced) -> io::Result<Beginning> {
        let part = self.claim(file)?;
        let (hasher, len) = part.with(|unfinished| {
            if unfinished.metadata()?.len() > file.size.most() {
                unfinished.set_len(0)?;
            }
            let mut hasher = blake3::Hasher::new();
            let len = hash_into(&mut hasher, unfinished.try_clone()?)?;
            Ok((hasher, len))
        })?;
        Ok(Beginning { part, hasher, len })
    }

    fn claim(&mut self, file: &Announced) -> io::Result<Part> {
        let (tree, name) = (&mut self.tree, file.part_name());
        let open = || tree.open_part(&name, file.mode);
        self.claims.claim(self.session, &name, open)
    }
}

impl Size {
    /// The largest possible size.
    pub fn most(self) -> u64 {
        match self {
            Self::Known(size) => size,
            Self::Unknown => u64::MAX,
        }
    }
}

impl Announced {
    /// The name of the unfinished file, derived from its properties so that only the same file
    /// resumes it.
    fn part_name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.size.most().to_be_bytes());
        hasher.update(&self.modified.seconds.to_be_bytes());
        hasher.update(&self.modified.nanos.to_be_bytes());
        hasher.update(&self.mode.bits().to_be_bytes());
        hasher.update(self.name.as_bytes());
        let hash = hasher.finalize().to_hex();
        hash[..32].to_owned()
    }
}

/// Hashes a file and returns its length.
fn hash_into(hasher: &mut blake3::Hasher, mut file: File) -> io::Result<u64> {
    file.rewind()?;
    let mut buffer = vec![0; 256 << 10];
    let mut len = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(len);
        }
        hasher.update(&buffer[..read]);
        len += read as u64;
    }
}
