use sheave_engine::{Datagram, ErrorWarning, Icmp, Node, Time, Transmit};

use crate::{Agent, Progress, Protocol, Transport, Workload};

/// Whether a [`Program`] has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramStage {
    Before(Time),
    Running,
}

/// An agent made of a transport and a workload.
#[derive(Debug)]
pub struct Program<T, W> {
    transport: T,
    workload: W,
    stage: ProgramStage,
}

impl<T: Transport, W: Workload> Program<T, W> {
    /// Creates a program that opens its transport at `start`.
    #[must_use]
    pub const fn new(transport: T, workload: W, start: Time) -> Self {
        Self {
            transport,
            workload,
            stage: ProgramStage::Before(start),
        }
    }

    /// The transport.
    pub const fn transport(&self) -> &T {
        &self.transport
    }

    /// The transport, to act on it.
    pub const fn transport_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// The workload.
    pub const fn workload(&self) -> &W {
        &self.workload
    }
}

impl<T: Transport, W: Workload> Node for Program<T, W> {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        if self.stage == ProgramStage::Running {
            self.transport.handle_datagram(now, datagram);
            self.workload.run(now, &mut self.transport);
        }
    }

    fn handle_icmp(&mut self, now: Time, icmp: Icmp<'_>) {
        if self.stage == ProgramStage::Running {
            self.transport.handle_icmp(now, icmp);
            self.workload.run(now, &mut self.transport);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if let ProgramStage::Before(start) = self.stage {
            if now < start {
                return;
            }
            self.stage = ProgramStage::Running;
            self.transport.open(now);
        }
        self.transport.handle_timeout(now);
        self.workload.run(now, &mut self.transport);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        self.transport.poll_transmit(now, buf, max)
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self.stage {
            ProgramStage::Before(start) => Some(start),
            ProgramStage::Running => {
                let (one, other) = (self.transport.poll_timeout(), self.workload.poll_timeout());
                match (one, other) {
                    (Some(one), Some(other)) => Some(one.min(other)),
                    (one, other) => one.or(other),
                }
            }
        }
    }
}

impl<T: Transport, W: Workload> Agent for Program<T, W> {
    fn protocol(&self) -> Protocol {
        self.transport.protocol()
    }

    fn owns_port(&self, port: u16) -> bool {
        self.transport.owns_port(port)
    }

    fn handle_error_warning(&mut self, now: Time, warning: ErrorWarning<'_>) {
        if self.stage == ProgramStage::Running {
            self.transport.handle_error_warning(now, warning);
            self.workload.run(now, &mut self.transport);
        }
    }

    fn progress(&self) -> Progress {
        self.workload.progress()
    }
}
