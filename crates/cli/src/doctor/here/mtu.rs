//! MTUs of the interfaces.

use std::fs;

use super::number;
use crate::doctor::check::{Check, State};

/// The smallest MTU of a link that carries IPv6 (RFC 8200 §5).
const LEAST: u64 = 1280;

/// An interface and its MTU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkMtu {
    /// The interface's name.
    pub name: String,
    /// Bytes.
    pub mtu: u64,
}

/// The interfaces that are up, without loopback.
pub fn look() -> Vec<LinkMtu> {
    let entries = fs::read_dir("/sys/class/net")
        .into_iter()
        .flatten()
        .flatten();
    let link = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let folder = format!("/sys/class/net/{name}");
        // Flag 1 of `linux/if.h`: the interface is up.
        let flags = fs::read_to_string(format!("{folder}/flags")).ok()?;
        let flags = u64::from_str_radix(flags.trim().trim_start_matches("0x"), 16).ok()?;
        let mtu = number(&format!("{folder}/mtu"))?;
        (flags & 1 != 0 && name != "lo").then_some(LinkMtu { name, mtu })
    };
    let mut links: Vec<LinkMtu> = entries.filter_map(link).collect();
    links.sort_by(|a, b| a.name.cmp(&b.name));
    links
}

/// Reports the MTUs.
pub fn check(links: &[LinkMtu]) -> Check {
    let text = |link: &LinkMtu| format!("{} {}", link.name, link.mtu);
    let saw = links.iter().map(text).collect::<Vec<_>>().join(", ");
    let small = links.iter().filter(|link| link.mtu < LEAST);
    let small: Vec<&str> = small.map(|link| link.name.as_str()).collect();
    if links.is_empty() {
        let means = "Loopback alone is up, or /sys is not visible.";
        return Check::new(State::Unknown, "MTU", "no interface", means);
    }
    match small.first() {
        None => Check::new(
            State::Ok,
            "MTU",
            saw,
            "Path MTUs are found out from there; UDP takes 8 bytes of each packet.",
        ),
        Some(first) => Check::new(
            State::Warn,
            "MTU",
            saw,
            format!(
                "IPv6 needs {LEAST} bytes, and each packet of {} carries little.",
                small.join(", ")
            ),
        )
        .fix(format!(
            "sudo ip link set {first} mtu 1500, if the link takes that"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_too_small_for_ipv6_is_to_be_known_by_name() {
        let link = |name: &str, mtu| LinkMtu {
            name: name.to_owned(),
            mtu,
        };
        let check_of = |mtu| check(&[link("eth0", 1500), link("tun0", mtu)]);
        assert_eq!(check_of(1280).state, State::Ok);
        let small = check_of(1279);
        assert_eq!(small.state, State::Warn);
        assert!(small.fix.unwrap().contains("tun0"));
        assert_eq!(check(&[]).state, State::Unknown);
    }
}
