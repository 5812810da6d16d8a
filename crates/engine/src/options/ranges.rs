//! The range of every option.

use core::time::Duration;

use super::{
    ChunkChecksum, CongestionAlgorithm, ExplicitCongestion, Heartbeats, LossRecovery, Options,
};
use crate::{AddressChanges, Coupling, Interleaving, Multipath, OptionError};

/// Whether it holds, for which option, and what would be right.
type Rule = (bool, &'static str, &'static str);

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

impl Options {
    /// Checks every option against its range.
    ///
    /// # Errors
    /// The first option that is out of range, with what would be right.
    pub fn validate(&self) -> Result<(), OptionError> {
        let rules = (self.consent_rules().into_iter())
            .chain(self.timer_rules())
            .chain(self.limit_rules())
            .chain(self.answer_rules())
            .chain(self.sending_rules())
            .chain(self.size_rules());
        match rules.into_iter().find(|(holds, ..)| !holds) {
            None => Ok(()),
            Some((_, option, reason)) => Err(OptionError { option, reason }),
        }
    }

    /// What proves who sent a change.
    fn consent_rules(&self) -> [Rule; 2] {
        let authentication = self.authentication.fault();
        [
            (
                self.address_changes != AddressChanges::On
                    || self.authentication.options().is_some(),
                "address_changes",
                "need authentication (RFC 5061 §4.1.1)",
            ),
            (
                authentication.is_none(),
                "authentication",
                authentication.unwrap_or_default(),
            ),
        ]
    }

    /// Timeouts, and what a timer releases.
    fn timer_rules(&self) -> [Rule; 7] {
        [
            (
                (ms(10)..=secs(120)).contains(&self.rto_initial),
                "rto_initial",
                "must be 10 ms to 120 s",
            ),
            (
                (ms(10)..=self.rto_max).contains(&self.rto_min),
                "rto_min",
                "must be 10 ms to rto_max",
            ),
            (
                self.rto_max <= secs(600),
                "rto_max",
                "must be at most 600 s",
            ),
            (
                (1..=8).contains(&self.rto_alpha_shift),
                "rto_alpha_shift",
                "must be 1 to 8",
            ),
            (
                (1..=8).contains(&self.rto_beta_shift),
                "rto_beta_shift",
                "must be 1 to 8",
            ),
            (
                self.max_burst
                    .is_none_or(|burst| (1..=1000).contains(&burst)),
                "max_burst",
                "must be 1 to 1000, or none",
            ),
            (
                (ms(10)..=secs(3600)).contains(&self.valid_cookie_life),
                "valid_cookie_life",
                "must be 10 ms to 1 h",
            ),
        ]
    }

    /// How often is tried.
    fn limit_rules(&self) -> [Rule; 5] {
        [
            (
                (1..=1000).contains(&self.association_max_retrans),
                "association_max_retrans",
                "must be 1 to 1000",
            ),
            (
                self.path_max_retrans <= 1000,
                "path_max_retrans",
                "must be at most 1000",
            ),
            (
                self.potentially_failed_max_retrans
                    .is_none_or(|limit| limit <= 1000),
                "potentially_failed_max_retrans",
                "must be at most 1000, or none",
            ),
            (
                self.primary_switchover_max_retrans.is_none_or(|limit| {
                    let least = self.potentially_failed_max_retrans.unwrap_or(0);
                    (least..=1000).contains(&limit)
                }),
                "primary_switchover_max_retrans",
                "must be potentially_failed_max_retrans to 1000, or none",
            ),
            (
                self.max_init_retransmits <= 1000,
                "max_init_retransmits",
                "must be at most 1000",
            ),
        ]
    }

    /// What is sent unasked, and what is answered when.
    fn answer_rules(&self) -> [Rule; 4] {
        let heartbeats = match self.heartbeats {
            Heartbeats::Every(interval) => (ms(10)..=secs(86_400)).contains(&interval),
            Heartbeats::Off => true,
        };
        [
            (
                heartbeats,
                "heartbeats",
                "the interval must be 10 ms to 1 day",
            ),
            (
                (1..=8).contains(&self.hb_max_burst),
                "hb_max_burst",
                "must be 1 to 8",
            ),
            (
                self.sack_delay <= ms(500),
                "sack_delay",
                "must be at most 500 ms (RFC 9260 §6.2)",
            ),
            (
                (1..=64).contains(&self.sack_frequency),
                "sack_frequency",
                "must be 1 to 64",
            ),
        ]
    }

    /// How data is sent.
    fn sending_rules(&self) -> [Rule; 4] {
        let congestion = match self.congestion {
            CongestionAlgorithm::NewReno
            | CongestionAlgorithm::Cubic
            | CongestionAlgorithm::HighSpeed
            | CongestionAlgorithm::Bbr => true,
            CongestionAlgorithm::EarlyDecrease { factor, .. } => (1..=999).contains(&factor),
            CongestionAlgorithm::EcnDiscrimination | CongestionAlgorithm::Dctcp => {
                self.ecn == ExplicitCongestion::On
            }
        };
        let multipath = match self.multipath {
            Multipath::Off => true,
            Multipath::Concurrent(transfer) => {
                let coupled = transfer.coupling != Coupling::Uncoupled;
                self.loss_recovery == LossRecovery::Selective
                    && (!coupled || self.congestion == CongestionAlgorithm::NewReno)
            }
        };
        [
            (
                congestion,
                "congestion",
                "the factor of early decrease must be 1 to 999 thousandths, and ECN \
                 discrimination and DCTCP need ecn",
            ),
            (
                multipath,
                "multipath",
                "concurrent transfer needs selective acknowledgement, and coupled windows New Reno",
            ),
            (
                (1..=4).contains(&self.missing_reports),
                "missing_reports",
                "must be 1 to 4",
            ),
            (
                self.interleaving == Interleaving::Off || self.chunk_checksum == ChunkChecksum::Off,
                "interleaving",
                "must be off where chunk_checksum is on",
            ),
        ]
    }

    /// How large, and how many.
    fn size_rules(&self) -> [Rule; 9] {
        [
            (
                self.initial_pmtu >= 576,
                "initial_pmtu",
                "must be at least 576",
            ),
            (
                self.path_mtu_discovery.is_valid(),
                "path_mtu_discovery",
                "the longest packet must be 576 to 65535",
            ),
            (
                self.outbound_streams >= 1,
                "outbound_streams",
                "must be at least 1",
            ),
            (
                self.max_inbound_streams >= 1,
                "max_inbound_streams",
                "must be at least 1",
            ),
            (
                self.send_buffer >= 1500,
                "send_buffer",
                "must be at least 1500",
            ),
            (
                (4096..=1 << 30).contains(&self.receive_buffer),
                "receive_buffer",
                "must be 4096 to 1 GiB",
            ),
            (
                self.buffers.is_valid(),
                "buffers",
                "must not grow beyond 4096 to 1 GiB",
            ),
            (
                u32::try_from(self.max_message_size).is_ok_and(|size| size >= 1),
                "max_message_size",
                "must be 1 to 4 GiB less one",
            ),
            (
                self.partial_delivery_point >= 1,
                "partial_delivery_point",
                "must be at least 1",
            ),
        ]
    }
}
