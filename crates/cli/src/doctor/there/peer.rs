//! The peer's addresses and extensions, as in its INIT ACK.

use std::net::IpAddr;

use super::answer::{Accepted, Extension};
use crate::doctor::check::{Check, State};

/// Checks the addresses that the peer lists against `asked`, the known ones.
pub fn addresses(accepted: &Accepted, asked: &[IpAddr]) -> Check {
    let name = "Peer's addresses";
    let list = |ips: &[IpAddr]| {
        ips.iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let named = &accepted.addresses;
    if named.is_empty() {
        let means = "Single-homed, as far as it says: one path, no failover.";
        return Check::new(State::Ok, name, "none but the one that answers", means);
    }
    let strange: Vec<IpAddr> = named.iter().copied().filter(|ip| is_strange(*ip)).collect();
    let is_known = named.iter().any(|ip| asked.contains(ip));
    if !is_known {
        return Check::new(
            State::Warn,
            name,
            format!("{}; not among them: {}", list(named), list(asked)),
            "A NAT stands between: the addresses that the peer names are not those that lead there. \
             Paths to them may fail.",
        )
        .fix("let the peer name public addresses alone (sheave: --local ADDR there)");
    }
    match strange.is_empty() {
        true => Check::new(State::Ok, name, list(named), "Each is a path."),
        false => Check::new(
            State::Warn,
            name,
            list(named),
            format!(
                "The peer names addresses that lead nowhere for others: {}. Paths to them stay \
                 inactive.",
                list(&strange)
            ),
        )
        .fix("let the peer bind its public addresses alone (sheave: --local ADDR there)"),
    }
}

/// Whether an address is meaningless or ambiguous on another machine: loopback, link-local, and
/// Docker's default network.
fn is_strange(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            ip.is_loopback() || ip.is_link_local() || ip.octets().starts_with(&[172, 17])
        }
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unicast_link_local(),
    }
}

/// Reports the extensions that the peer offers.
pub fn extensions(accepted: &Accepted) -> Check {
    let words = |list: Vec<Extension>| {
        let words = list.iter().map(ToString::to_string);
        words.collect::<Vec<_>>().join(", ")
    };
    let has = |extension: &Extension| accepted.extensions.contains(extension);
    let (offered, missing): (Vec<_>, Vec<_>) = Extension::ALL.into_iter().partition(has);
    let streams = format!(
        "{} streams in, {} out, window {} bytes",
        accepted.inbound_streams, accepted.outbound_streams, accepted.a_rwnd
    );
    let saw = match offered.is_empty() {
        true => format!("none; {streams}"),
        false => format!("{}; {streams}", words(offered)),
    };
    let means = match missing.is_empty() {
        true => "Everything that Sheave has beyond RFC 9260 can be agreed on.".to_owned(),
        false => format!(
            "Both ends have to switch an extension on: Sheave by its options (docs/options.md), Linux by \
             net.sctp.auth_enable, addip_enable, reconf_enable, intl_enable and ecn_enable. Not offered: \
             {}.",
            words(missing)
        ),
    };
    Check::new(State::Ok, "Extensions", saw, means)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn naming(names: &[&str]) -> Check {
        let accepted = Accepted {
            addresses: names.iter().map(|name| ip(name)).collect(),
            ..Accepted::default()
        };
        addresses(&accepted, &[ip("192.0.2.1")])
    }

    #[test]
    fn addresses_that_do_not_lead_there_show_a_nat() {
        let check = naming(&["10.0.0.2", "10.0.1.2"]);
        assert_eq!(check.state, State::Warn);
        assert!(check.means.starts_with("A NAT"), "{}", check.means);
    }

    #[test]
    fn addresses_that_lead_nowhere_are_named() {
        let check = naming(&["192.0.2.1", "172.17.0.1"]);
        assert_eq!(check.state, State::Warn);
        assert!(check.means.contains("172.17.0.1"), "{}", check.means);
    }

    #[test]
    fn a_peer_with_the_address_asked_for_is_well() {
        assert_eq!(naming(&["192.0.2.1", "198.51.100.1"]).state, State::Ok);
        assert_eq!(naming(&[]).state, State::Ok);
    }

    #[test]
    fn extensions_are_listed_with_those_that_are_missing() {
        let accepted = Accepted {
            extensions: vec![Extension::PartialReliability],
            ..Accepted::default()
        };
        let check = extensions(&accepted);
        assert!(
            check.saw.starts_with("partial reliability; "),
            "{}",
            check.saw
        );
        assert!(check.means.contains("interleaving"), "{}", check.means);
    }
}
