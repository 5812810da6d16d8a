//! Changes of the host's addresses (`SCTP_AUTO_ASCONF`, RFC 6458 §8.1.23).

use core::net::IpAddr;

use sheave_engine::Time;

use super::Stack;
use crate::{AssocId32, SocketId};

impl Stack {
    /// Takes the address for which the last `bind` failed. A host that has this address may
    /// [add](Self::add_named_address) it and retry.
    pub fn take_missing_address(&mut self) -> Option<IpAddr> {
        self.missing.take()
    }

    /// Adds an address for explicitly bound sockets only, such as one of 127.0.0.0/8; wildcard
    /// sockets do not use it.
    pub fn add_named_address(&mut self, ip: IpAddr) {
        let ip = ip.to_canonical();
        if self.add_address(ip) {
            self.named.push(ip);
        }
    }

    /// Adds an address; returns whether it is new.
    pub fn add_address(&mut self, ip: IpAddr) -> bool {
        let is_new = !self.endpoint.local_addresses().contains(&ip);
        if is_new {
            self.endpoint.add_local_address(ip);
        }
        is_new
    }

    /// Removes an address; no packet leaves from it any more.
    pub fn remove_address(&mut self, ip: IpAddr) {
        self.endpoint.remove_local_address(ip);
    }

    /// Replaces the addresses of the host. New associations of wildcard sockets use the new list.
    /// Existing associations of sockets with `SCTP_AUTO_ASCONF` announce the changes to peers that
    /// support RFC 5061. The last address stays.
    pub fn set_local_addresses(&mut self, now: Time, addresses: &[IpAddr]) {
        let before = self.endpoint.local_addresses().to_vec();
        let gained: Vec<IpAddr> = addresses.iter().map(IpAddr::to_canonical).collect();
        let named = &self.named;
        let gone = |ip: &IpAddr| !gained.contains(ip) && !named.contains(ip);
        for ip in &gained {
            self.endpoint.add_local_address(*ip);
        }
        for ip in before.iter().copied().filter(gone) {
            self.endpoint.remove_local_address(ip);
        }
        if before == self.endpoint.local_addresses() {
            return;
        }
        let gained: Vec<IpAddr> = gained
            .into_iter()
            .filter(|ip| !before.contains(ip))
            .collect();
        for (id, automatic) in self.sockets_of_all_addresses() {
            // For an IPv4-only socket, the engine has an explicit list of addresses. The port stays
            // reserved, so this cannot fail.
            let _ = self.listen_anew(id);
            for number in automatic {
                self.follow_addresses(now, number, &gained);
            }
        }
        self.digest(now);
    }

    /// Wildcard sockets, each with the associations that follow address changes.
    fn sockets_of_all_addresses(&self) -> Vec<(SocketId, Vec<AssocId32>)> {
        let sockets = self.sockets.iter().filter(|(_, socket)| {
            let binding = socket.binding.as_ref();
            binding.is_some_and(|binding| binding.addresses.is_empty())
        });
        let concerned = sockets.map(|(id, socket)| match socket.own.auto_asconf {
            0 => (*id, Vec::new()),
            _ => (*id, socket.assocs.iter().copied().collect()),
        });
        concerned.collect()
    }

    /// Announces the usable new addresses and the lost ones to the peer of an association.
    fn follow_addresses(&mut self, now: Time, number: AssocId32, gained: &[IpAddr]) {
        let Some(association) = self.assocs.get(&number) else {
            return;
        };
        let owner = association.owner.and_then(|id| self.sockets.get(&id));
        let peers = self.endpoint.paths_of(association.engine);
        let reaches = |ip: &IpAddr| {
            let fits = |peer: &IpAddr| {
                (peer.is_ipv4(), peer.is_loopback()) == (ip.is_ipv4(), ip.is_loopback())
            };
            owner.is_some_and(|socket| socket.takes(ip))
                && peers.iter().any(|path| fits(&path.remote))
        };
        let added: Vec<IpAddr> = gained.iter().copied().filter(reaches).collect();
        let owned = self.endpoint.local_addresses().to_vec();
        let Some(mut assoc) = self.endpoint.assoc(association.engine) else {
            return;
        };
        // Fails without RFC 5061; the peer then does not learn the address.
        for ip in added {
            let _ = assoc.add_address(now, ip);
        }
        for ip in assoc.local_addresses() {
            if !owned.contains(&ip) {
                let _ = assoc.delete_address(now, ip);
            }
        }
    }
}
