//! Local addresses that peers learn, and those that peers cannot reach.

use std::net::IpAddr;

use crate::doctor::check::{Check, State};

/// Name prefixes of interfaces for local containers and virtual machines.
const INTERNAL: [&str; 11] = [
    "docker", "br-", "virbr", "veth", "cni", "flannel", "lxcbr", "lxdbr", "podman", "cali", "vnet",
];

/// An address of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The interface's name.
    pub name: String,
    /// The address.
    pub ip: IpAddr,
}

/// The peers that can reach an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Peers on other machines may reach the address.
    Others,
    /// Only this machine.
    Loopback,
    /// Link-local: only valid with its interface, and never announced.
    LinkLocal,
    /// Only containers or virtual machines of this machine.
    Internal,
}

impl Interface {
    /// Every address of this machine.
    pub fn all() -> Vec<Self> {
        let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
        let one = |interface: if_addrs::Interface| Self {
            ip: interface.ip(),
            name: interface.name,
        };
        interfaces.into_iter().map(one).collect()
    }

    /// The peers that can reach the address.
    pub fn reach(&self) -> Reach {
        let link_local = match self.ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_unicast_link_local(),
        };
        if self.ip.is_loopback() {
            Reach::Loopback
        } else if link_local {
            Reach::LinkLocal
        } else if INTERNAL.iter().any(|name| self.name.starts_with(name)) {
            Reach::Internal
        } else {
            Reach::Others
        }
    }
}

/// Reports the addresses.
pub fn check(interfaces: &[Interface]) -> Check {
    let name = "Addresses";
    let of = |reach| {
        let found = interfaces.iter().filter(move |one| one.reach() == reach);
        found.map(|one| (one.ip.to_string(), format!("{} ({})", one.ip, one.name)))
    };
    let (good, shown): (Vec<String>, Vec<String>) = of(Reach::Others).unzip();
    let (_, leaking): (Vec<String>, Vec<String>) = of(Reach::Internal).unzip();
    let link_local = of(Reach::LinkLocal).count();
    let quiet = match link_local {
        0 => String::new(),
        count => format!("; {count} link-local ones are kept back"),
    };
    match (shown.as_slice(), leaking.as_slice()) {
        ([], []) => Check::new(
            State::Warn,
            name,
            format!("loopback alone{quiet}"),
            "No other machine can be reached.",
        )
        .fix("ip addr, and bring an interface up"),
        (shown, []) => Check::new(
            State::Ok,
            name,
            format!("{}{quiet}", shown.join(", ")),
            "Peers are told all of them; each is a path.",
        ),
        (shown, leaking) => {
            let saw = format!(
                "{}; internal: {}{quiet}",
                shown.join(", "),
                leaking.join(", ")
            );
            let means = "Peers are told the internal addresses, too, and try them: other machines \
                         cannot reach them, or reach another machine there.";
            let check = Check::new(State::Warn, name, saw, means);
            match good.is_empty() {
                true => check.fix("choose with --local ADDR"),
                false => check.fix(format!("add --local {}", good.join(","))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(name: &str, ip: &str) -> Interface {
        Interface {
            name: name.to_owned(),
            ip: ip.parse().unwrap(),
        }
    }

    #[test]
    fn bridges_of_containers_leak_and_link_local_addresses_do_not() {
        let interfaces = [
            interface("lo", "127.0.0.1"),
            interface("eth0", "192.0.2.7"),
            interface("eth0", "fe80::1"),
            interface("eth1", "2001:db8::7"),
            interface("docker0", "172.17.0.1"),
        ];
        let check = check(&interfaces);
        assert_eq!(check.state, State::Warn);
        assert_eq!(
            check.saw,
            "192.0.2.7 (eth0), 2001:db8::7 (eth1); internal: 172.17.0.1 (docker0); 1 link-local \
             ones are kept back"
        );
        assert_eq!(
            check.fix.as_deref(),
            Some("add --local 192.0.2.7,2001:db8::7")
        );
    }

    #[test]
    fn addresses_that_lead_to_peers_are_well() {
        let interfaces = [interface("lo", "::1"), interface("eth0", "192.0.2.7")];
        assert_eq!(check(&interfaces).state, State::Ok);
    }

    #[test]
    fn loopback_alone_reaches_nobody() {
        assert_eq!(check(&[interface("lo", "127.0.0.1")]).state, State::Warn);
    }
}
