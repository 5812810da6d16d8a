use alloc::format;
use core::str::FromStr;

use super::Options;
use crate::OptionError;

/// A named set of options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// RFC 9260 §16 to the letter, for studies and tests.
    Rfc9260,
    /// The defaults of the Linux kernel's SCTP.
    Linux,
    /// Signalling over managed networks: RTO around 120 ms, quick failover (RFC 7829).
    Telecom,
    /// Inside a data centre: short RTO, few SACKs, no burst limit, large buffers.
    Datacenter,
    /// RFC 9260 with later improvements, for networks of every kind: time-based loss detection
    /// (RACK-TLP, RFC 8985), CUBIC (RFC 9438), an initial window of ten packets (RFC 6928), a slow
    /// start that copes with one SACK for many packets and ends when queues grow (RFC 9406), one
    /// SACK for each of the first packets, data with the COOKIE ECHO, buffers sized to the path,
    /// RTO.Min of 200 ms with recovery from spurious timeouts (RFC 5682), quick failover (RFC
    /// 7829), and a dead-peer time of 20 s. No support by the peer is needed.
    #[default]
    Modern,
    /// RFC 2960, as in older simulators: RTO.Initial 3 s, an initial window of two packets, fast
    /// retransmission at the fourth missing report and to an alternate address, a receive buffer of
    /// 65536 bytes.
    Rfc2960,
}

impl Profile {
    /// The profiles.
    pub const ALL: [Self; 6] = [
        Self::Modern,
        Self::Rfc9260,
        Self::Linux,
        Self::Telecom,
        Self::Datacenter,
        Self::Rfc2960,
    ];

    /// The name of the profile.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rfc9260 => "rfc9260",
            Self::Linux => "linux",
            Self::Telecom => "telecom",
            Self::Datacenter => "datacenter",
            Self::Modern => "modern",
            Self::Rfc2960 => "rfc2960",
        }
    }

    /// The purpose of the profile, in one phrase.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Rfc9260 => "RFC 9260 to the letter: RTO 1 s to 60 s",
            Self::Linux => "The defaults of the Linux kernel's SCTP",
            Self::Telecom => "Signalling: RTO 120 ms to 400 ms, quick failover",
            Self::Datacenter => "Short RTO, rare SACKs, large buffers",
            Self::Modern => "RFC 9260 with RACK-TLP, CUBIC and quick failover",
            Self::Rfc2960 => "RFC 2960, which older simulators follow",
        }
    }
}

impl FromStr for Profile {
    type Err = OptionError;

    fn from_str(name: &str) -> Result<Self, OptionError> {
        let mut all = Self::ALL.into_iter();
        all.find(|profile| profile.name() == name)
            .ok_or_else(|| OptionError {
                option: "profile".into(),
                value: name.into(),
                reason: format!("must be {}", Self::ALL.map(Self::name).join(", ")),
            })
    }
}

impl Default for Options {
    fn default() -> Self {
        Profile::default().options()
    }
}
