//! Two endpoints with key managers, over a network in memory.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use sheave_engine::{
    Assoc, AssocId, CloseReason, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, Message,
    Node, Options, PeerAddress, ProtectionChange, SendOptions, Time,
};
use sheave_secure::{Fault, PreShared, Tls};

const PORT: u16 = 5000;

/// A key manager of either kind.
pub(crate) trait Manager {
    fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Fault>;

    /// The association has begun to be set up from here.
    fn resume(&mut self, _: Time, _: &mut Assoc<'_>) {}

    /// The association has ended.
    fn forget(&mut self) {}

    /// The fault known before the association ends.
    fn fault(&self) -> Option<Fault>;
}

impl Manager for PreShared {
    fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Fault> {
        self.handle_event(now, assoc, event)
    }

    fn fault(&self) -> Option<Fault> {
        None
    }
}

impl Manager for Tls {
    fn handle_event(
        &mut self,
        now: Time,
        assoc: &mut Assoc<'_>,
        event: &Event,
    ) -> Result<(), Fault> {
        self.handle_event(now, assoc, event)
    }

    fn resume(&mut self, now: Time, assoc: &mut Assoc<'_>) {
        self.resume(now, assoc);
    }

    fn forget(&mut self) {
        self.forget();
    }

    fn fault(&self) -> Option<Fault> {
        self.fault().cloned()
    }
}

pub(crate) struct Host<M: Manager> {
    pub(crate) endpoint: Endpoint,
    pub(crate) manager: M,
    pub(crate) assoc: Option<AssocId>,
    pub(crate) enforced: bool,
    /// Restarts of the association by its peer.
    pub(crate) restarts: usize,
    pub(crate) failure: Option<Fault>,
    pub(crate) closed: Option<CloseReason>,
    pub(crate) received: Vec<Message>,
}

impl<M: Manager> Host<M> {
    fn new(place: usize, seed: u8, manager: M, paths: usize) -> Self {
        let addresses = (0..paths).map(|path| address(place, path)).collect();
        Self {
            endpoint: Endpoint::new(addresses, EndpointOptions::default(), [seed; 32]),
            manager,
            assoc: None,
            enforced: false,
            restarts: 0,
            failure: None,
            closed: None,
            received: Vec::new(),
        }
    }
}

/// Host 0 connects to host 1.
pub(crate) struct Pair<M: Manager> {
    pub(crate) now: Time,
    pub(crate) hosts: [Host<M>; 2],
    parcels: BTreeMap<(Time, usize), Parcel>,
    paths: usize,
    /// Every packet that was sent, and by whom.
    pub(crate) sent: Vec<(usize, Vec<u8>)>,
    /// The number of packets of which one is lost.
    pub(crate) lost: usize,
    /// The path that is cut.
    pub(crate) cut: Option<usize>,
    /// A change of packets between the hosts.
    pub(crate) meddle: fn(&mut Vec<u8>),
}

struct Parcel {
    to: usize,
    local: IpAddr,
    remote: IpAddr,
    packet: Vec<u8>,
}

/// Address of a host on a path.
fn address(host: usize, path: usize) -> IpAddr {
    Ipv4Addr::new(10, path as u8, 0, host as u8 + 1).into()
}

impl<M: Manager> Pair<M> {
    /// Two hosts with so many paths between them.
    pub(crate) fn new(managers: [M; 2], options: &Options, paths: usize) -> Self {
        let mut place = 0;
        let hosts = managers.map(|manager| {
            place += 1;
            Host::new(place - 1, place as u8, manager, paths)
        });
        let mut pair = Self {
            now: Time::ZERO,
            hosts,
            paths,
            parcels: BTreeMap::new(),
            sent: Vec::new(),
            lost: usize::MAX,
            cut: None,
            meddle: |_| (),
        };
        pair.listen(options);
        pair.connect(options.clone());
        pair
    }

    pub(crate) fn listen(&mut self, options: &Options) {
        let listening = self.hosts[1].endpoint.listen(PORT, options.clone());
        listening.expect("a free port");
    }

    /// A host loses all of its state, and has a new manager.
    pub(crate) fn crash(&mut self, place: usize, manager: M) {
        let seed = self.sent.len() as u8;
        self.hosts[place] = Host::new(place, seed, manager, self.paths);
    }

    pub(crate) fn connect(&mut self, options: Options) {
        let remote = (0..self.paths).map(|path| PeerAddress::native(address(1, path)));
        let connect = Connect {
            local_port: Some(PORT),
            local: Vec::new(),
            remote_port: PORT,
            remote: remote.collect(),
            options,
        };
        let begun = self.hosts[0].endpoint.connect(self.now, connect);
        self.hosts[0].assoc = Some(begun.expect("an association"));
        self.act(0, Manager::resume);
    }

