//! The receiving directory: every path is opened component by component below it, without following
//! symbolic links.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;

use super::message::{ModifiedAt, Permissions};
use super::name::{Name, PARTIAL_DIRECTORY};

/// The treatment of an existing file with a received file's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Keeps the existing file and refuses the received one.
    #[default]
    Keep,
    /// Replaces the existing file.
    Overwrite,
}

/// The type of an existing file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// A regular file.
    File {
        /// Bytes.
        size: u64,
        /// When it was last changed.
        modified: ModifiedAt,
    },
    Directory,
    /// A symbolic link with this target.
    Link(Vec<u8>),
    /// A device, socket or pipe.
    Other,
}

/// The directory of a transfer.
pub struct Tree {
    root: OwnedFd,
    /// The last directory used, since files arrive directory by directory.
    parent: Option<(Vec<u8>, OwnedFd)>,
    partial: Option<OwnedFd>,
}

const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::CLOEXEC)
    .union(OFlags::RDONLY);

impl Tree {
    /// Opens the directory and creates it if missing. Symbolic links in this path are followed,
    /// because the local user chose it.
    pub fn open(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        let root = rustix::fs::open(path, DIRECTORY, Mode::empty())?;
        Ok(Self {
            root,
            parent: None,
            partial: None,
        })
    }

