use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::options::form::Form;
use crate::options::form::choice::Words;
use crate::options::form::choice::either;
use crate::{AcknowledgementPolicy, CongestionAlgorithm, DecreaseTrigger, StreamScheduler};

/// The name of a congestion control, or `early-decrease:TRIGGER:THOUSANDTHS`.
pub(in crate::options) struct Congestion;

/// The name of an acknowledgement policy.
pub(in crate::options) struct Acknowledgements;

/// The name of a stream scheduler.
pub(in crate::options) struct Scheduler;

const CONTROLS: Words<CongestionAlgorithm> = Words(&[
    ("new-reno", CongestionAlgorithm::NewReno),
    ("cubic", CongestionAlgorithm::Cubic),
    ("highspeed", CongestionAlgorithm::HighSpeed),
    ("bbr", CongestionAlgorithm::Bbr),
    ("dctcp", CongestionAlgorithm::Dctcp),
    ("ecn-discrimination", CongestionAlgorithm::EcnDiscrimination),
]);

const TRIGGERS: Words<DecreaseTrigger> = Words(&[
    ("heartbeat", DecreaseTrigger::Heartbeat),
    ("always", DecreaseTrigger::Always),
]);

const ACKNOWLEDGEMENTS: Words<AcknowledgementPolicy> =
    Words(&[("standard", AcknowledgementPolicy::Standard)]);

const SCHEDULERS: Words<StreamScheduler> = Words(&[
    ("first-come", StreamScheduler::FirstCome),
    ("round-robin", StreamScheduler::RoundRobin),
    (
        "round-robin-per-packet",
        StreamScheduler::RoundRobinPerPacket,
    ),
    ("priority", StreamScheduler::Priority),
    ("fair-bandwidth", StreamScheduler::FairBandwidth),
    (
        "weighted-fair-queueing",
        StreamScheduler::WeightedFairQueueing,
    ),
]);

impl Form<CongestionAlgorithm> for Congestion {
    fn read(&self, text: &str) -> Option<CongestionAlgorithm> {
        let Some(parameters) = text.trim().strip_prefix("early-decrease:") else {
            return CONTROLS.read(text);
        };
        let (trigger, factor) = parameters.split_once(':')?;
        Some(CongestionAlgorithm::EarlyDecrease {
            trigger: TRIGGERS.read(trigger)?,
            factor: factor.parse().ok()?,
        })
    }

    fn write(&self, value: &CongestionAlgorithm) -> String {
        match value {
            CongestionAlgorithm::EarlyDecrease { trigger, factor } => {
                format!("early-decrease:{}:{factor}", TRIGGERS.write(trigger))
            }
            CongestionAlgorithm::Custom(custom) => custom.name.into(),
            named => CONTROLS.write(named),
        }
    }

    fn contains(&self, value: &CongestionAlgorithm) -> bool {
        match value {
            CongestionAlgorithm::EarlyDecrease { factor, .. } => (1..=999).contains(factor),
            _ => true,
        }
    }

    fn range(&self) -> String {
        let names = self.words().join(", ");
        let triggers = either(&Form::words(&TRIGGERS));
        format!("{names}, or early-decrease:TRIGGER:N with {triggers} and 1 to 999 thousandths")
    }

    fn words(&self) -> Vec<&'static str> {
        Form::words(&CONTROLS)
    }
}

impl Form<AcknowledgementPolicy> for Acknowledgements {
    fn read(&self, text: &str) -> Option<AcknowledgementPolicy> {
        ACKNOWLEDGEMENTS.read(text)
    }

    fn write(&self, value: &AcknowledgementPolicy) -> String {
        match value {
            AcknowledgementPolicy::Custom(custom) => custom.name.into(),
            named => ACKNOWLEDGEMENTS.write(named),
        }
    }

    fn words(&self) -> Vec<&'static str> {
        Form::words(&ACKNOWLEDGEMENTS)
    }
}

impl Form<StreamScheduler> for Scheduler {
    fn read(&self, text: &str) -> Option<StreamScheduler> {
        SCHEDULERS.read(text)
    }

    fn write(&self, value: &StreamScheduler) -> String {
        match value {
            StreamScheduler::Custom(custom) => custom.name.into(),
            named => SCHEDULERS.write(named),
        }
    }

    fn words(&self) -> Vec<&'static str> {
        Form::words(&SCHEDULERS)
    }
}
