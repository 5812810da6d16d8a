//! The agents on the hosts.

use core::any::Any;
use core::net::IpAddr;
use core::time::Duration;

use super::{HostId, InterfaceId, LinkId, World};
use crate::agent::Progress;
use crate::events::{Event, EventKey};
use crate::{Agent, Protocol};

/// Index of an agent in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId(pub(super) usize);

/// An agent with the world's state about it.
pub(super) struct AgentSlot {
    pub(super) agent: Box<dyn Agent>,
    host: HostId,
    protocol: Protocol,
    progress: Progress,
    /// The scheduled call of the agent. It may be early but never late, so postponing a deadline
    /// costs nothing.
    timer: Option<EventKey>,
    way: Option<Way>,
}

/// Route of the last packet, cached because most packets take the same one.
#[derive(Clone, Copy)]
struct Way {
    source: IpAddr,
    destination: IpAddr,
    link: LinkId,
    to: InterfaceId,
}

impl World {
    /// Adds an agent to a host. The world polls it for packets and its deadline when the run
    /// continues.
    pub fn add_agent(&mut self, host: HostId, agent: Box<dyn Agent>) -> AgentId {
        let id = AgentId(self.agents.len());
        let protocol = agent.protocol();
        let progress = agent.progress();
        self.topology.add_agent(host, protocol, id);
        self.note_progress(Progress::Endless, progress);
        self.agents.push(AgentSlot {
            agent,
            host,
            protocol,
            progress,
            timer: None,
            way: None,
        });
        self.wake(id);
        id
    }

    /// The agent with that id; `None` if it is not a `T`.
    pub fn agent<T: Agent>(&self, id: AgentId) -> Option<&T> {
        let agent: &dyn Any = &*self.agents.get(id.0)?.agent;
        agent.downcast_ref()
    }

    /// Mutable access to the agent with that id; `None` if it is not a `T`. The world polls it for
    /// packets and its deadline when the run continues.
    pub fn agent_mut<T: Agent>(&mut self, id: AgentId) -> Option<&mut T> {
        self.wake(id);
        let agent: &mut dyn Any = &mut *self.agents.get_mut(id.0)?.agent;
        agent.downcast_mut()
    }

    pub(super) fn on_timer(&mut self, id: AgentId, key: EventKey) {
        let slot = &mut self.agents[id.0];
        if slot.timer != Some(key) {
            return;
        }
        slot.timer = None;
        if slot.agent.poll_timeout().is_some_and(|due| due <= self.now) {
            slot.agent.handle_timeout(self.now);
        }
        self.serve(id);
    }

    /// Sends all packets that an agent has, and schedules its next call.
    pub(super) fn serve(&mut self, id: AgentId) {
        loop {
            let slot = &mut self.agents[id.0];
            let Some(transmit) = slot.agent.poll_transmit(self.now, &mut self.spare, 1) else {
                break;
            };
            let (source, destination) = (transmit.local, transmit.remote.ip);
            let known = (slot.way.as_ref())
                .filter(|way| way.source == source && way.destination == destination);
            let (link, to) = match known {
                Some(way) => (way.link, way.to),
                None => match self.topology.way(slot.host, source, destination) {
                    Some((link, to)) => {
                        slot.way = Some(Way {
                            source,
                            destination,
                            link,
                            to,
                        });
                        (link, to)
                    }
                    None => {
                        self.misdirected.unroutable += 1;
                        continue;
                    }
                },
            };
            let packet = self.packets.take();
            let parcel = self.packets.get_mut(packet);
            parcel.to = to;
            parcel.tag = None;
            parcel.packet.source = source;
            parcel.packet.destination = destination;
            parcel.packet.protocol = slot.protocol;
            parcel.packet.ecn = transmit.ecn;
            parcel.packet.fragmentation = transmit.fragmentation;
            core::mem::swap(&mut parcel.packet.payload, &mut self.spare);
            if let Some(capture) = &mut self.capture {
                capture.record(self.now, link.0, &parcel.packet);
            }
            let (link, mut around) = self.at(link);
            link.offer(&mut around, packet);
        }
        self.settle(id);
    }

    /// Updates an agent's progress and schedule.
    fn settle(&mut self, id: AgentId) {
        let slot = &mut self.agents[id.0];
        let progress = slot.agent.progress();
        let before = core::mem::replace(&mut slot.progress, progress);
        if let Some(due) = slot.agent.poll_timeout() {
            // At least a nanosecond later, so that time advances.
            let due = due.max(self.now + Duration::from_nanos(1));
            if slot.timer.is_none_or(|noted| noted.time > due) {
                let key = self.events.key(due);
                slot.timer = Some(key);
                self.events.plan(key, Event::Timer(id));
            }
        }
        if before != progress {
            self.note_progress(before, progress);
        }
    }

    fn wake(&mut self, id: AgentId) {
        let key = self.events.key(self.now);
        if let Some(slot) = self.agents.get_mut(id.0) {
            slot.timer = Some(key);
            self.events.plan(key, Event::Timer(id));
        }
    }

    fn note_progress(&mut self, before: Progress, after: Progress) {
        match before {
            Progress::Endless => {}
            Progress::Working => self.working -= 1,
            Progress::Done => self.done -= 1,
        }
        match after {
            Progress::Endless => {}
            Progress::Working => self.working += 1,
            Progress::Done => self.done += 1,
        }
    }
}
