//! The users of the hosts.

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::{
    Assoc, AssocId, AssocStats, Connect, Endpoint, Event, Message, PathState, PathStats, Received,
    ReconfigurationError, SendError, SendOptions, Time,
};

use super::{Host, HostId, Reading, World, address, blob};

impl World {
    pub(crate) fn endpoint(&mut self, host: HostId) -> &mut Endpoint {
        self.hosts[host.0]
            .engine
            .as_mut()
            .expect("a host with an engine")
    }

    /// Replaces a host's engine, as a reboot does.
    pub(crate) fn reboot(&mut self, host: HostId, engine: Endpoint) {
        let host = &mut self.hosts[host.0];
        host.engine = Some(engine);
        host.current = None;
        host.outbox.clear();
    }

    /// The host's current association.
    pub(crate) fn id(&self, host: HostId) -> AssocId {
        self.hosts[host.0].current.expect("an association")
    }

    /// Adds an address to the host.
    pub(crate) fn own(&mut self, host: HostId, ip: IpAddr) {
        self.hosts[host.0].addresses.push(ip);
    }

    pub(crate) fn set_current(&mut self, host: HostId, id: AssocId) {
        self.hosts[host.0].current = Some(id);
    }

    pub(crate) fn is_open(&mut self, host: HostId) -> bool {
        let current = self.hosts[host.0].current;
        current.is_some_and(|id| self.endpoint(host).assoc(id).is_some())
    }

