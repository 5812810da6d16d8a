//! System route look-ups for choosing source addresses.

#[cfg(linux)]
mod netlink;

use std::net::IpAddr;

use sheave_engine::Routes;

/// This machine's routes, queried one at a time. If the system cannot be queried, every address
/// counts as having a route.
#[derive(Debug, Default)]
pub(crate) struct SystemRoutes {
    #[cfg(linux)]
    interfaces: std::sync::Mutex<interfaces::Interfaces>,
}

#[cfg(linux)]
impl Routes for SystemRoutes {
    fn lead(&self, local: IpAddr, remote: IpAddr) -> bool {
        let way_out = match netlink::way_out(local, remote) {
            Ok(Some(way_out)) => way_out,
            Ok(None) => return false,
            Err(_) => return true,
        };
        let known = self.interfaces.lock();
        let mut known = known.unwrap_or_else(std::sync::PoisonError::into_inner);
        way_out.stays_here() || known.has(way_out.interface(), local)
    }
}

/// Elsewhere, the source address of the route is found by connecting a UDP socket.
#[cfg(not(linux))]
impl Routes for SystemRoutes {
    fn lead(&self, local: IpAddr, remote: IpAddr) -> bool {
        let any: IpAddr = match remote {
            IpAddr::V4(_) => std::net::Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
        };
        let asked = std::net::UdpSocket::bind((any, 0)).and_then(|socket| {
            // Any port works; nothing is sent.
            socket.connect((remote, 9))?;
            socket.local_addr()
        });
        asked.is_ok_and(|taken| taken.ip() == local)
    }
}

#[cfg(linux)]
mod interfaces {
    use std::collections::{HashMap, HashSet};
    use std::net::IpAddr;

    /// Addresses by interface index, refreshed when an unknown index or address appears.
    #[derive(Debug, Default)]
    pub(super) struct Interfaces(HashMap<u32, HashSet<IpAddr>>);

    impl Interfaces {
        /// Whether an interface has an address; re-reads the list if it lacks either of them.
        pub(super) fn has(&mut self, interface: u32, ip: IpAddr) -> bool {
            let has = |known: &Self| known.0.get(&interface).is_some_and(|all| all.contains(&ip));
            let is_known = |known: &Self| {
                known.0.contains_key(&interface) && known.0.values().any(|all| all.contains(&ip))
            };
            if !is_known(self) {
                self.read();
            }
            has(self)
        }

        fn read(&mut self) {
            self.0.clear();
            for interface in if_addrs::get_if_addrs().unwrap_or_default() {
                if let Some(number) = interface.index {
                    let addresses = self.0.entry(number).or_default();
                    addresses.insert(interface.ip());
                }
            }
        }
    }
}

#[cfg(all(test, linux))]
mod tests;
