//! The sender's list of files.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::exclude::{Pattern, Shape};
use super::message::{Detail, Entry, EntryId, Kind, ModifiedAt, Permissions};
use super::name::{Name, NameRule};
use super::original::State;

/// The sender's treatment of symbolic links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LinkPolicy {
    /// Sends them as links; the receiver creates those that stay inside its directory.
    #[default]
    Keep,
    /// Sends what they point to.
    Follow,
    /// Leaves them out.
    Skip,
}

/// Selects which of the paths on the command line are sent, and how.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The treatment of symbolic links.
    pub links: LinkPolicy,
    /// Patterns of excluded names.
    pub exclude: Vec<Pattern>,
    /// The name of standard input at the receiver.
    pub input_name: String,
}

/// An entry and its path.
#[derive(Clone, Debug)]
pub struct Item {
    /// The announcement to the receiver.
    pub entry: Entry,
    /// The local path.
    pub path: PathBuf,
    /// The entry of the same file's first name, if this one is sent as a hard link.
    pub link_to: Option<EntryId>,
    /// Device and inode number of a file with several names.
    identity: Option<(u64, u64)>,
}

/// The entries in sending order; an entry's number is its index.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The entries.
    pub items: Vec<Item>,
    /// Deliberately skipped paths, with the reason.
    pub skipped: Vec<(PathBuf, String)>,
    /// Unreadable paths, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Total size of the files, bytes.
    pub bytes: u64,
    names: HashSet<Vec<u8>>,
    /// Files to which hard links are sent.
    link_targets: HashSet<EntryId>,
}

/// The reason why nothing can be sent.
#[derive(Debug)]
pub enum ManifestError {
    /// Every requested path is unreadable.
    Unreadable(PathBuf, String),
    /// A path without a file name.
    Nameless(PathBuf),
    /// Two paths with the same name at the receiver.
    Twice(PathBuf),
    /// More than 2^31 entries.
    TooMany,
}

impl Manifest {
    /// Lists `paths`. A directory's entries are placed under its name or, if the path ends with
    /// `/`, directly in the receiver's directory. `-` means standard input.
    ///
    /// An unreadable path does not prevent the others from being sent.
    /// Errors: every path is unreadable, or names collide.
    pub fn collect(paths: &[PathBuf], selection: &Selection) -> Result<Self, ManifestError> {
        let mut manifest = Self::default();
        for path in paths {
            manifest.add_root(path, selection)?;
        }
        manifest.names = HashSet::new();
        match manifest.unreadable.first() {
            Some((path, why)) if manifest.items.is_empty() => {
                Err(ManifestError::Unreadable(path.clone(), why.clone()))
            }
            _ => Ok(manifest),
        }
    }

