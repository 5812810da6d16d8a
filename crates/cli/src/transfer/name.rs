//! Names given by a peer: which may be created below the receiving directory.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;

/// Longest component, bytes, as in common file systems.
const MAX_COMPONENT: usize = 255;
/// Longest name, bytes.
pub const MAX_NAME: usize = 4096;
/// Most components of a name.
const MAX_DEPTH: usize = 128;
/// The directory for unfinished files, which peers must not name.
pub const PARTIAL_DIRECTORY: &str = ".sheave-partial";

/// Which names are refused beyond those that are never safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum NameRule {
    /// Every name that this system's file systems can hold.
    #[default]
    Native,
    /// Only names that all systems can hold: no backslash, colon, control character, device name
    /// of Windows (`CON`, `AUX`, `COM1`, ...), trailing dot or space.
    Portable,
}

/// A relative name, `/`-separated, that stays below the directory it is applied to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    bytes: Vec<u8>,
}

/// Why a name is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadName {
    /// The name is empty.
    Empty,
    /// Begins with `/`.
    Absolute,
    /// A component is `.` or `..`, or is empty.
    Dots,
    /// Holds a NUL byte.
    Nul,
    /// Longer than 4096 bytes, a component longer than 255, or more than 128 components.
    TooLong,
    /// Begins with the directory for unfinished files.
    Reserved,
    /// Not valid on every system, as [`NameRule::Portable`] requires.
    NotPortable,
}

impl Name {
    /// Validates a name.
    /// Errors: the reason why the name is unsafe, or not portable if required.
    pub fn parse(bytes: &[u8], rule: NameRule) -> Result<Self, BadName> {
        if bytes.is_empty() {
            return Err(BadName::Empty);
        }
        if bytes.len() > MAX_NAME {
            return Err(BadName::TooLong);
        }
        if bytes.contains(&0) {
            return Err(BadName::Nul);
        }
        if bytes.starts_with(b"/") {
            return Err(BadName::Absolute);
        }
        for (depth, component) in bytes.split(|&byte| byte == b'/').enumerate() {
            check_component(depth, component, rule)?;
        }
        Ok(Self {
            bytes: bytes.to_vec(),
        })
    }

    /// The name's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The directory part; empty for a single component.
    pub fn parent(&self) -> &[u8] {
        let cut = self.bytes.iter().rposition(|&byte| byte == b'/');
        cut.map_or(&[], |at| &self.bytes[..at])
    }

    /// The last component.
    pub fn file_name(&self) -> &OsStr {
        let from = self.bytes.iter().rposition(|&byte| byte == b'/');
        OsStr::from_bytes(&self.bytes[from.map_or(0, |at| at + 1)..])
    }

    /// The number of directories above the last component.
    pub fn depth(&self) -> usize {
        self.bytes.iter().filter(|&&byte| byte == b'/').count()
    }

    /// Whether a symbolic link with this name and `target` stays below the directory.
    ///
    /// Allows `..` only at the beginning, at most once per directory above the link, followed by
    /// plain components: a later `..` could pass through another link.
    pub fn may_link_to(&self, target: &[u8]) -> bool {
        if target.is_empty() || target.len() > MAX_NAME || target.contains(&0) {
            return false;
        }
        if target.starts_with(b"/") {
            return false;
        }
        let is_step = |part: &&[u8]| !part.is_empty() && *part != b".";
        let mut parts = target
            .split(|&byte| byte == b'/')
            .filter(is_step)
            .peekable();
        let mut ups = 0;
        while parts.next_if_eq(&b"..".as_slice()).is_some() {
            ups += 1;
        }
        ups <= self.depth() && parts.all(|part| part != b"..")
    }
}

impl fmt::Display for Name {
    /// Escapes non-printable characters, so that the text is safe on a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        printable(&self.bytes).fmt(f)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the name is empty",
            Self::Absolute => "the name is absolute",
            Self::Dots => "the name has an empty component, \".\" or \"..\"",
            Self::Nul => "the name holds a NUL byte",
            Self::TooLong => "the name is too long or too deep",
            Self::Reserved => "the name is reserved for unfinished files",
            Self::NotPortable => "the name cannot exist on every system (--names portable)",
        })
    }
}

impl std::error::Error for BadName {}

/// Formats bytes of a peer for a terminal: control characters and invalid UTF-8 are escaped.
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() || is_bidi_control(letter) {
                text.extend(letter.escape_unicode());
            } else {
                text.push(letter);
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Characters that change the text direction.
fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check_component(depth: usize, component: &[u8], rule: NameRule) -> Result<(), BadName> {
    if component.is_empty() || component == b"." || component == b".." {
        return Err(BadName::Dots);
    }
    if component.len() > MAX_COMPONENT || depth >= MAX_DEPTH {
        return Err(BadName::TooLong);
    }
    if depth == 0 && component.eq_ignore_ascii_case(PARTIAL_DIRECTORY.as_bytes()) {
        return Err(BadName::Reserved);
    }
    let strict = rule == NameRule::Portable || cfg!(windows);
    if strict && !is_portable(component) {
        return Err(BadName::NotPortable);
    }
    Ok(())
}

fn is_portable(component: &[u8]) -> bool {
    let forbidden = |byte: &u8| *byte < 0x20 || b"\\:*?\"<>|\x7f".contains(byte);
    !component.iter().any(forbidden)
        && !component.ends_with(b".")
        && !component.ends_with(b" ")
        && std::str::from_utf8(component).is_ok()
        && !is_device(component)
}

/// Whether the component is a Windows device name, with any extension.
fn is_device(component: &[u8]) -> bool {
    let stem = component.split(|&byte| byte == b'.').next().unwrap_or(b"");
    let stem = stem.trim_ascii_end().to_ascii_uppercase();
    match stem.as_slice() {
        b"CON" | b"PRN" | b"AUX" | b"NUL" | b"CONIN$" | b"CONOUT$" => true,
        [b'C', b'O', b'M', rest @ ..] | [b'L', b'P', b'T', rest @ ..] => {
            matches!(rest, [b'0'..=b'9'] | [0xc2, 0xb9 | 0xb2 | 0xb3])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
