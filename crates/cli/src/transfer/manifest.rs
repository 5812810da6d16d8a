//! The sender's list of what there is to send.

use std::collections::HashSet;
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use super::message::{Entry, EntryId, FileMode, Kind, ModifiedAt};
use super::name::{Name, NameRule};

/// What the sender does with symbolic links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LinkPolicy {
    /// Sends them as links; the receiver makes those that stay inside its directory.
    #[default]
    Keep,
    /// Sends what they point to.
    Follow,
    /// Leaves them out.
    Skip,
}

/// One thing to send, and where it is.
#[derive(Clone, Debug)]
pub struct Item {
    /// What the receiver is told.
    pub entry: Entry,
    /// Where it stands here.
    pub path: PathBuf,
}

/// All that is to be sent, in order; an entry's number is its position.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The entries.
    pub items: Vec<Item>,
    /// What is left out, with the reason.
    pub skipped: Vec<(PathBuf, String)>,
    /// Bytes of all files.
    pub bytes: u64,
    names: HashSet<Vec<u8>>,
}

/// Why there is nothing that could be sent.
#[derive(Debug)]
pub enum ManifestError {
    /// A path that was asked for cannot be read.
    Unreadable(PathBuf, io::Error),
    /// A path has no name of its own.
    Nameless(PathBuf),
    /// Two paths would have the same name at the receiver.
    Twice(PathBuf),
    /// More than 2^32 entries.
    TooMany,
}

impl Manifest {
    /// Lists `paths`. A directory's entries stand under its own name, or, where the path ends
    /// with `/`, directly under the receiver's directory.
    ///
    /// # Errors
    /// A path is missing, or the names clash.
    pub fn collect(paths: &[PathBuf], links: LinkPolicy) -> Result<Self, ManifestError> {
        let mut manifest = Self::default();
        for path in paths {
            manifest.add_root(path, links)?;
        }
        manifest.names = HashSet::new();
        Ok(manifest)
    }

    fn add_root(&mut self, path: &Path, links: LinkPolicy) -> Result<(), ManifestError> {
        let contents_only = path.as_os_str().as_bytes().ends_with(b"/")
            || matches!(
                path.components().next_back(),
                Some(Component::CurDir | Component::ParentDir | Component::RootDir)
            );
        // What the user names is meant, even if it is a link.
        let metadata = std::fs::metadata(path)
            .map_err(|error| ManifestError::Unreadable(path.to_owned(), error))?;
        if metadata.is_dir() && contents_only {
            return self.add_children(path, b"", links, &mut Vec::new());
        }
        let name = path
            .file_name()
            .ok_or_else(|| ManifestError::Nameless(path.to_owned()))?;
        self.add(path, name.as_bytes(), &metadata, links, &mut Vec::new())
    }

    fn add_children(
        &mut self,
        directory: &Path,
        prefix: &[u8],
        links: LinkPolicy,
        above: &mut Vec<(u64, u64)>,
    ) -> Result<(), ManifestError> {
        let listed = std::fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut children = match listed {
            Ok(children) => children,
            Err(error) => {
                self.skipped.push((directory.to_owned(), error.to_string()));
                return Ok(());
            }
        };
        children.sort_by_key(std::fs::DirEntry::file_name);
        for child in children {
            let path = child.path();
            let mut name = prefix.to_vec();
            if !name.is_empty() {
                name.push(b'/');
            }
            name.extend(child.file_name().as_bytes());
            let metadata = match links {
                LinkPolicy::Follow => std::fs::metadata(&path),
                LinkPolicy::Keep | LinkPolicy::Skip => std::fs::symlink_metadata(&path),
            };
            match metadata {
                Ok(metadata) => self.add(&path, &name, &metadata, links, above)?,
                Err(error) => self.skipped.push((path, error.to_string())),
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        path: &Path,
        name: &[u8],
        metadata: &Metadata,
        links: LinkPolicy,
        above: &mut Vec<(u64, u64)>,
    ) -> Result<(), ManifestError> {
        if let Err(why) = Name::parse(name, NameRule::Native) {
            self.skipped.push((path.to_owned(), why.to_string()));
            return Ok(());
        }
        let kind = metadata.file_type();
        if kind.is_file() {
            let mode = match metadata.permissions().mode() & 0o100 {
                0 => FileMode::Plain,
                _ => FileMode::Executable,
            };
            self.bytes += metadata.len();
            let size = metadata.len();
            self.push(path, name, Kind::File { size, mode }, metadata)
        } else if kind.is_dir() {
            let identity = (metadata.dev(), metadata.ino());
            if above.contains(&identity) {
                self.skip(path, "a link leads back to a directory above it");
                return Ok(());
            }
            self.push(path, name, Kind::Directory, metadata)?;
            above.push(identity);
            self.add_children(path, name, links, above)?;
            above.pop();
            Ok(())
        } else if kind.is_symlink() {
            self.add_link(path, name, metadata, links)
        } else {
            self.skip(path, "neither a file, a directory nor a symbolic link");
            Ok(())
        }
    }

    fn add_link(
        &mut self,
        path: &Path,
        name: &[u8],
        metadata: &Metadata,
        links: LinkPolicy,
    ) -> Result<(), ManifestError> {
        if links == LinkPolicy::Skip {
            self.skip(path, "a symbolic link (--links skip)");
            return Ok(());
        }
        match std::fs::read_link(path) {
            Ok(target) => {
                let target = target.as_os_str().as_bytes().to_vec();
                self.push(path, name, Kind::Link { target }, metadata)
            }
            Err(error) => {
                self.skip(path, &error.to_string());
                Ok(())
            }
        }
    }

    fn skip(&mut self, path: &Path, why: &str) {
        self.skipped.push((path.to_owned(), why.to_owned()));
    }

    fn push(
        &mut self,
        path: &Path,
        name: &[u8],
        kind: Kind,
        metadata: &Metadata,
    ) -> Result<(), ManifestError> {
        if !self.names.insert(name.to_vec()) {
            return Err(ManifestError::Twice(path.to_owned()));
        }
        let id = EntryId::try_from(self.items.len()).map_err(|_| ManifestError::TooMany)?;
        let entry = Entry {
            id,
            name: name.to_vec(),
            kind,
            modified: metadata
                .modified()
                .map(ModifiedAt::from)
                .unwrap_or_default(),
        };
        self.items.push(Item {
            entry,
            path: path.to_owned(),
        });
        Ok(())
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Nameless(path) => write!(f, "{}: has no name to send it under", path.display()),
            Self::Twice(path) => write!(
                f,
                "{}: another path of the same name is sent too; send them one after the other",
                path.display()
            ),
            Self::TooMany => f.write_str("more than 4,294,967,295 entries; send parts of the tree"),
        }
    }
}

impl std::error::Error for ManifestError {}

#[cfg(test)]
mod tests;
