use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use sheave_wire::ChunkType;

use crate::options::form::choice::Words;
use crate::options::form::{Form, OptionUnit};
use crate::{Authentication, AuthenticationOptions, ChunkSet, HmacAlgorithm, KeyId, SharedKey};

/// The chunk types that a peer must authenticate, by name or number.
pub(in crate::options) struct AuthenticatedChunks;

/// The shared key with id 1; never printed.
pub(in crate::options) struct Secret;

/// Shared keys, each `ID:HEX`; never printed.
pub(in crate::options) struct Secrets;

/// The id of a key.
pub(in crate::options) struct ActiveKey;

/// Names of HMAC algorithms, in order of preference.
pub(in crate::options) struct Algorithms;

const ALGORITHMS: Words<HmacAlgorithm> = Words(&[
    ("sha256", HmacAlgorithm::Sha256),
    ("sha1", HmacAlgorithm::Sha1),
]);

impl AuthenticatedChunks {
    fn chunks(text: &str) -> Option<ChunkSet> {
        match text {
            "address-changes" => Some(AuthenticationOptions::default().chunks),
            "all" => Some(ChunkSet::all()),
            numbers => {
                let numbers = numbers
                    .split('+')
                    .map(|number| number.parse().map(ChunkType));
                let chunks: Result<Vec<ChunkType>, _> = numbers.collect();
                chunks.ok().map(ChunkSet::of)
            }
        }
    }
}

impl Form<Authentication> for AuthenticatedChunks {
    fn read(&self, text: &str) -> Option<Authentication> {
        if text.trim() == "off" {
            return Some(Authentication::Off);
        }
        Some(Authentication::On(Box::new(AuthenticationOptions {
            chunks: Self::chunks(text.trim())?,
            ..AuthenticationOptions::default()
        })))
    }

    fn write(&self, value: &Authentication) -> String {
        let Authentication::On(options) = value else {
            return "off".into();
        };
        let named = ["address-changes", "all"].into_iter();
        let mut named = named.filter(|name| Self::chunks(name) == Some(options.chunks));
        named.next().map_or_else(
            || {
                let numbers = options.chunks.numbers();
                let numbers: Vec<String> = numbers.iter().map(u8::to_string).collect();
                numbers.join("+")
            },
            Into::into,
        )
    }

    fn range(&self) -> String {
        "off, address-changes, all, or numbers of chunk types, such as 0+3".into()
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["off", "address-changes", "all"]
    }

    fn merge(&self, old: &Authentication, new: Authentication) -> Authentication {
        match (old, new) {
            (Authentication::On(old), Authentication::On(new)) => {
                Authentication::On(Box::new(AuthenticationOptions {
                    chunks: new.chunks,
                    ..(**old).clone()
                }))
            }
            (_, new) => new,
        }
    }
}

impl Form<Vec<SharedKey>> for Secret {
    fn read(&self, text: &str) -> Option<Vec<SharedKey>> {
        match text {
            "" => None,
            "off" => Some(Vec::new()),
            secret => Some(vec![SharedKey::new(KeyId(1), secret)]),
        }
    }

    fn write(&self, value: &Vec<SharedKey>) -> String {
        match value.is_empty() {
            true => "off".into(),
            false => "(secret)".into(),
        }
    }

    fn range(&self) -> String {
        "any text, or off".into()
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Text
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["off"]
    }
}

impl Secrets {
    fn key(text: &str) -> Option<SharedKey> {
        let (id, digits) = text.split_once(':')?;
        let id = KeyId(id.trim().parse().ok()?);
        Some(SharedKey::new(id, bytes(digits.trim())?))
    }
}

/// Decodes pairs of hexadecimal digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let nibble = |digit: char| u8::try_from(digit.to_digit(16)?).ok();
    let nibbles: Option<Vec<u8>> = digits.chars().map(nibble).collect();
    let nibbles = nibbles?;
    let (pairs, rest) = nibbles.as_chunks();
    let bytes = pairs.iter().map(|[high, low]| (high << 4) | low);
    rest.is_empty().then(|| bytes.collect())
}

impl Form<Vec<SharedKey>> for Secrets {
    fn read(&self, text: &str) -> Option<Vec<SharedKey>> {
        match text.trim() {
            "off" => Some(Vec::new()),
            keys => keys.split('+').map(Self::key).collect(),
        }
    }

    fn write(&self, value: &Vec<SharedKey>) -> String {
        Secret.write(value)
    }

    fn range(&self) -> String {
        "ID:HEX, several joined by +, such as 1:0a1b+2:ff00, or off".into()
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["off"]
    }
}

impl Form<KeyId> for ActiveKey {
    fn read(&self, text: &str) -> Option<KeyId> {
        text.trim().parse().ok().map(KeyId)
    }

    fn write(&self, value: &KeyId) -> String {
        value.to_string()
    }

    fn range(&self) -> String {
        "0 to 65535".into()
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Count
    }
}

impl Form<Vec<HmacAlgorithm>> for Algorithms {
    fn read(&self, text: &str) -> Option<Vec<HmacAlgorithm>> {
        let names = text.split('+');
        names.map(|name| ALGORITHMS.read(name)).collect()
    }

    fn write(&self, value: &Vec<HmacAlgorithm>) -> String {
        if value.is_empty() {
            return self.write(&AuthenticationOptions::default().algorithms);
        }
        let names: Vec<String> = value.iter().map(|one| ALGORITHMS.write(one)).collect();
        names.join("+")
    }

    fn words(&self) -> Vec<&'static str> {
        vec!["sha256+sha1", "sha1+sha256", "sha1"]
    }
}
