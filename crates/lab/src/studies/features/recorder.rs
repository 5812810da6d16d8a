use sheave_engine::{Datagram, Node, Time, Transmit};
use sheave_sim::{Agent, Progress, Protocol};

/// Wraps an agent and records every packet that it sends.
#[derive(Debug)]
pub(super) struct Recorder<A> {
    agent: A,
    sent: Vec<Vec<u8>>,
}

impl<A> Recorder<A> {
    pub(super) const fn new(agent: A) -> Self {
        Self {
            agent,
            sent: Vec::new(),
        }
    }

    /// The packets, each starting with the transport's header.
    pub(super) fn sent(&self) -> &[Vec<u8>] {
        &self.sent
    }
}

impl<A: Agent> Node for Recorder<A> {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.agent.handle_datagram(now, datagram);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.agent.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        let transmit = self.agent.poll_transmit(now, buf, max)?;
        self.sent.push(buf.clone());
        Some(transmit)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.agent.poll_timeout()
    }
}

impl<A: Agent> Agent for Recorder<A> {
    fn protocol(&self) -> Protocol {
        self.agent.protocol()
    }

    fn owns_port(&self, port: u16) -> bool {
        self.agent.owns_port(port)
    }

    fn progress(&self) -> Progress {
        self.agent.progress()
    }
}
