//! Executes the user calls of a plan; refused calls are ignored.

use core::num::NonZeroU16;
use core::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    Acknowledgement, AddressChange, AssocId, Authentication, Delivery, Endpoint, ExportError,
    Heartbeats, KeyId, Phase, Reliability, SendOptions, SharedKey, StreamDirection,
};

use super::fault::Verdict;
use super::features::{scheduler, secret};
use super::host::{Reading, Request};
use super::ledger::{Entry, LARGEST};
use super::net::NETWORKS;
use super::plan::{End, Item};
use super::world::World;

fn direction(value: u32) -> StreamDirection {
    match value & 1 {
        0 => StreamDirection::Outgoing,
        _ => StreamDirection::Incoming,
    }
}

impl World<'_> {
    pub(crate) fn perform(&mut self, item: &Item) -> Verdict {
        let (end, verb) = (item.end, item.verb().name);
        let [_, value, more, ..] = item.args;
        match verb {
            "connect" => {
                if self.hosts[end.index()].engine.stats().associations == 0 {
                    return self.connect(end);
                }
            }
            "send" => self.send(item),
            "spread" => self.spread(item),
            "direct" => self.send_directed(item),
            "read" => {
                self.hosts[end.index()].reading = match value {
                    0 => Reading::Eager,
                    1 => Reading::Stopped,
                    _ => Reading::Slow,
                };
            }
            "resize" => self.resize(end, [value, more]),
            "restart" => return self.restart(end, value),
            "handover" => self.hand_over(end),
            "wrap" => return self.wrap(value),
            "rebind" => {
                let [host, peer] = &mut self.hosts;
                // The initiator is behind the NAT.
                if host.udp.is_some() && end == End::A {
                    host.udp = Some(9900 + (value % 100) as u16);
                    host.deeds.rebinds += 1;
                    peer.peer_is_hidden = host.options.heartbeats == Heartbeats::Off;
                }
            }
            "shutdown" | "abort" => self.close(end, verb),
            "reset" | "reset_tsns" | "add_streams" => self.reconfigure(end, verb, (value, more)),
            "add_address" | "delete_address" | "set_peer_primary" => {
                self.change_address(end, verb, value as usize % NETWORKS);
            }
            "insert_key" | "activate_key" | "deactivate_key" | "delete_key" => {
                self.change_key(end, verb, value % 4);
            }
            "rekey" => {
                let host = &mut self.hosts[end.index()];
                if let Some(mut assoc) = host.current.and_then(|id| host.engine.assoc(id)) {
                    return host.manager.rekey(self.now, &mut assoc, value != 0);
                }
            }
            "set_primary" | "heartbeat" | "set_scheduler" | "set_priority" | "set_weight" => {
                self.adjust(end, verb, (value, more));
            }
            _ => return self.meddle(item),
        }
        Ok(())
    }

    fn send(&mut self, item: &Item) {
        let [_, count, stream, bytes, flags, policy, limit] = item.args;
        let delivery = match flags & 1 {
            0 => Delivery::Ordered,
            _ => Delivery::Unordered,
        };
        let acknowledgement = match flags & 2 {
            0 => Acknowledgement::Delayed,
            _ => Acknowledgement::Immediate,
        };
        let reliability = match policy {
            1 => Reliability::Timed(Duration::from_millis(limit.into())),
            2 => Reliability::Retransmissions(limit as u8),
            3 => Reliability::Priority(limit),
            _ => Reliability::Reliable,
        };
        let options = SendOptions {
            context: 0,
            acknowledgement,
            reliability,
            key: (flags >> 2).checked_sub(1).map(|key| KeyId(key as u16)),
            ..SendOptions::default()
        };
        for _ in 0..count.min(1000) {
            self.queue(item.end, (stream, bytes), delivery, options);
        }
    }

    /// Sends a message on each of several streams.
    fn spread(&mut self, item: &Item) {
        let [_, streams, bytes, unordered, ..] = item.args;
        let delivery = match unordered {
            0 => Delivery::Ordered,
            _ => Delivery::Unordered,
        };
        for stream in 0..streams.min(u16::MAX.into()) {
            self.queue(item.end, (stream, bytes), delivery, SendOptions::default());
        }
    }

    /// Records a message, and sends it once there is room.
    pub(crate) fn queue(
        &mut self,
        end: End,
        (stream, bytes): (u32, u32),
        delivery: Delivery,
        options: SendOptions,
    ) {
        let host = &mut self.hosts[end.index()];
        let number = self.ledgers[end.index()].add(Entry {
            stream: stream as u16,
            len: (bytes as usize).clamp(4, LARGEST),
            delivery,
            reliability: options.reliability,
            accepted: false,
            delivered: false,
            told: None,
            life: host.life,
        });
        let context = number as u64;
        host.queue(number, SendOptions { context, ..options });
    }

    /// Sends messages to an address chosen by the user.
    fn send_directed(&mut self, item: &Item) {
        let [_, count, stream, bytes, network, ..] = item.args;
        let network = network as usize % NETWORKS;
        let options = SendOptions {
            destination: Some(self.net.address(item.end.other(), network)),
            ..SendOptions::default()
        };
        for _ in 0..count.min(1000) {
            self.queue(item.end, (stream, bytes), Delivery::Ordered, options);
        }
    }

    /// Restarts an end without state; it may reconnect.
    fn restart(&mut self, end: End, connects: u32) -> Verdict {
        // The peer would continue with a key unknown to the restarted end.
        let other = &self.hosts[end.other().index()];
        if other.active_key > 1 {
            return Ok(());
        }
        self.hosts[end.index()].reboot(&mut self.net);
        self.windows.forget(end);
        self.ledgers[end.other().index()].forget_reader();
        match connects {
            0 => Ok(()),
            _ => self.connect(end),
        }
    }

    /// Hands the association over to another engine.
    fn hand_over(&mut self, end: End) {
        if !self.may_move(end) {
            return;
        }
        let Some(id) = self.hosts[end.index()].current else {
            return;
        };
        if let Ok(bytes) = self.export(end, id) {
            self.import(end, &bytes);
        }
    }

    /// Exports an end's association; a new engine takes the place of the old one.
    pub(crate) fn export(&mut self, end: End, id: AssocId) -> Result<Vec<u8>, ExportError> {
        let mut old: Endpoint = self.hosts[end.index()].replace(&mut self.net);
        old.export(id)
    }

    /// Whether an end's association may move to another engine.
    pub(crate) fn may_move(&mut self, end: End) -> bool {
        let is_peer_up = self.hosts[end.other().index()].is_up();
        let host = &mut self.hosts[end.index()];
        let Some(id) = host.current else { return false };
        // Another engine does not answer an authenticated COOKIE ECHO; early data does not show
        // whether the peer has our COOKIE ACK.
        let is_answered = is_peer_up || host.options.authentication == Authentication::Off;
        is_answered
            && host.engine.stats().associations == 1
            && host.request.is_none()
            && host.changes.is_empty()
            && host.established > 0
            && (host.engine.assoc(id)).is_some_and(|assoc| assoc.handover_obstacles().is_empty())
    }

    /// Resumes an end's exported association in its new engine.
    pub(crate) fn import(&mut self, end: End, bytes: &[u8]) {
        let host = &mut self.hosts[end.index()];
        host.deeds.handovers += 1;
        let options = host.options.clone();
        host.current = host.engine.import(self.now, bytes, options).ok();
        if host.current.is_none() {
            host.deeds.reboots += 1;
        }
        self.ledgers[end.other().index()].forget_reader();
    }

    fn close(&mut self, end: End, verb: &str) {
        let now = self.now;
        let peer_key = self.hosts[end.other().index()].active_key;
        let host = &mut self.hosts[end.index()];
        let Some(mut assoc) = host.current.and_then(|id| host.engine.assoc(id)) else {
            return;
        };
        // A cookie from the peer would restore the association, but not its sending key.
        if assoc.phase() < Phase::Established && peer_key > 1 {
            return;
        }
        if verb == "shutdown" {
            host.deeds.shutdowns += 1;
            let _ = assoc.shutdown(now);
        } else {
            host.deeds.aborts += 1;
            assoc.abort(now, bytes::Bytes::from_static(b"as planned"));
        }
    }

    fn reconfigure(&mut self, end: End, verb: &str, (value, more): (u32, u32)) {
        let now = self.now;
        let host = &mut self.hosts[end.index()];
        let Some(mut assoc) = host.assoc() else {
            return;
        };
        let (outcome, request) = match verb {
            "reset" => {
                let streams = (0..16).filter(|id| value >> id & 1 != 0).map(StreamId);
                let streams: Vec<StreamId> = streams.collect();
                let direction = direction(more);
                let outcome = assoc.reset_streams(now, &streams, direction);
                (outcome, Request::Reset(direction))
            }
            "reset_tsns" => (assoc.reset_tsns(now), Request::Tsns),
            _ => {
                let outcome = assoc.add_streams(now, value as u16, direction(more));
                (outcome, Request::Streams)
            }
        };
        if outcome.is_ok() {
            host.request = Some(request);
        }
    }

    fn change_address(&mut self, end: End, verb: &str, network: usize) {
        let now = self.now;
        let host = &mut self.hosts[end.index()];
        let ip = self.net.address(end, network);
        let change = match verb {
            "add_address" => {
                host.own(&self.net, network);
                AddressChange::Add(ip)
            }
            "delete_address" => AddressChange::Delete(ip),
            _ => AddressChange::SetPrimary(ip),
        };
        let Some(mut assoc) = host.assoc() else {
            return;
        };
        let outcome = match change {
            AddressChange::Add(ip) => assoc.add_address(now, ip),
            AddressChange::Delete(ip) => assoc.delete_address(now, ip),
            AddressChange::SetPrimary(ip) => assoc.set_peer_primary(now, ip),
        };
        if outcome.is_ok() {
            host.changes.push(change);
        }
    }

    /// Adds or removes a key at both ends at once; each end chooses its active key.
    fn change_key(&mut self, end: End, verb: &str, key: u32) {
        let now = self.now;
        let id = KeyId(key as u16);
        let active = self.hosts.each_ref().map(|host| host.active_key);
        // A later association has the keys of the options and may use them.
        let both_have_begun = self.hosts.iter_mut().all(|host| host.assoc().is_some());
        let everywhere = self.hosts.iter().all(|host| host.keys.contains(&key));
        // A restarted end has the keys of the options; the peer may keep using its own.
        let restarts = self.plan.has(&["restart", "connect"]);
        let ends: &[End] = match verb {
            _ if restarts && verb != "activate_key" => &[],
            "insert_key" if !everywhere => &End::BOTH,
            "delete_key" if both_have_begun && !active.contains(&key) => &End::BOTH,
            "activate_key" if everywhere => &[end],
            "deactivate_key" if !active.contains(&key) => &[end],
            _ => &[],
        };
        for end in ends {
            let host = &mut self.hosts[end.index()];
            let Some(mut assoc) = host.assoc() else {
                continue;
            };
            match verb {
                "insert_key" => {
                    if assoc.insert_key(SharedKey::new(id, secret(key))).is_ok() {
                        host.keys.push(key);
                    }
                }
                "activate_key" => {
                    if assoc.activate_key(id).is_ok() {
                        host.active_key = key;
                    }
                }
                "deactivate_key" => {
                    if assoc.deactivate_key(now, id).is_ok() {
                        host.leaving_keys.push(id);
                    }
                }
                _ => {
                    if assoc.delete_key(id).is_ok() {
                        host.keys.retain(|other| *other != key);
                        host.leaving_keys.retain(|leaving| *leaving != id);
                    } else {
                        return self.bring_back_key(key);
                    }
                }
            }
        }
    }

    /// Restores a key that one end still needs.
    fn bring_back_key(&mut self, key: u32) {
        for host in self
            .hosts
            .iter_mut()
            .filter(|host| !host.keys.contains(&key))
        {
            let key = SharedKey::new(KeyId(key as u16), secret(key));
            if (host.assoc()).is_some_and(|mut assoc| assoc.insert_key(key.clone()).is_ok()) {
                host.keys.push(key.id().0.into());
            }
        }
    }

    /// Resizes the buffers of the current association.
    fn resize(&mut self, end: End, [send, receive]: [u32; 2]) {
        let host = &mut self.hosts[end.index()];
        let Some(mut assoc) = host.assoc() else {
            return;
        };
        let mut options = assoc.options().clone();
        if send > 0 {
            options.send_buffer = send as usize;
        }
        if receive > 0 {
            options.receive_buffer = receive as usize;
            let parts = options.partial_delivery_point;
            options.partial_delivery_point = parts.min(options.receive_buffer / 2);
        }
        if assoc.retune(self.now, &options).is_ok() {
            // The receive buffer can only grow.
            let most = host.options.receive_buffer.max(options.receive_buffer);
            host.options.receive_buffer = most;
        }
    }

    fn adjust(&mut self, end: End, verb: &str, (value, more): (u32, u32)) {
        let now = self.now;
        let remote = self.net.address(end.other(), value as usize % NETWORKS);
        let host = &mut self.hosts[end.index()];
        let Some(mut assoc) = host.assoc() else {
            return;
        };
        let stream = StreamId(value as u16);
        match verb {
            "set_primary" => {
                let _ = assoc.set_primary(remote);
            }
            "heartbeat" => {
                let _ = assoc.request_heartbeat(now, remote);
            }
            "set_scheduler" => assoc.set_stream_scheduler(now, scheduler(value)),
            "set_priority" => {
                let _ = assoc.set_stream_priority(now, stream, more as u16);
            }
            _ => {
                let weight = NonZeroU16::new(more as u16).unwrap_or(NonZeroU16::MIN);
                let _ = assoc.set_stream_weight(now, stream, weight);
            }
        }
    }
}
