//! Generates a typical directory tree: many small files, some large ones, a few empty.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Counts of generated or compared files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Files.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

/// Number of large files, which hold most bytes.
const LARGE: u64 = 24;
const FILES_PER_DIRECTORY: u64 = 40;

/// Generates `files` files with `bytes` bytes in total below `top`.
///
/// # Errors
/// The system's error.
pub fn make(top: &Path, files: u64, bytes: u64) -> io::Result<Count> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let sizes = sizes(files, bytes, &mut noise);
    let mut count = Count::default();
    for (number, &size) in (0_u64..).zip(&sizes) {
        let group = number / FILES_PER_DIRECTORY;
        let directory = top.join(format!("part-{:02}/group-{group:03}", group % 7));
        if number % FILES_PER_DIRECTORY == 0 {
            fs::create_dir_all(&directory)?;
        }
        let name = match number % 5 {
            0 => format!("table {number}.csv"),
            1 => format!("note-{number}.txt"),
            2 => format!("größe-{number}.dat"),
            _ => format!("{number}.bin"),
        };
        write_noise(&directory.join(name), size, &mut noise)?;
    }
    fs::create_dir_all(top.join("empty/within-empty"))?;
    count.add(top)?;
    Ok(count)
}

/// Counts the contents of `top`.
///
/// # Errors
/// The system's error.
pub fn count(top: &Path) -> io::Result<Count> {
    let mut count = Count::default();
    count.add(top)?;
    Ok(count)
}

/// Compares two trees byte by byte.
///
/// # Errors
/// A description of the first difference.
pub fn compare(one: &Path, other: &Path) -> Result<Count, String> {
    let mut count = Count::default();
    compare_into(one, other, &mut count)?;
    Ok(count)
}

impl Count {
    fn add(&mut self, directory: &Path) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.directories += 1;
                self.add(&entry.path())?;
            } else if kind.is_file() {
                self.files += 1;
                self.bytes += entry.metadata()?.len();
            }
        }
        Ok(())
    }
}

/// File sizes: 2 % empty, most small, a quarter medium, and 24 large ones for the rest.
fn sizes(files: u64, bytes: u64, noise: &mut Noise) -> Vec<u64> {
    let large = LARGE.min(files);
    let average = bytes / files.max(1);
    let mut sizes = Vec::new();
    let mut left = bytes;
    for number in 0..files - large {
        let most = match number % 50 {
            0 => 0,
            1..=12 => average,
            _ => average / 16,
        };
        let size = noise.next().checked_rem(most.max(1)).unwrap_or(0).min(left);
        sizes.push(size);
        left -= size;
    }
    for number in 0..large {
        let size = if number + 1 == large {
            left
        } else {
            left / (large - number)
        };
        // Spreads large files among the others.
        let at = (number * files / large.max(1)).min(sizes.len() as u64);
        sizes.insert(usize::try_from(at).unwrap_or(0), size);
        left -= size;
    }
    sizes
}

fn write_noise(path: &Path, size: u64, noise: &mut Noise) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 16, File::create(path)?);
    let mut left = size;
    while left >= 8 {
        file.write_all(&noise.next().to_le_bytes())?;
        left -= 8;
    }
    let rest = noise.next().to_le_bytes();
    file.write_all(&rest[..usize::try_from(left).unwrap_or(0)])?;
    file.flush()
}

fn compare_into(one: &Path, other: &Path, count: &mut Count) -> Result<(), String> {
    let list = |directory: &Path| -> Result<Vec<_>, String> {
        let entries = fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(|error| format!("{}: {error}", directory.display()))?;
        let mut names: Vec<_> = entries.iter().map(fs::DirEntry::file_name).collect();
        names.sort();
        Ok(names)
    };
    let names = list(one)?;
    if names != list(other)? {
        return Err(format!(
            "{} has other entries than {}",
            other.display(),
            one.display()
        ));
    }
    for name in names {
        let (one, other) = (one.join(&name), other.join(&name));
        let about = |path: &Path| {
            fs::symlink_metadata(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let (kind, other_kind) = (about(&one)?.file_type(), about(&other)?.file_type());
        if kind != other_kind {
            return Err(format!("{} is of another kind", other.display()));
        }
        if kind.is_dir() {
            count.directories += 1;
            compare_into(&one, &other, count)?;
        } else if kind.is_file() {
            count.files += 1;
            count.bytes += compare_files(&one, &other)?;
        }
    }
    Ok(())
}

fn compare_files(one: &Path, other: &Path) -> Result<u64, String> {
    let open = |path: &Path| match File::open(path) {
        Ok(file) => Ok(BufReader::with_capacity(1 << 17, file)),
        Err(error) => Err(format!("{}: {error}", path.display())),
    };
    let failed = |error: io::Error| format!("{}: {error}", other.display());
    let (mut a, mut b) = (open(one)?, open(other)?);
    let (mut from_a, mut from_b) = (vec![0; 1 << 17], vec![0; 1 << 17]);
    let mut len = 0;
    loop {
        let read = a.read(&mut from_a).map_err(failed)?;
        if read == 0 {
            let extra = b.read(&mut from_b[..1]).map_err(failed)?;
            return if extra == 0 {
                Ok(len)
            } else {
                Err(format!("{} is longer", other.display()))
            };
        }
        b.read_exact(&mut from_b[..read]).map_err(failed)?;
        if from_a[..read] != from_b[..read] {
            return Err(format!("{} differs after byte {len}", other.display()));
        }
        len += read as u64;
    }
}

/// Incompressible, reproducible bytes (xorshift64*).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

#[cfg(test)]
mod tests;
