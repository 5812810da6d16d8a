//! Records that are not in a part yet. Each record is written as soon as its run is over, so
//! finished runs survive any abort of the program.

use core::mem;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

use super::CODE;
use super::part::{self, Part};
use crate::Record;

/// Number of records that make a part.
const RECORDS: usize = 8192;
/// Number of bytes that make a part, even with fewer records.
const BYTES: usize = 16 << 20;

/// File name extension of a journal.
const ENDING: &str = "journal";

/// A record, serialized for a journal.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(super) record: Record,
    /// The record as JSON.
    pub(super) line: Vec<u8>,
}

impl Entry {
    /// The entry of a record.
    pub(crate) fn of(record: Record) -> io::Result<Self> {
        let line = part::line(&record)?;
        Ok(Self { record, line })
    }
}

/// A journal being written. Its file is locked, so that no other process recovers it.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    path: PathBuf,
    file: File,
    entries: Vec<Entry>,
    bytes: usize,
}

impl Journal {
    /// Starts a journal in the store's folder of runs, and recovers abandoned ones.
    pub(super) fn begin(folder: &Path) -> io::Result<Self> {
        take_up(folder)?;
        let (path, mut file) = create(folder)?;
        file.lock()?;
        // A journal without a first line has an owner that is about to lock it.
        writeln!(file, "{}", *CODE)?;
        Ok(Self {
            folder: folder.to_owned(),
            path,
            file,
            entries: Vec::new(),
            bytes: 0,
        })
    }

    /// Writes a record.
    pub(crate) fn keep(&mut self, entry: Entry) -> io::Result<()> {
        self.file.write_all(&entry.line)?;
        self.bytes += entry.line.len();
        self.entries.push(entry);
        if self.entries.len() >= RECORDS || self.bytes >= BYTES {
            self.seal()?;
        }
        Ok(())
    }

    /// Makes a part of the remaining records, and deletes the journal.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.seal()?;
        fs::remove_file(&self.path)
    }

    fn seal(&mut self) -> io::Result<()> {
        Part::write(&self.folder, mem::take(&mut self.entries))?;
        self.bytes = 0;
        let head = CODE.len() as u64 + 1;
        self.file.set_len(head)?;
        self.file.seek(io::SeekFrom::Start(head))?;
        Ok(())
    }
}

fn create(folder: &Path) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    let mut number = 0;
    loop {
        let path = folder.join(format!("{process}-{number}.{ENDING}"));
        let created = OpenOptions::new().write(true).create_new(true).open(&path);
        match created {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Makes parts of journals left by killed processes.
fn take_up(folder: &Path) -> io::Result<()> {
    for path in journals(folder)? {
        // Another process may have recovered the journal in the meantime.
        let Ok(file) = OpenOptions::new().read(true).write(true).open(&path) else {
            continue;
        };
        if file.try_lock().is_err() {
            continue;
        }
        let (is_begun, records) = read(&file);
        let entries = records.into_iter().map(Entry::of);
        Part::write(folder, entries.collect::<io::Result<_>>()?)?;
        if is_begun {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The records of this code in all journals of the folder, including those being written.
pub(super) fn records(folder: &Path) -> io::Result<Vec<Record>> {
    let mut all = Vec::new();
    for path in journals(folder)? {
        if let Ok(file) = File::open(path) {
            all.extend(read(&file).1);
        }
    }
    Ok(all)
}

fn journals(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    let is_one = |path: &PathBuf| path.extension().is_some_and(|end| end == ENDING);
    Ok(paths.into_iter().filter(is_one).collect())
}

/// Whether the journal has its first line, and the journal's records if they are of this code. The
/// last line may be incomplete.
fn read(file: &File) -> (bool, Vec<Record>) {
    let mut lines = BufReader::new(file).lines().map_while(Result::ok);
    let Some(head) = lines.next() else {
        return (false, Vec::new());
    };
    if head != *CODE {
        return (true, Vec::new());
    }
    let records = lines.map_while(|line| serde_json::from_str(&line).ok());
    (true, records.collect())
}

#[cfg(test)]
mod tests;
