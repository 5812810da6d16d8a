//! SCTP checksum offload: interfaces to which the kernel passes packets without a CRC32c.

use super::kernel_stack::KernelStack;
use super::mtu;
use crate::doctor::check::{Check, State};
use crate::sys::ethtool::{Feature, feature};

/// The kernel's name of the feature.
const FEATURE: &str = "tx-checksum-sctp";

/// An interface and its feature state; `None` if unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChecksumOffload {
    /// The interface's name.
    pub name: String,
    pub feature: Option<Feature>,
}

/// The interfaces that are up.
pub fn look() -> Vec<ChecksumOffload> {
    let links = mtu::look().into_iter();
    let one = |link: mtu::LinkMtu| ChecksumOffload {
        feature: feature(&link.name, FEATURE).ok(),
        name: link.name,
    };
    links.map(one).collect()
}

/// Reports checksum offload.
pub fn check(links: &[ChecksumOffload], stack: &KernelStack) -> Check {
    let name = "Checksum offload";
    let known: Vec<&ChecksumOffload> = links.iter().filter(|link| link.feature.is_some()).collect();
    if known.is_empty() {
        let means = "Whether an interface computes the CRC32c of kernels cannot be seen.";
        return Check::new(State::Unknown, name, "no interface reports it", means);
    }
    let on = known
        .iter()
        .filter(|link| link.feature == Some(Feature::Active));
    let on: Vec<&str> = on.map(|link| link.name.as_str()).collect();
    let saw = match on.as_slice() {
        [] => format!("{FEATURE} off"),
        on => format!("{FEATURE} on: {}", on.join(", ")),
    };
    match (on.first(), stack.is_there) {
        (Some(first), true) => Check::new(
            State::Warn,
            name,
            saw,
            "Packets of the kernel's SCTP leave it without a checksum. Where no hardware adds one \
             (veth, TAP, bridges), stacks in user space that are reached through raw IP find it \
             wrong and drop them.",
        )
        .fix(format!("sudo ethtool -K {first} {FEATURE} off")),
        _ => Check::new(
            State::Ok,
            name,
            saw,
            "Sheave computes each checksum itself; offload matters to the kernel's SCTP alone.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_of(feature: Option<Feature>, is_there: bool) -> Check {
        let link = ChecksumOffload {
            name: "veth1".to_owned(),
            feature,
        };
        let stack = KernelStack {
            is_there,
            ..KernelStack::default()
        };
        check(&[link], &stack)
    }

    #[test]
    fn offload_is_to_be_known_where_the_kernel_has_sctp() {
        let check = check_of(Some(Feature::Active), true);
        assert_eq!(check.state, State::Warn);
        assert!(check.fix.unwrap().contains("ethtool -K veth1"));
    }

    #[test]
    fn offload_concerns_nobody_where_the_kernel_has_no_sctp() {
        assert_eq!(check_of(Some(Feature::Active), false).state, State::Ok);
        assert_eq!(check_of(Some(Feature::Inactive), true).state, State::Ok);
    }

    #[test]
    fn interfaces_that_do_not_tell_leave_it_open() {
        assert_eq!(check_of(None, true).state, State::Unknown);
    }
}
