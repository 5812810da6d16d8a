//! Options that are stored and returned. Only the service class has an effect.

use std::collections::BTreeMap;

use crate::Errno;

/// Longest stored value, bytes.
const MOST: usize = 256;

/// The valid values of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Any bytes.
    Bytes,
    /// A C `int`, or one byte for `IPPROTO_IP` options.
    Int,
    /// An `int` that is 0 or 1.
    Flag,
    /// An `int` in this inclusive range; others are `EINVAL`.
    Within(i32, i32),
    /// Type of service or traffic class; the lowest two bits belong to ECN.
    ServiceClass,
    /// A hop limit; -1 for the default.
    Hops(i32),
    /// `SO_RCVLOWAT`: 0 means 1, negative numbers mean the maximum.
    LowWater,
    /// A read-only value.
    Fixed,
}

/// A Linux option: level, name, form and default.
type Row = (i32, i32, Form, i32);

const TYPE_OF_SERVICE: (i32, i32) = (0, 1);
const TRAFFIC_CLASS: (i32, i32) = (41, 67);

const LINUX: [Row; 29] = [
    (0, 1, Form::ServiceClass, 0),   // IP_TOS
    (0, 2, Form::Hops(1), 64),       // IP_TTL
    (0, 8, Form::Flag, 0),           // IP_PKTINFO
    (0, 10, Form::Within(0, 5), 1),  // IP_MTU_DISCOVER
    (0, 11, Form::Flag, 0),          // IP_RECVERR
    (0, 13, Form::Flag, 0),          // IP_RECVTOS
    (0, 15, Form::Flag, 0),          // IP_FREEBIND
    (0, 19, Form::Flag, 0),          // IP_TRANSPARENT
    (41, 16, Form::Hops(0), 64),     // IPV6_UNICAST_HOPS
    (41, 18, Form::Hops(0), 64),     // IPV6_MULTICAST_HOPS
    (41, 23, Form::Within(0, 5), 1), // IPV6_MTU_DISCOVER
    (41, 25, Form::Flag, 0),         // IPV6_RECVERR
    (41, 49, Form::Flag, 0),         // IPV6_RECVPKTINFO
    (41, 66, Form::Flag, 0),         // IPV6_RECVTCLASS
    (41, 67, Form::ServiceClass, 0), // IPV6_TCLASS
    (41, 78, Form::Flag, 0),         // IPV6_FREEBIND
    (1, 1, Form::Flag, 0),           // SO_DEBUG
    (1, 5, Form::Flag, 0),           // SO_DONTROUTE
    (1, 6, Form::Flag, 0),           // SO_BROADCAST
    (1, 9, Form::Flag, 0),           // SO_KEEPALIVE
    (1, 10, Form::Flag, 0),          // SO_OOBINLINE
    (1, 15, Form::Flag, 0),          // SO_REUSEPORT
    (1, 16, Form::Flag, 0),          // SO_PASSCRED
    (1, 18, Form::LowWater, 1),      // SO_RCVLOWAT
    (1, 19, Form::Fixed, 1),         // SO_SNDLOWAT
    (1, 25, Form::Bytes, 0),         // SO_BINDTODEVICE
    (1, 40, Form::Flag, 0),          // SO_RXQ_OVFL
    (1, 47, Form::Int, -1),          // SO_MAX_PACING_RATE
    (1, 49, Form::Int, -1),          // SO_INCOMING_CPU
];

/// The options that a program has set on a socket, by level and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(BTreeMap<(i32, i32), Vec<u8>>);

impl Kept {
    /// Stores a value as Linux does.
    ///
    /// # Errors
    /// `EINVAL` for an invalid value, `ENOPROTOOPT` for a read-only option.
    pub(crate) fn set_as_linux(
        &mut self,
        level: i32,
        name: i32,
        value: &[u8],
    ) -> Result<(), Errno> {
        let form = row(level, name).map_or(Form::Int, |(_, _, form, _)| *form);
        if form == Form::Bytes {
            return self.set(level, name, value);
        }
        let number = match (value.first_chunk(), value, level) {
            (Some(bytes), ..) => i32::from_ne_bytes(*bytes),
            (None, [byte, ..], 0) => (*byte).into(),
            _ => return Err(Errno::EINVAL),
        };
        let number = form.admit(level, number)?;
        self.set(level, name, &number.to_ne_bytes())
    }

    /// Stores any bytes.
    ///
    /// # Errors
    /// `EINVAL` for more than 256 bytes.
    pub(crate) fn set(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
        if value.len() > MOST {
            return Err(Errno::EINVAL);
        }
        self.0.insert((level, name), value.to_vec());
        Ok(())
    }

    /// The DSCP from `IPV6_TCLASS`, or from `IP_TOS`, if the program has set one.
    pub(crate) fn dscp(&self) -> Option<u8> {
        let class = |option| {
            let bytes = self.0.get(option)?.first_chunk()?;
            u8::try_from(i32::from_ne_bytes(*bytes)).ok()
        };
        let class = class(&TRAFFIC_CLASS).or_else(|| class(&TYPE_OF_SERVICE))?;
        Some(class >> 2)
    }

    /// The value that was set, or the default.
    pub(crate) fn value(&self, level: i32, name: i32) -> Vec<u8> {
        if let Some(value) = self.0.get(&(level, name)) {
            return value.clone();
        }
        match row(level, name) {
            Some((_, _, Form::Bytes, _)) => Vec::new(),
            Some((.., default)) => default.to_ne_bytes().to_vec(),
            None => vec![0; 4],
        }
    }
}

impl Form {
    fn admit(self, level: i32, number: i32) -> Result<i32, Errno> {
        let within = |least, most| (least..=most).contains(&number);
        match self {
            Self::Bytes | Self::Int => Ok(number),
            Self::Flag => Ok((number != 0).into()),
            Self::Within(least, most) if within(least, most) => Ok(number),
            Self::ServiceClass if level == 0 => Ok(number & 0xfc),
            Self::ServiceClass if within(-1, 255) => Ok(number.max(0) & 0xfc),
            Self::Hops(_) if number == -1 => Ok(64),
            Self::Hops(least) if within(least, 255) => Ok(number),
            Self::LowWater if number < 0 => Ok(i32::MAX),
            Self::LowWater => Ok(number.max(1)),
            Self::Fixed => Err(Errno::ENOPROTOOPT),
            Self::Within(..) | Self::ServiceClass | Self::Hops(_) => Err(Errno::EINVAL),
        }
    }
}

fn row(level: i32, name: i32) -> Option<&'static Row> {
    let mut rows = LINUX.iter();
    rows.find(|(other_level, other, ..)| (*other_level, *other) == (level, name))
}