    /// Sorts the entries for sending, once the receiver's `detail` is known: hard links after the
    /// files, then the ends of directories, deepest first. Without `Archive`, every name is sent as
    /// a separate file, and only directories that their owner could not write to have an end entry.
    pub fn arrange(&mut self, detail: Detail) {
        let mut first_names = HashMap::new();
        let (mut items, mut links, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for item in std::mem::take(&mut self.items) {
            let identity = item.identity.filter(|_| detail == Detail::Archive);
            if let Some(first) = identity.and_then(|identity| first_names.get(&identity)) {
                links.push(Item {
                    link_to: Some(*first),
                    ..item
                });
                continue;
            }
            let id = id_at(items.len());
            if let Some(identity) = identity {
                first_names.insert(identity, id);
            }
            if let Kind::Directory { mode } = item.entry.kind
                && (detail == Detail::Archive || !mode.suits_owner())
            {
                let kind = Kind::DirectoryEnd {
                    directory: id,
                    mode,
                };
                let entry = Entry {
                    kind,
                    ..item.entry.clone()
                };
                ends.push(Item {
                    entry,
                    ..item.clone()
                });
            }
            items.push(item);
        }
        for link in &links {
            self.link_targets.extend(link.link_to);
            if let Kind::File { size, .. } = link.entry.kind {
                self.bytes = self.bytes.saturating_sub(size);
            }
        }
        items.append(&mut links);
        items.extend(ends.into_iter().rev());
        for (id, item) in items.iter_mut().enumerate() {
            item.entry.id = id_at(id);
        }
        self.items = items;
    }

    /// Whether hard links to the file are sent.
    pub fn has_links(&self, id: EntryId) -> bool {
        self.link_targets.contains(&id)
    }

    pub fn is_directory_end(&self, id: EntryId) -> bool {
        let item = self.items.get(id as usize);
        item.is_some_and(|item| matches!(item.entry.kind, Kind::DirectoryEnd { .. }))
    }

    /// Turns an entry into a hard link to `first`, which the receiver has.
    pub fn make_link(&mut self, id: EntryId, first: EntryId) {
        let Some(to) = self.items.get(first as usize) else {
            return;
        };
        let to = to.entry.name.clone();
        if let Some(item) = self.items.get_mut(id as usize) {
            item.entry.kind = Kind::HardLink { to };
        }
    }

    /// Updates an entry whose file has changed.
    pub fn change(&mut self, id: EntryId, state: State) {
        let Some(item) = self.items.get_mut(id as usize) else {
            return;
        };
        item.entry.modified = state.modified;
        if let Kind::File { size, .. } = &mut item.entry.kind {
            self.bytes = self.bytes.saturating_sub(*size).saturating_add(state.size);
            *size = state.size;
        }
    }

    fn add_root(&mut self, path: &Path, selection: &Selection) -> Result<(), ManifestError> {
        if path.as_os_str() == "-" {
            return self.add_input(&selection.input_name);
        }
        let contents_only = path.as_os_str().as_bytes().ends_with(b"/")
            || matches!(
                path.components().next_back(),
                Some(Component::CurDir | Component::ParentDir | Component::RootDir)
            );
        // Paths on the command line are followed, even if they are links.
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.cannot_read(path, &error);
                return Ok(());
            }
        };
        if metadata.is_dir() && contents_only {
            return self.add_children(path, b"", selection, &mut Vec::new());
        }
        let name = path
            .file_name()
            .ok_or_else(|| ManifestError::Nameless(path.to_owned()))?;
        self.add(path, name.as_bytes(), &metadata, selection, &mut Vec::new())
    }

    fn add_input(&mut self, name: &str) -> Result<(), ManifestError> {
        let path = PathBuf::from("-");
        if Name::parse(name.as_bytes(), NameRule::Native).is_err() {
            return Err(ManifestError::Nameless(path));
        }
        let modified = ModifiedAt::from(SystemTime::now());
        self.push(path, name.as_bytes(), Kind::Pipe, modified)
    }

    fn add_children(
        &mut self,
        directory: &Path,
        prefix: &[u8],
        selection: &Selection,
        above: &mut Vec<(u64, u64)>,
    ) -> Result<(), ManifestError> {
        let listed = std::fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut children = match listed {
            Ok(children) => children,
            Err(error) => {
                self.cannot_read(directory, &error);
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
            let metadata = match selection.links {
                LinkPolicy::Follow => std::fs::metadata(&path),
                LinkPolicy::Keep | LinkPolicy::Skip => std::fs::symlink_metadata(&path),
            };
            match metadata {
                Ok(metadata) => self.add(&path, &name, &metadata, selection, above)?,
                Err(error) => self.cannot_read(&path, &error),
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        path: &Path,
        name: &[u8],
        metadata: &Metadata,
        selection: &Selection,
        above: &mut Vec<(u64, u64)>,
    ) -> Result<(), ManifestError> {
        if let Err(why) = Name::parse(name, NameRule::Native) {
            self.skipped.push((path.to_owned(), why.to_string()));
            return Ok(());
        }
        let kind = metadata.file_type();
        let shape = match kind.is_dir() {
            true => Shape::Directory,
            false => Shape::Other,
        };
        if selection
            .exclude
            .iter()
            .any(|pattern| pattern.matches(name, shape))
        {
            return Ok(());
        }
        let mode = Permissions::from_mode(metadata.permissions().mode());
        if kind.is_file() {
            self.bytes += metadata.len();
            let size = metadata.len();
            self.push_found(path, name, Kind::File { size, mode }, metadata)
        } else if kind.is_dir() {
            let identity = (metadata.dev(), metadata.ino());
            if above.contains(&identity) {
                self.skip(path, "a link leads back to a directory above it");
                return Ok(());
            }
            self.push_found(path, name, Kind::Directory { mode }, metadata)?;
            above.push(identity);
            self.add_children(path, name, selection, above)?;
            above.pop();
            Ok(())
        } else if kind.is_symlink() {
            self.add_link(path, name, metadata, selection.links)
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
                self.push_found(path, name, Kind::Link { target }, metadata)
            }
            Err(error) => {
                self.cannot_read(path, &error);
                Ok(())
            }
        }
    }

    fn cannot_read(&mut self, path: &Path, error: &io::Error) {
        let is_dangling = error.kind() == io::ErrorKind::NotFound && path.is_symlink();
        let why = match is_dangling {
            true => "a symbolic link to nothing".to_owned(),
            false => error.to_string(),
        };
        self.unreadable.push((path.to_owned(), why));
    }

    fn skip(&mut self, path: &Path, why: &str) {
        self.skipped.push((path.to_owned(), why.to_owned()));
    }

    fn push_found(
        &mut self,
        path: &Path,
        name: &[u8],
        kind: Kind,
        metadata: &Metadata,
    ) -> Result<(), ManifestError> {
        let has_names = matches!(kind, Kind::File { .. }) && metadata.nlink() > 1;
        let modified = metadata.modified().map(ModifiedAt::from);
        self.push(path.to_owned(), name, kind, modified.unwrap_or_default())?;
        if let Some(item) = self.items.last_mut().filter(|_| has_names) {
            item.identity = Some((metadata.dev(), metadata.ino()));
        }
        Ok(())
    }

    fn push(
        &mut self,
        path: PathBuf,
        name: &[u8],
        kind: Kind,
        modified: ModifiedAt,
    ) -> Result<(), ManifestError> {
        if !self.names.insert(name.to_vec()) {
            return Err(ManifestError::Twice(path));
        }
        // Each directory may need a second entry for its end.
        if self.items.len() >= (EntryId::MAX / 2) as usize {
            return Err(ManifestError::TooMany);
        }
        let entry = Entry {
            id: id_at(self.items.len()),
            name: name.to_vec(),
            kind,
            modified,
        };
        self.items.push(Item {
            entry,
            path,
            link_to: None,
            identity: None,
        });
        Ok(())
    }
}

/// The entry number of an index, which always fits.
fn id_at(position: usize) -> EntryId {
    EntryId::try_from(position).unwrap_or(EntryId::MAX)
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, why) => write!(f, "{}: {why}", path.display()),
            Self::Nameless(path) => write!(f, "{}: has no name to send it under", path.display()),
            Self::Twice(path) => write!(
                f,
                "{}: another path of the same name is sent too; send them one after the other",
                path.display()
            ),
            Self::TooMany => f.write_str("more than 2,147,483,647 entries; send parts of the tree"),
        }
    }
}

impl std::error::Error for ManifestError {}

#[cfg(test)]
mod tests;
