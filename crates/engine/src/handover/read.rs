use alloc::vec::Vec;
use core::net::IpAddr;

use bytes::Bytes;
use sheave_wire::{ReConfigResult, StreamId, Tsn, Vtag};

use super::ImportError;
use super::codec::Reader;
use super::state::{
    AddressSerials, Credentials, Key, KeyStanding, Numbers, PathStanding, Receiving, Requests,
    RtoStanding, Sending, State,
};
use super::write::{MAGIC, VERSION};
use crate::assoc::extensions::authentication::{KeyVector, MAX_VECTOR_LEN, Vectors};
use crate::assoc::extensions::reconfiguration::ReConfigAnswer;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;
use crate::{KeyId, PathState, PeerAddress};

use ImportError::Malformed;

/// Most remembered answers to stream requests.
const MAX_ANSWERS: usize = 3;

/// Most bytes of an ASCONF ACK.
const MAX_ANSWER_LEN: usize = 65_535;

impl State {
    /// Parses the output of [`to_bytes`](Self::to_bytes), checking every field that can be checked.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ImportError> {
        let mut reader = Reader(bytes);
        match reader.take() {
            Ok(MAGIC) => {}
            Ok(_) | Err(_) => return Err(ImportError::NotExported),
        }
        match reader.u8()? {
            VERSION => {}
            other => return Err(ImportError::Version(other)),
        }
        let state = Self {
            ports: (reader.u16()?, reader.u16()?),
            tags: (Vtag(reader.u32()?), Vtag(reader.u32()?)),
            extensions: ExtensionSet(reader.u32()?),
            announced: ExtensionSet(reader.u32()?),
            sending: read_sending(&mut reader)?,
            receiving: read_receiving(&mut reader)?,
            local: reader.list(Reader::address)?,
            paths: reader.list(read_path)?,
            primary: PathIndex(reader.u8()?),
            requests: reader.optional(read_requests)?,
            address_serials: reader.optional(read_address_serials)?,
            credentials: reader.optional(read_credentials)?,
            echo: reader.optional(Reader::u32)?.map(Tsn),
        };
        if !reader.0.is_empty() {
            return Err(Malformed("something follows its end"));
        }
        state.check()?;
        Ok(state)
    }

    fn check(&self) -> Result<(), ImportError> {
        if self.ports.0 == 0 || self.ports.1 == 0 {
            return Err(Malformed("a port is 0"));
        }
        if self.tags.0 == Vtag(0) || self.tags.1 == Vtag(0) {
            return Err(Malformed("a tag is 0"));
        }
        self.check_streams()?;
        self.check_paths()?;
        let has = |set| self.extensions.contains(set);
        if has(ExtensionSet::RECONFIGURATION) != self.requests.is_some()
            || has(ExtensionSet::AUTHENTICATION) != self.credentials.is_some()
            || self.address_serials.is_some() && !has(ExtensionSet::ADDRESS_CHANGES)
            || self.echo.is_some() && !has(ExtensionSet::ECN)
        {
            return Err(Malformed("an extension without its state, or the reverse"));
        }
        Ok(())
    }

    fn check_streams(&self) -> Result<(), ImportError> {
        let (out, back) = (&self.sending, &self.receiving);
        if out.streams == 0 || back.streams == 0 {
            return Err(Malformed("no streams"));
        }
        let most = if self.extensions.contains(ExtensionSet::INTERLEAVING) {
            u32::MAX
        } else {
            u32::from(u16::MAX)
        };
        let fits = |numbers: &Numbers, streams: u16| {
            let mut numbers = numbers.iter();
            numbers.all(|(stream, number)| stream.0 < streams && *number <= most)
        };
        let all_fit = fits(&out.ordered, out.streams)
            && fits(&out.unordered, out.streams)
            && fits(&back.ordered, back.streams);
        if !all_fit {
            return Err(Malformed("a number of a stream that is not there"));
        }
        Ok(())
    }

    fn check_paths(&self) -> Result<(), ImportError> {
        let primary = self.paths.get(usize::from(self.primary.0));
        if primary.is_none_or(|path| path.state == PathState::Unconfirmed) {
            return Err(Malformed("no primary path"));
        }
        if self.paths.len() > usize::from(u8::MAX) {
            return Err(Malformed("too many paths"));
        }
        for (place, path) in self.paths.iter().enumerate() {
            let before = self.paths.iter().take(place);
            let known = before.map(|other| other.remote.ip);
            if !is_usable(path.remote.ip) || known.into_iter().any(|ip| ip == path.remote.ip) {
                return Err(Malformed(
                    "an address that a peer cannot have, or has twice",
                ));
            }
            let same_family = path.local.is_ipv4() == path.remote.ip.is_ipv4();
            if !same_family || !self.local.contains(&path.local) {
                return Err(Malformed("a path from an address that is not in the list"));
            }
        }
        Ok(())
    }
}

