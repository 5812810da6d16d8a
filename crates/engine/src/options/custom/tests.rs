use alloc::boxed::Box;
use alloc::string::ToString;

use super::*;
use crate::{AckTiming, Acknowledge, CongestionSignals, DataArrival, NewReno};

#[derive(Clone, Debug)]
struct AtOnce;

impl Acknowledge for AtOnce {
    fn on_packet(&mut self, _arrival: &DataArrival) -> AckTiming {
        AckTiming::Now
    }
}

const MINE: CustomCongestion = CustomCongestion {
    name: "mine",
    signals: CongestionSignals::Acknowledgements,
    make: |path| Box::new(NewReno::new(path.pmdcs, path.rules, path.initial)),
};

const AT_ONCE: CustomAcknowledgement = CustomAcknowledgement {
    name: "at-once",
    make: || Box::new(AtOnce),
};

fn policies() -> CustomPolicies {
    CustomPolicies::default()
        .with_congestion(MINE)
        .with_acknowledgement(AT_ONCE)
}

#[test]
fn text_names_policies_of_the_users_own() {
    let mut options = Options::default();
    let given = [
        ("congestion", " mine "),
        ("acknowledgement_policy", "at-once"),
        ("sack_frequency", "4"),
    ];
    assert_eq!(policies().apply(&mut options, &given), Ok(()));
    assert_eq!(options.congestion, CongestionAlgorithm::Custom(MINE));
    let expected = AcknowledgementPolicy::Custom(AT_ONCE);
    assert_eq!(options.acknowledgement_policy, expected);
    assert_eq!(options.sack_frequency, 4);
    assert_eq!(options.get("congestion").as_deref(), Some("mine"));
}

#[test]
fn a_name_that_nobody_brought_is_an_error() {
    let mut options = Options::default();
    let error = options.apply(&[("congestion", "mine")]).unwrap_err();
    assert!(
        error.to_string().starts_with("congestion = mine: must be"),
        "{error}"
    );
    let given = [("scheduler", "mine")];
    assert!(policies().apply(&mut options, &given).is_err());
}
