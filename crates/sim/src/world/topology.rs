use core::fmt;
use core::net::IpAddr;
use std::collections::{BTreeMap, VecDeque};

use crate::Protocol;
use crate::world::AgentId;

/// Index of a host in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub(crate) usize);

/// Index of a router in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouterId(pub(crate) usize);

/// Index of an interface in its world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId(pub(crate) usize);

/// Index of a link in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) usize);

/// Start or end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Port {
    /// At an interface of a host.
    Interface(InterfaceId),
    /// At a router.
    Router(RouterId),
}

impl From<InterfaceId> for Port {
    fn from(interface: InterfaceId) -> Self {
        Self::Interface(interface)
    }
}

impl From<RouterId> for Port {
    fn from(router: RouterId) -> Self {
        Self::Router(router)
    }
}

/// The reason why a topology is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologyError {
    /// Another interface already has that address.
    AddressTaken(IpAddr),
    /// Another link already has that label.
    LabelTaken(String),
    /// The interface with that address already has an outgoing link, the most allowed.
    InterfaceTaken(IpAddr),
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddressTaken(address) => write!(f, "two interfaces have the address {address}"),
            Self::LabelTaken(label) => write!(f, "two links are called {label}"),
            Self::InterfaceTaken(address) => {
                write!(f, "two links lead away from the interface {address}")
            }
        }
    }
}

impl std::error::Error for TopologyError {}

#[derive(Debug)]
struct Interface {
    address: IpAddr,
    host: HostId,
    out: Option<LinkId>,
}

#[derive(Debug)]
struct Host {
    label: String,
    agents: Vec<(Protocol, AgentId)>,
}

#[derive(Debug)]
struct Router {
    label: String,
    /// Routes set by the user.
    fixed: BTreeMap<InterfaceId, LinkId>,
    /// Outgoing link towards each interface of the world.
    routes: Vec<Option<LinkId>>,
}

/// Whether the routes match the current topology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Routes {
    #[default]
    Complete,
    Outdated,
}

/// The hosts, routers and links, and the routes between them.
#[derive(Debug, Default)]
pub(super) struct Topology {
    interfaces: Vec<Interface>,
    by_address: BTreeMap<IpAddr, InterfaceId>,
    hosts: Vec<Host>,
    routers: Vec<Router>,
    links: Vec<(Port, Port)>,
    routes: Routes,
    /// The interface for all unknown addresses.
    elsewhere: Option<InterfaceId>,
}

impl Topology {
    pub(super) fn add_host(
        &mut self,
        label: &str,
        addresses: &[IpAddr],
    ) -> Result<HostId, TopologyError> {
        let host = HostId(self.hosts.len());
        let mut taken = (0..addresses.len()).filter(|at| {
            self.find(addresses[*at]).is_some() || addresses[..*at].contains(&addresses[*at])
        });
        if let Some(at) = taken.next() {
            return Err(TopologyError::AddressTaken(addresses[at]));
        }
        for address in addresses {
            let interface = InterfaceId(self.interfaces.len());
            self.by_address.insert(*address, interface);
            self.interfaces.push(Interface {
                address: *address,
                host,
                out: None,
            });
        }
        self.hosts.push(Host {
            label: label.to_owned(),
            agents: Vec::new(),
        });
        self.routes = Routes::Outdated;
        Ok(host)
    }

    pub(super) fn add_router(&mut self, label: &str) -> RouterId {
        self.routers.push(Router {
            label: label.to_owned(),
            fixed: BTreeMap::new(),
            routes: Vec::new(),
        });
        self.routes = Routes::Outdated;
        RouterId(self.routers.len() - 1)
    }

    pub(super) fn add_link(&mut self, from: Port, to: Port) -> Result<LinkId, TopologyError> {
        let link = LinkId(self.links.len());
        if let Port::Interface(InterfaceId(at)) = from {
            let interface = &mut self.interfaces[at];
            if interface.out.is_some() {
                return Err(TopologyError::InterfaceTaken(interface.address));
            }
            interface.out = Some(link);
        }
        self.links.push((from, to));
        self.routes = Routes::Outdated;
        Ok(link)
    }

    pub(super) fn add_agent(&mut self, host: HostId, protocol: Protocol, agent: AgentId) {
        self.hosts[host.0].agents.push((protocol, agent));
    }

    pub(super) fn set_route(&mut self, router: RouterId, to: InterfaceId, link: LinkId) {
        let router = &mut self.routers[router.0];
        router.fixed.insert(to, link);
        self.routes = Routes::Outdated;
    }

    pub(super) fn host_label(&self, host: HostId) -> &str {
        &self.hosts[host.0].label
    }

    pub(super) fn router_label(&self, router: RouterId) -> &str {
        &self.routers[router.0].label
    }

    pub(super) fn find(&self, address: IpAddr) -> Option<InterfaceId> {
        self.by_address.get(&address).copied()
    }

    pub(super) const fn set_elsewhere(&mut self, interface: InterfaceId) {
        self.elsewhere = Some(interface);
    }

    /// The interface with that address, or the one for unknown addresses.
    pub(super) fn resolve(&self, address: IpAddr) -> Option<InterfaceId> {
        self.find(address).or(self.elsewhere)
    }

    /// The agents on the interface's host, with their protocols.
    pub(super) fn agents(&self, at: InterfaceId) -> &[(Protocol, AgentId)] {
        let host = self.interfaces[at.0].host;
        &self.hosts[host.0].agents
    }

    /// The start of a link.
    pub(super) fn start(&self, link: LinkId) -> Port {
        self.links[link.0].0
    }

    /// The outgoing link for packets with this source, and their destination interface.
    pub(super) fn way(
        &self,
        host: HostId,
        source: IpAddr,
        destination: IpAddr,
    ) -> Option<(LinkId, InterfaceId)> {
        let from = &self.interfaces[self.resolve(source)?.0];
        let to = self.resolve(destination)?;
        (from.host == host).then_some((from.out?, to))
    }

    /// The outgoing link of an interface.
    pub(super) fn out(&self, interface: InterfaceId) -> Option<LinkId> {
        self.interfaces[interface.0].out
    }

    /// The link that a router uses for packets to that interface.
    pub(super) fn route(&self, router: RouterId, to: InterfaceId) -> Option<LinkId> {
        let routes = &self.routers[router.0].routes;
        routes.get(to.0).copied().flatten()
    }

    /// Recomputes the routes if the topology has changed.
    #[inline]
    pub(super) fn complete(&mut self) {
        if self.routes == Routes::Outdated {
            self.find_all_routes();
        }
    }

    fn find_all_routes(&mut self) {
        self.routes = Routes::Complete;
        for router in &mut self.routers {
            router.routes = vec![None; self.interfaces.len()];
        }
        for to in 0..self.interfaces.len() {
            self.find_routes(InterfaceId(to));
        }
        for router in &mut self.routers {
            for (to, link) in &router.fixed {
                router.routes[to.0] = Some(*link);
            }
        }
    }

    /// Searches backwards from the destination, breadth first, with links in the order of addition.
    fn find_routes(&mut self, to: InterfaceId) {
        let mut reached = VecDeque::from([Port::Interface(to)]);
        while let Some(port) = reached.pop_front() {
            for (at, (from, end)) in self.links.iter().enumerate() {
                let Port::Router(RouterId(router)) = *from else {
                    continue;
                };
                let route = &mut self.routers[router].routes[to.0];
                if *end == port && route.is_none() {
                    *route = Some(LinkId(at));
                    reached.push_back(*from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