    pub(crate) fn assoc(&mut self, host: HostId) -> Assoc<'_> {
        let id = self.id(host);
        self.endpoint(host)
            .assoc(id)
            .expect("the association lives")
    }

    /// Calls a method of the host's association with the present time.
    pub(crate) fn call<R>(
        &mut self,
        host: HostId,
        call: impl FnOnce(&mut Assoc<'_>, Time) -> R,
    ) -> R {
        let now = self.now;
        call(&mut self.assoc(host), now)
    }

    /// Starts an association and makes it the host's current one.
    #[track_caller]
    pub(crate) fn connect(&mut self, host: HostId, to: Connect) -> AssocId {
        let now = self.now;
        let id = self.endpoint(host).connect(now, to);
        let id = id.expect("an association can be started");
        self.set_current(host, id);
        id
    }

    /// Sends a message as soon as the send buffer has room.
    pub(crate) fn send(&mut self, host: HostId, message: Message) {
        self.send_with(host, message, SendOptions::default());
    }

    /// Sends a message now, if there is room; the world does not run.
    pub(crate) fn offer(&mut self, host: HostId, message: Message) -> Result<(), SendError> {
        self.try_send(host, message, SendOptions::default())
    }

    /// Like [`World::offer`], with options.
    pub(crate) fn try_send(
        &mut self,
        host: HostId,
        message: Message,
        options: SendOptions,
    ) -> Result<(), SendError> {
        self.call(host, |it, now| it.send(now, message, options))
    }

    /// Sends the same message `times` times.
    pub(crate) fn send_times(&mut self, host: HostId, times: usize, message: &Message) {
        for _ in 0..times {
            self.send(host, message.clone());
        }
    }

    /// Sends the same message `times` times, each `gap` before the next.
    pub(crate) fn send_every(
        &mut self,
        host: HostId,
        gap: Duration,
        times: usize,
        message: &Message,
    ) {
        for _ in 0..times {
            self.send(host, message.clone());
            self.run_for(gap);
        }
    }

    /// Sends messages of `len` bytes on `streams` streams in turn.
    pub(crate) fn send_by_turns(&mut self, host: HostId, count: u16, streams: u16, len: usize) {
        for n in 0..count {
            self.send(host, blob(n % streams, len));
        }
    }

    /// Queues all messages before any packet is sent, so that they may share packets.
    pub(crate) fn send_together(&mut self, host: HostId, messages: Vec<Message>) {
        let messages = messages
            .into_iter()
            .map(|message| (message, SendOptions::default()));
        self.hosts[host.0].outbox.extend(messages);
        self.pump();
    }

    pub(crate) fn send_with(&mut self, host: HostId, message: Message, options: SendOptions) {
        self.hosts[host.0].outbox.push_back((message, options));
        self.pump();
    }

    /// Messages that still wait for room in the send buffer.
    pub(crate) fn waiting(&self, host: HostId) -> usize {
        self.hosts[host.0].outbox.len()
    }

    pub(crate) fn set_reading(&mut self, host: HostId, reading: Reading) {
        self.hosts[host.0].reading = reading;
    }

    pub(crate) fn set_udp(&mut self, host: HostId, port: Option<u16>) {
        self.hosts[host.0].udp = port;
    }

    pub(crate) fn read(&mut self, host: HostId) -> Option<Received> {
        let now = self.now;
        self.assoc(host).receive(now)
    }

    pub(crate) fn reset_tsns(&mut self, host: HostId) -> Result<(), ReconfigurationError> {
        let now = self.now;
        self.assoc(host).reset_tsns(now)
    }

    pub(crate) fn shutdown(&mut self, host: HostId) {
        let now = self.now;
        self.assoc(host).shutdown(now).expect("no shutdown yet");
        self.pump();
    }

    pub(crate) fn abort(&mut self, host: HostId, reason: &'static str) {
        let now = self.now;
        self.assoc(host).abort(now, reason.as_bytes().into());
        self.pump();
    }

    pub(crate) fn stats(&mut self, host: HostId) -> AssocStats {
        self.assoc(host).stats()
    }

    pub(crate) fn path(&mut self, host: HostId, remote: IpAddr) -> PathStats {
        let mut paths = self.assoc(host).path_stats().into_iter();
        paths
            .find(|path| path.remote == remote)
            .unwrap_or_else(|| panic!("no path to {remote}"))
    }

    /// Sends a heartbeat now.
    #[track_caller]
    pub(crate) fn heartbeat(&mut self, host: HostId, remote: IpAddr) {
        let asked = self.call(host, |it, now| it.request_heartbeat(now, remote));
        asked.expect("a path");
        self.pump();
    }

    /// The host's view of the path to its peer's first address.
    pub(crate) fn first_path(&mut self, host: HostId) -> PathStats {
        self.path(host, address(host.other(), 1))
    }

    /// The peer's addresses on active paths of a host's association.
    pub(crate) fn active(&mut self, host: HostId) -> Vec<IpAddr> {
        let paths = self.assoc(host).path_stats();
        let active = paths.iter().filter(|path| path.state == PathState::Active);
        active.map(|path| path.remote).collect()
    }

    /// Addresses of the peer, in the order of the host's paths.
    pub(crate) fn remotes(&mut self, host: HostId) -> Vec<IpAddr> {
        let paths = self.assoc(host).path_stats();
        paths.iter().map(|path| path.remote).collect()
    }

    /// Runs the user: takes events, reads, writes.
    pub(super) fn use_host(&mut self, host: HostId) {
        let now = self.now;
        let mut noted = Vec::new();
        let Host {
            engine: Some(engine),
            current,
            reading,
            outbox,
            events,
            received,
            ..
        } = &mut self.hosts[host.0]
        else {
            return;
        };
        while let Some((id, event)) = engine.poll_event() {
            noted.push(format!("{id:?} {event:?}"));
            match &event {
                Event::Established { .. } => *current = Some(id),
                Event::Closed { unread, .. } => {
                    received.extend(unread.iter().map(|part| (now, id, part.clone())));
                }
                _ => {}
            }
            events.push((now, id, event));
        }
        if *reading == Reading::Eager {
            let ids: Vec<AssocId> = engine.associations().collect();
            for id in ids {
                while let Some(part) = engine.assoc(id).and_then(|mut it| it.receive(now)) {
                    received.push((now, id, part));
                }
            }
        }
        while let Some(mut assoc) = current.and_then(|id| engine.assoc(id)) {
            let Some((message, options)) = outbox.pop_front() else {
                break;
            };
            match assoc.send(now, message, options) {
                Ok(()) | Err(SendError::ShuttingDown) => {}
                Err(SendError::BufferFull(message)) => {
                    outbox.push_front((message, options));
                    break;
                }
                Err(error) => panic!("send: {error}"),
            }
        }
        for line in noted {
            self.mix(line.as_bytes());
        }
    }
}
