use super::radio::{BAD, BAD_STAYS, GOOD, GOOD_STAYS, QUEUE};
use crate::Quantity;

/// Interpretations of the radio channel; the paper's most likely one is first.
pub(super) const READINGS: [&str; 3] = ["gilbert-ns2", "gilbert-periodic", "gilbert-exponential"];
/// The rules of the paper's simulator, and the current RFC's.
pub(super) const RULES: [&str; 2] = ["rfc2960", "rfc9260"];
/// Sheave's default profile.
pub(super) const RULES_TODAY: &str = "modern";
/// The paper's probability of corruption in the bad state.
pub(super) const USUAL_BETA: f64 = 0.25;
/// The fast recovery of ns-2.
pub(super) const LASTING_RECOVERY: &str = "fast recovery outlives T3-rtx";
/// Bit errors anywhere in the packet.
pub(super) const SCATTERED: &str = "scattered";
/// Bit errors in adjacent positions.
pub(super) const BURST: &str = "burst";

/// The values of placeholders in the texts of the parameters.
pub(super) fn quantities() -> Vec<Quantity> {
    vec![
        ("good_s", GOOD.to_string()),
        ("good_stays", GOOD_STAYS.to_string()),
        ("bad_s", BAD.to_string()),
        ("bad_stays", BAD_STAYS.to_string()),
        ("beta", USUAL_BETA.to_string()),
        ("queue", QUEUE.to_string()),
    ]
}