    /// Connects with other options than the listener's, in place of the association that is not
    /// established yet.
    pub(crate) fn reconnect(&mut self, options: Options) {
        let host = &mut self.hosts[0];
        let id = host.assoc.take().expect("an association");
        if let Some(assoc) = host.endpoint.assoc(id) {
            assoc.abort(self.now, "again".into());
        }
        while host.endpoint.poll_event().is_some() {}
        self.connect(options);
    }

    /// Loses one of so many packets.
    pub(crate) fn losing(mut self, lost: usize) -> Self {
        self.lost = lost;
        self
    }

    /// Runs `act` on the association of a host.
    pub(crate) fn act<R>(
        &mut self,
        place: usize,
        act: impl FnOnce(&mut M, Time, &mut Assoc<'_>) -> R,
    ) -> R {
        let host = &mut self.hosts[place];
        let id = host.assoc.expect("an association");
        let mut assoc = host.endpoint.assoc(id).expect("an open association");
        act(&mut host.manager, self.now, &mut assoc)
    }

    pub(crate) fn send(&mut self, from: usize, message: &Message) -> bool {
        self.act(from, |_, now, assoc| {
            let sent = assoc.send(now, message.clone(), SendOptions::default());
            sent.is_ok()
        })
    }

    pub(crate) fn run(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            for place in 0..2 {
                self.serve(place);
                self.collect(place);
            }
            let parcel = self.parcels.first_key_value().map(|((due, _), _)| *due);
            let timers = self.hosts.iter();
            let timers = timers.filter_map(|host| host.endpoint.poll_timeout());
            let Some(next) = timers.chain(parcel).min().filter(|next| *next <= end) else {
                break self.now = end;
            };
            self.now = self.now.max(next);
            while let Some(first) = self.parcels.first_entry() {
                if first.key().0 > self.now {
                    break;
                }
                let parcel = first.remove();
                let datagram = Datagram {
                    local: parcel.local,
                    remote: PeerAddress::native(parcel.remote),
                    ecn: Ecn::NotEct,
                    payload: &parcel.packet,
                };
                let host = &mut self.hosts[parcel.to];
                host.endpoint.handle_datagram(self.now, datagram);
                self.serve(parcel.to);
            }
            for host in &mut self.hosts {
                host.endpoint.handle_timeout(self.now);
            }
        }
    }

    /// Shows the manager of a host what has happened, and aborts if it asks for that.
    fn serve(&mut self, place: usize) {
        let host = &mut self.hosts[place];
        while let Some((id, event)) = host.endpoint.poll_event() {
            host.assoc = Some(id);
            host.enforced |= event == Event::Protection(ProtectionChange::Enforced);
            host.restarts += usize::from(event == Event::Restarted);
            if let Event::Closed { reason, .. } = &event {
                host.manager.forget();
                host.closed = Some(reason.clone());
                host.failure = host.failure.take().or_else(|| host.manager.fault());
            }
            let Some(mut assoc) = host.endpoint.assoc(id) else {
                continue;
            };
            let handled = host.manager.handle_event(self.now, &mut assoc, &event);
            if let Err(failure) = handled {
                assoc.abort(self.now, failure.to_string().into());
                host.failure = Some(failure);
                continue;
            }
            while let Some(read) = assoc.receive(self.now) {
                host.received.push(read.message);
            }
        }
    }

    fn collect(&mut self, place: usize) {
        let mut buffer = Vec::new();
        let host = &mut self.hosts[place];
        while let Some(transmit) = host.endpoint.poll_transmit(self.now, &mut buffer, 8) {
            let segment = transmit.segment_size.unwrap_or(buffer.len());
            for packet in buffer.chunks(segment) {
                let number = self.sent.len();
                self.sent.push((place, packet.to_vec()));
                let path = (0..4).find(|path| address(1 - place, *path) == transmit.remote.ip);
                if number % self.lost != self.lost - 1 && (path.is_none() || path != self.cut) {
                    let due = self.now + Duration::from_millis(10);
                    let mut packet = packet.to_vec();
                    (self.meddle)(&mut packet);
                    let parcel = Parcel {
                        to: 1 - place,
                        local: transmit.remote.ip,
                        remote: transmit.local,
                        packet,
                    };
                    self.parcels.insert((due, number), parcel);
                }
            }
        }
    }
}