    /// Finds the type of the file with this name.
    /// Errors: a component of the name is not a directory, or a system call failed.
    pub fn look(&mut self, name: &Name) -> io::Result<Found> {
        let parent = match self.parent(name, Missing::Fail) {
            Ok(parent) => parent,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(error),
        };
        let stat = match rustix::fs::statat(parent, name.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            Err(error) => return Err(error.into()),
        };
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Found::File {
                size: u64::try_from(stat.st_size).unwrap_or(0),
                modified: modified_at(&stat),
            },
            FileType::Directory => Found::Directory,
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(parent, name.file_name(), Vec::new())?;
                Found::Link(target.into_bytes())
            }
            _ => Found::Other,
        })
    }

    /// Opens a regular file for reading.
    pub fn read(&mut self, name: &Name) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let parent = self.parent(name, Missing::Fail)?;
        let file = rustix::fs::openat(parent, name.file_name(), flags, Mode::empty())?;
        Ok(file.into())
    }

    /// Creates a directory and its parents. The owner has full access until
    /// [`end_directory`](Self::end_directory), so that files can be added.
    pub fn make_directory(&mut self, name: &Name, mode: Permissions) -> io::Result<()> {
        let parent = self.parent(name, Missing::Make)?;
        let mode = mode_of(mode) | Mode::RWXU;
        Ok(rustix::fs::mkdirat(parent, name.file_name(), mode)?)
    }

    /// Restricts the permissions of a directory and sets its modification time.
    pub fn end_directory(
        &mut self,
        name: &Name,
        at_most: Option<Permissions>,
        modified: Option<ModifiedAt>,
    ) -> io::Result<()> {
        let parent = self.parent(name, Missing::Fail)?;
        let directory = open_directory(parent, name.file_name())?;
        if let Some(modified) = modified {
            set_modified(&directory, modified)?;
        }
        at_most.map_or(Ok(()), |at_most| narrow(&directory, at_most))
    }

    /// Creates a hard link.
    /// Errors: `to` is not a regular file, an existing file at `name` stays, or a system call
    /// failed.
    pub fn make_hard_link(&mut self, name: &Name, to: &Name, existing: Existing) -> io::Result<()> {
        if !matches!(self.look(to)?, Found::File { .. }) {
            return Err(io::Error::other(
                "the file that it is another name of is not here",
            ));
        }
        let from = self.parent(to, Missing::Fail)?.try_clone()?;
        let none = AtFlags::empty();
        if existing == Existing::Keep {
            let parent = self.parent(name, Missing::Make)?;
            let made = rustix::fs::linkat(&from, to.file_name(), parent, name.file_name(), none);
            return Ok(made?);
        }
        self.replace(name, |partial, unique| {
            rustix::fs::linkat(&from, to.file_name(), partial, unique, none)
        })
    }

    /// Whether both names refer to the same file.
    pub fn is_same_file(&mut self, one: &Name, other: &Name) -> io::Result<bool> {
        Ok(self.identity(one)? == self.identity(other)?)
    }

    /// Creates a symbolic link.
    /// Errors: an existing file stays, or a system call failed.
    pub fn make_link(&mut self, name: &Name, target: &[u8], existing: Existing) -> io::Result<()> {
        let target = OsStr::from_bytes(target);
        if existing == Existing::Keep {
            let parent = self.parent(name, Missing::Make)?;
            return Ok(rustix::fs::symlinkat(target, parent, name.file_name())?);
        }
        self.replace(name, |partial, unique| {
            rustix::fs::symlinkat(target, partial, unique)
        })
    }

    /// Size of the unfinished file with this name, bytes.
    pub fn part_len(&mut self, part: &str) -> io::Result<Option<u64>> {
        match rustix::fs::statat(self.partial()?, part, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(u64::try_from(stat.st_size).ok()),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens or creates an unfinished file. The owner can read and write it until it is complete;
    /// the other permissions are `mode` without the umask.
    /// Errors: another process is writing the file, or a system call failed.
    pub fn open_part(&mut self, part: &str, mode: Permissions) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = mode_of(mode) | Mode::RUSR | Mode::WUSR;
        let file: File = rustix::fs::openat(self.partial()?, part, flags, mode)?.into();
        file.try_lock().map_err(|_| {
            io::Error::other("another process is receiving this file; stop it or wait for it")
        })?;
        Ok(file)
    }

    /// Creates an unfinished file, replacing a leftover one.
    pub fn make_part(&mut self, part: &str, mode: Permissions) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = mode_of(mode) | Mode::RUSR | Mode::WUSR;
        let partial = self.partial()?;
        let made = match rustix::fs::openat(partial, part, flags, mode) {
            Err(Errno::EXIST) => {
                rustix::fs::unlinkat(partial, part, AtFlags::empty())?;
                rustix::fs::openat(partial, part, flags, mode)
            }
            made => made,
        };
        Ok(made?.into())
    }

    /// Removes an unfinished file that cannot be resumed.
    pub fn remove_part(&mut self, part: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(
            self.partial()?,
            part,
            AtFlags::empty(),
        )?)
    }

    /// Moves a complete file to its name.
    /// Errors: an existing file stays, or a system call failed.
    pub fn place(&mut self, part: &str, name: &Name, existing: Existing) -> io::Result<()> {
        self.partial()?;
        self.parent(name, Missing::Make)?;
        let (Some(partial), Some((_, parent))) = (&self.partial, &self.parent) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let to = name.file_name();
        if existing == Existing::Overwrite {
            return Ok(rustix::fs::renameat(partial, part, parent, to)?);
        }
        match rustix::fs::renameat_with(partial, part, parent, to, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                rustix::fs::linkat(partial, part, parent, to, AtFlags::empty())?;
                Ok(rustix::fs::unlinkat(partial, part, AtFlags::empty())?)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the directory of unfinished files if empty.
    pub fn tidy(&mut self) {
        self.partial = None;
        let _ = rustix::fs::unlinkat(&self.root, PARTIAL_DIRECTORY, AtFlags::REMOVEDIR);
    }

    /// Replaces the file with this name by the one that `make` creates.
    fn replace(
        &mut self,
        name: &Name,
        make: impl FnOnce(&OwnedFd, &str) -> rustix::io::Result<()>,
    ) -> io::Result<()> {
        let unique = format!("link-{}-{:p}", std::process::id(), self);
        self.partial()?;
        self.parent(name, Missing::Make)?;
        let (Some(partial), Some((_, parent))) = (&self.partial, &self.parent) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let _ = rustix::fs::unlinkat(partial, &unique, AtFlags::empty());
        make(partial, &unique)?;
        let to = name.file_name();
        Ok(rustix::fs::renameat(partial, &unique, parent, to)?)
    }

    /// Device and inode number of a file.
    fn identity(&mut self, name: &Name) -> io::Result<(u64, u64)> {
        let parent = self.parent(name, Missing::Fail)?;
        let stat = rustix::fs::statat(parent, name.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((stat.st_dev, stat.st_ino))
    }

    fn partial(&mut self) -> io::Result<&OwnedFd> {
        if self.partial.is_none() {
            let made = rustix::fs::mkdirat(&self.root, PARTIAL_DIRECTORY, Mode::from(0o700));
            if let Err(error) = made
                && error != Errno::EXIST
            {
                return Err(error.into());
            }
            self.partial = Some(open_directory(&self.root, OsStr::new(PARTIAL_DIRECTORY))?);
        }
        self.partial
            .as_ref()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn parent(&mut self, name: &Name, missing: Missing) -> io::Result<&OwnedFd> {
        let wanted = name.parent();
        let is_cached = self.parent.as_ref().is_some_and(|(at, _)| at == wanted);
        if !is_cached {
            let directory = self.descend(wanted, missing)?;
            self.parent = Some((wanted.to_vec(), directory));
        }
        match &self.parent {
            Some((_, directory)) => Ok(directory),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn descend(&self, directories: &[u8], missing: Missing) -> io::Result<OwnedFd> {
        let mut at = self.root.try_clone()?;
        for part in directories.split(|&byte| byte == b'/') {
            if part.is_empty() {
                continue;
            }
            let part = OsStr::from_bytes(part);
            at = match open_directory(&at, part) {
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && missing == Missing::Make =>
                {
                    let made = rustix::fs::mkdirat(&at, part, Mode::from(0o777));
                    if let Err(error) = made
                        && error != Errno::EXIST
                    {
                        return Err(error.into());
                    }
                    open_directory(&at, part)?
                }
                opened => opened?,
            };
        }
        Ok(at)
    }
}

/// Sets the modification time.
pub fn set_modified(file: impl AsFd, at: ModifiedAt) -> io::Result<()> {
    let time = Timespec {
        tv_sec: at.seconds,
        tv_nsec: at.nanos.into(),
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    Ok(rustix::fs::futimens(file, &times)?)
}

/// Removes the permissions that are not in `at_most`.
pub fn narrow(file: impl AsFd, at_most: Permissions) -> io::Result<()> {
    let now = Mode::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    let everybody = Mode::RWXU | Mode::RWXG | Mode::RWXO;
    let less = now & (mode_of(at_most) | !everybody);
    if less == now {
        return Ok(());
    }
    Ok(rustix::fs::fchmod(file, less)?)
}

fn mode_of(permissions: Permissions) -> Mode {
    Mode::from_raw_mode(permissions.bits().into())
}

fn modified_at(stat: &Stat) -> ModifiedAt {
    ModifiedAt {
        seconds: stat.st_mtime,
        nanos: u32::try_from(stat.st_mtime_nsec).unwrap_or(0),
    }
}

impl From<SystemTime> for ModifiedAt {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => Self {
                seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
                nanos: since.subsec_nanos(),
            },
            Err(before) => {
                let ago = before.duration();
                let borrow = i64::from(ago.subsec_nanos() > 0);
                let seconds = i64::try_from(ago.as_secs()).unwrap_or(i64::MAX - 1);
                Self {
                    seconds: -seconds - borrow,
                    nanos: (1_000_000_000 - ago.subsec_nanos()) % 1_000_000_000,
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Make,
    Fail,
}

fn open_directory(at: impl AsFd, part: &OsStr) -> io::Result<OwnedFd> {
    let flags = DIRECTORY | OFlags::NOFOLLOW;
    rustix::fs::openat(at, part, flags, Mode::empty()).map_err(|error| match error {
        Errno::NOTDIR | Errno::LOOP => io::Error::other(format!(
            "{} is there and is no directory (links are not followed)",
            super::name::printable(part.as_bytes())
        )),
        other => other.into(),
    })
}

#[cfg(test)]
mod tests;
