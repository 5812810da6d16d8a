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
            self.transport.named.push(ip);
        }
    }

    /// Adds an address; returns whether it is new.
    pub fn add_address(&mut self, ip: IpAddr) -> bool {
        let is_new = !self.transport.endpoint.local_addresses().contains(&ip);
        if is_new {
            self.transport.endpoint.add_local_address(ip);
        }
        is_new
    }

    /// Removes an address; no packet leaves from it any more.
    pub fn remove_address(&mut self, ip: IpAddr) {
        self.transport.endpoint.remove_local_address(ip);
    }

    /// Replaces the addresses of the host. New associations of wildcard sockets use the new list.
    /// Existing associations of sockets with `SCTP_AUTO_ASCONF` announce the changes to peers that
    /// support RFC 5061. The last address stays.
    pub fn set_local_addresses(&mut self, now: Time, addresses: &[IpAddr]) {
        let before = self.transport.endpoint.local_addresses().to_vec();
        let gained: Vec<IpAddr> = addresses.iter().map(IpAddr::to_canonical).collect();
        let named = &self.transport.named;
        let gone = |ip: &IpAddr| !gained.contains(ip) && !named.contains(ip);
        for ip in &gained {
            self.transport.endpoint.add_local_address(*ip);
        }
        for ip in before.iter().copied().filter(gone) {
            self.transport.endpoint.remove_local_address(ip);
        }
        if before == self.transport.endpoint.local_addresses() {
            return;
        }
        let gained: Vec<IpAddr> = gained
            .into_iter()
            .filter(|ip| !before.contains(ip))
            .collect();
        let wildcards = (self.sockets.all()).filter(|(_, socket)| socket.is_bound_to_all());
        let wildcards: Vec<SocketId> = wildcards.map(|(id, _)| id).collect();
        for id in wildcards {
            // For an IPv4-only socket, the engine has an explicit list of addresses. The port stays
            // reserved, so this cannot fail.
            let _ = self.listen_anew(id);
            let socket = self.sockets.find(id);
            let automatic = socket.iter().filter(|socket| socket.own.auto_asconf != 0);
            let automatic: Vec<AssocId32> = automatic
                .flat_map(|socket| socket.assocs.iter().copied())
                .collect();
            for number in automatic {
                if let Some(mut attached) = self.attached(number) {
                    attached.follow_addresses(now, &gained);
                }
            }
        }
        self.digest(now);
    }
}
