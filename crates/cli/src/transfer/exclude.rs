//! Exclude patterns, as in rsync and tar.

use std::str::FromStr;

/// A pattern: `*` matches any characters but `/`, `**` any characters, `?` one character, `[a-z]`
/// one of a set. Without `/`, the pattern is compared with the last component of a name, else with
/// the whole name; a trailing `/` matches only directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Token>,
    scope: Scope,
    shapes: Shapes,
}

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Directory,
    /// A file or link.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    LastComponent,
    WholeName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shapes {
    All,
    Directories,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Byte(u8),
    /// `?`
    Any,
    /// `*`
    Run,
    /// `**`
    Everything,
    /// `[...]`: a character in, or outside of, these ranges.
    Set(Vec<(u8, u8)>, Sense),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    OneOf,
    NoneOf,
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (body, shapes) = match text.strip_suffix('/') {
            Some(body) => (body, Shapes::Directories),
            None => (text, Shapes::All),
        };
        let scope = match body.contains('/') {
            true => Scope::WholeName,
            false => Scope::LastComponent,
        };
        let body = body.strip_prefix('/').unwrap_or(body);
        if body.is_empty() {
            return Err("the pattern is empty".to_owned());
        }
        Ok(Self {
            parts: parse(body.as_bytes())?,
            scope,
            shapes,
        })
    }
}

impl Pattern {
    /// Whether a `/`-separated name is excluded.
    pub fn matches(&self, name: &[u8], shape: Shape) -> bool {
        if self.shapes == Shapes::Directories && shape != Shape::Directory {
            return false;
        }
        let compared = match self.scope {
            Scope::WholeName => name,
            Scope::LastComponent => name.rsplit(|&byte| byte == b'/').next().unwrap_or(name),
        };
        matches(&self.parts, compared)
    }
}

fn parse(mut rest: &[u8]) -> Result<Vec<Token>, String> {
    let mut parts = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        parts.push(match byte {
            b'*' if rest.first() == Some(&b'*') => {
                while let Some(after) = rest.strip_prefix(b"*") {
                    rest = after;
                }
                Token::Everything
            }
            b'*' => Token::Run,
            b'?' => Token::Any,
            b'\\' => match rest.split_first() {
                Some((&byte, after)) => {
                    rest = after;
                    Token::Byte(byte)
                }
                None => return Err("a \\ stands at the end".to_owned()),
            },
            b'[' => {
                let (set, after) = parse_set(rest)?;
                rest = after;
                set
            }
            byte => Token::Byte(byte),
        });
    }
    Ok(parts)
}

/// Parses a set after its `[`; returns the set and the bytes after its `]`.
fn parse_set(mut rest: &[u8]) -> Result<(Token, &[u8]), String> {
    let mut sense = Sense::OneOf;
    if let Some(after) = rest.strip_prefix(b"!").or(rest.strip_prefix(b"^")) {
        (sense, rest) = (Sense::NoneOf, after);
    }
    let mut ranges = Vec::new();
    loop {
        match rest {
            // A leading `]` belongs to the set.
            [b']', after @ ..] if !ranges.is_empty() => {
                return Ok((Token::Set(ranges, sense), after));
            }
            [from, b'-', to, after @ ..] if *to != b']' => {
                ranges.push((*from, *to));
                rest = after;
            }
            [byte, after @ ..] => {
                ranges.push((*byte, *byte));
                rest = after;
            }
            [] => return Err("a [ has no ]".to_owned()),
        }
    }
}

/// Matches with backtracking only to the last star of each kind, so the time is linear per star.
fn matches(parts: &[Token], name: &[u8]) -> bool {
    let (mut part, mut at) = (0, 0);
    let mut run: Option<(usize, usize)> = None;
    let mut everything: Option<(usize, usize)> = None;
    loop {
        match (parts.get(part), name.get(at)) {
            (Some(Token::Run), _) => {
                run = Some((part + 1, at));
                part += 1;
                continue;
            }
            (Some(Token::Everything), _) => {
                (everything, run) = (Some((part + 1, at)), None);
                part += 1;
                continue;
            }
            (None, None) => return true,
            (Some(step), Some(&byte)) if step.takes(byte) => {
                (part, at) = (part + 1, at + 1);
                continue;
            }
            _ => {}
        }
        // The last star consumes one more byte; a single one never `/`.
        match (&mut run, &mut everything) {
            (Some((next, from)), _) if name.get(*from).is_some_and(|&byte| byte != b'/') => {
                *from += 1;
                (part, at) = (*next, *from);
            }
            (_, Some((next, from))) if *from < name.len() => {
                *from += 1;
                (part, at) = (*next, *from);
                run = None;
            }
            _ => return false,
        }
    }
}

impl Token {
    fn takes(&self, byte: u8) -> bool {
        match self {
            Self::Byte(wanted) => *wanted == byte,
            Self::Any => byte != b'/',
            Self::Set(ranges, sense) => {
                let is_in = ranges
                    .iter()
                    .any(|(from, to)| (*from..=*to).contains(&byte));
                byte != b'/' && is_in == (*sense == Sense::OneOf)
            }
            Self::Run | Self::Everything => false,
        }
    }
}

#[cfg(test)]
mod tests;