fn is_usable(ip: IpAddr) -> bool {
    let broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !ip.is_unspecified() && !ip.is_multicast() && !broadcast && ip == ip.to_canonical()
}

fn read_numbers(reader: &mut Reader<'_>) -> Result<Numbers, ImportError> {
    reader.list(|reader| Ok((StreamId(reader.u16()?), reader.u32()?)))
}

fn read_sending(reader: &mut Reader<'_>) -> Result<Sending, ImportError> {
    Ok(Sending {
        next_tsn: Tsn(reader.u32()?),
        streams: reader.u16()?,
        peer_rwnd: reader.u32()?,
        widest_rwnd: reader.u32()?,
        ordered: read_numbers(reader)?,
        unordered: read_numbers(reader)?,
    })
}

fn read_receiving(reader: &mut Reader<'_>) -> Result<Receiving, ImportError> {
    Ok(Receiving {
        cumulative_tsn: Tsn(reader.u32()?),
        streams: reader.u16()?,
        ordered: read_numbers(reader)?,
    })
}

fn read_path(reader: &mut Reader<'_>) -> Result<PathStanding, ImportError> {
    Ok(PathStanding {
        local: reader.address()?,
        remote: PeerAddress {
            ip: reader.address()?,
            encapsulation: read_port(reader)?,
        },
        state: match reader.u8()? {
            0 => PathState::Unconfirmed,
            1 => PathState::Active,
            2 => PathState::PotentiallyFailed,
            3 => PathState::Inactive,
            _ => return Err(Malformed("an unknown state of a path")),
        },
        errors: reader.u32()?,
        pmtu: reader.u16()?,
        cwnd: reader.u64()?,
        ssthresh: reader.u64()?,
        rto: RtoStanding {
            srtt: reader.optional(Reader::u64)?,
            rttvar: reader.u64()?,
            rto: reader.u64()?,
        },
    })
}

fn read_port(reader: &mut Reader<'_>) -> Result<Option<u16>, ImportError> {
    match reader.optional(Reader::u16)? {
        Some(0) => Err(Malformed("a port is 0")),
        port => Ok(port),
    }
}

fn read_requests(reader: &mut Reader<'_>) -> Result<Requests, ImportError> {
    let next = reader.u32()?;
    let expected = reader.u32()?;
    let answers = reader.list(|reader| {
        Ok(ReConfigAnswer {
            request: reader.u32()?,
            result: ReConfigResult(reader.u32()?),
            next_tsns: reader.optional(|reader| Ok((Tsn(reader.u32()?), Tsn(reader.u32()?))))?,
        })
    })?;
    if answers.len() > MAX_ANSWERS {
        return Err(Malformed("more than three answers"));
    }
    Ok(Requests {
        next,
        expected,
        answers,
        invited_reset: reader.optional(Reader::u32)?,
        invited_streams: reader.u16()?,
    })
}

fn read_address_serials(reader: &mut Reader<'_>) -> Result<AddressSerials, ImportError> {
    let next = reader.u32()?;
    let due = reader.u32()?;
    let answer = reader.optional(Reader::bytes)?;
    if answer.is_some_and(|answer| answer.len() > MAX_ANSWER_LEN) {
        return Err(Malformed("an answer longer than a chunk"));
    }
    Ok(AddressSerials {
        next,
        due,
        answer: answer.map(Bytes::copy_from_slice),
    })
}

fn read_credentials(reader: &mut Reader<'_>) -> Result<Credentials, ImportError> {
    let vectors = Vectors {
        ours: read_vector(reader)?,
        theirs: read_vector(reader)?,
    };
    let active = KeyId(reader.u16()?);
    let heard = reader.optional(Reader::u16)?.map(KeyId);
    let keys: Vec<Key> = reader.list(|reader| {
        Ok(Key {
            id: KeyId(reader.u16()?),
            standing: match reader.u8()? {
                0 => KeyStanding::Usable,
                1 => KeyStanding::Deactivated,
                _ => return Err(Malformed("an unknown state of a key")),
            },
            secret: reader.bytes()?.into(),
        })
    })?;
    let usable = |key: &Key| key.id == active && key.standing == KeyStanding::Usable;
    if !keys.iter().any(usable) {
        return Err(Malformed("the active key is not there"));
    }
    Ok(Credentials {
        vectors,
        active,
        heard,
        keys,
    })
}

fn read_vector(reader: &mut Reader<'_>) -> Result<KeyVector, ImportError> {
    let bytes = reader.bytes()?;
    let vector = KeyVector::from_bytes(bytes);
    if bytes.len() > MAX_VECTOR_LEN || vector.preferred().is_none() {
        return Err(Malformed("a key vector that nobody tells"));
    }
    Ok(vector)
}
