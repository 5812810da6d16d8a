//! The receiver's directory with its rules: what is there, what may come, where it is put.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::Arc;

use super::message::{FileMode, Hash, ModifiedAt, Outcome};
use super::name::{Name, NameRule};
use super::part::{Claims, Part, Session};
use super::tree::{Existing, Found, Tree, set_modified};

/// What the receiver allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// What happens to files that are there.
    pub existing: Existing,
    /// Which names are refused.
    pub names: NameRule,
}

/// How an entry ended at once, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How.
    pub outcome: Outcome,
    /// Why, for people; empty where it needs none.
    pub reason: &'static str,
}

/// A file as it was announced.
#[derive(Clone, Debug)]
pub struct Announced {
    /// Its name.
    pub name: Name,
    /// Bytes.
    pub size: u64,
    /// Whether it is a program.
    pub mode: FileMode,
    /// When it was last changed.
    pub modified: ModifiedAt,
}

/// What is here of a file that was announced.
pub enum Have {
    /// Nothing that would help.
    Nothing,
    /// A file of that name and size, with that hash.
    Same(Hash),
    /// Its beginning.
    Beginning(Box<Beginning>),
}

/// The beginning of a file, from an earlier session.
pub struct Beginning {
    /// The unfinished file.
    pub part: Part,
    /// The hash's state after it.
    pub hasher: blake3::Hasher,
    /// Its bytes.
    pub len: u64,
}

/// Where a session puts what it receives.
pub struct Store {
    tree: Tree,
    policy: Policy,
    claims: Arc<Claims>,
    session: Session,
}

const WRITTEN: Verdict = verdict(Outcome::Written, "");
const IDENTICAL: Verdict = verdict(Outcome::Identical, "");
const DIRECTORY_THERE: Verdict = verdict(Outcome::Refused, "a directory is there");
/// Something is there, and it stays.
pub const EXISTS: Verdict = verdict(
    Outcome::Refused,
    "it exists and differs (the receiver can allow it with --overwrite)",
);

const fn verdict(outcome: Outcome, reason: &'static str) -> Verdict {
    Verdict { outcome, reason }
}

impl Store {
    /// The store of a new session; `claims` is shared by all sessions of that tree.
    pub fn new(tree: Tree, policy: Policy, claims: Arc<Claims>) -> Self {
        Self {
            tree,
            policy,
            session: claims.new_session(),
            claims,
        }
    }

    /// What the receiver allows.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// What the system says.
    pub fn admit_directory(&mut self, name: &Name) -> io::Result<Verdict> {
        Ok(match self.tree.look(name)? {
            Found::Nothing => {
                self.tree.make_directory(name)?;
                WRITTEN
            }
            Found::Directory => IDENTICAL,
            _ => verdict(Outcome::Refused, "something that is no directory is there"),
        })
    }

    /// Makes a symbolic link.
    ///
    /// # Errors
    /// What the system says.
    pub fn admit_link(&mut self, name: &Name, target: &[u8]) -> io::Result<Verdict> {
        if !name.may_link_to(target) {
            let reason = "the link leads outside the directory, or could";
            return Ok(verdict(Outcome::Refused, reason));
        }
        match self.tree.look(name)? {
            Found::Link(existing) if existing == target => return Ok(IDENTICAL),
            Found::Directory => return Ok(DIRECTORY_THERE),
            Found::Nothing => {}
            _ if self.policy.existing == Existing::Keep => return Ok(EXISTS),
            _ => {}
        }
        self.tree.make_link(name, target, self.policy.existing)?;
        Ok(WRITTEN)
    }

    /// What is here of a file, or why it is not wanted.
    ///
    /// # Errors
    /// What the system says.
    pub fn look_for(&mut self, file: &Announced) -> io::Result<Result<Have, Verdict>> {
        match self.tree.look(&file.name)? {
            Found::File(size) if size == file.size => {
                let mut hasher = blake3::Hasher::new();
                hash_into(&mut hasher, self.tree.read(&file.name)?)?;
                return Ok(Ok(Have::Same(*hasher.finalize().as_bytes())));
            }
            Found::Nothing => {}
            Found::Directory => return Ok(Err(DIRECTORY_THERE)),
            _ if self.policy.existing == Existing::Keep => return Ok(Err(EXISTS)),
            _ => {}
        }
        let unfinished = self.tree.part_len(&file.part_name())?;
        Ok(Ok(match unfinished {
            None | Some(0) => Have::Nothing,
            Some(_) => Have::Beginning(Box::new(self.beginning(file)?)),
        }))
    }

    /// An empty file to write to.
    ///
    /// # Errors
    /// What the system says.
    pub fn begin(&mut self, file: &Announced) -> io::Result<Part> {
        let part = self.claim(file)?;
        part.cut(0)?;
        Ok(part)
    }

    /// Gives a complete file its time and its name.
    ///
    /// # Errors
    /// `AlreadyExists`, or what the system says.
    pub fn place(&mut self, part: Part, file: &Announced) -> io::Result<()> {
        let (tree, existing) = (&mut self.tree, self.policy.existing);
        part.complete(|unfinished, part| {
            set_modified(unfinished, file.modified)?;
            tree.place(part, &file.name, existing)
        })
    }

    /// Removes what is not needed any more.
    pub fn tidy(&mut self) {
        self.tree.tidy();
    }

    /// Takes over the unfinished file of an earlier session.
    fn beginning(&mut self, file: &Announced) -> io::Result<Beginning> {
        let part = self.claim(file)?;
        let (hasher, len) = part.with(|unfinished| {
            if unfinished.metadata()?.len() > file.size {
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

impl Announced {
    /// The name of its unfinished file: what it will be, so that only the same file goes on in it.
    fn part_name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.size.to_be_bytes());
        hasher.update(&self.modified.seconds.to_be_bytes());
        hasher.update(&self.modified.nanos.to_be_bytes());
        hasher.update(&[u8::from(self.mode == FileMode::Executable)]);
        hasher.update(self.name.as_bytes());
        let hash = hasher.finalize().to_hex();
        hash[..32].to_owned()
    }
}

/// Hashes a file from its start and returns its length.
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
