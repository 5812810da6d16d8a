//! Key management of a host, which prints a line for each association that could not be protected.

use std::time::Duration;

use sheave::poll_loop::Time;
use sheave::secure::{Fault, KeyManagement, KeyProgress, Refusal};
use sheave::{CloseReason, Event, Options};
use sheave_engine::wire::dtls::MISSING_SUPPORT;
use sheave_engine::{AssocId, Authentication, Endpoint};

/// Shortest time between two lines.
const PAUSE: Duration = Duration::from_secs(1);

/// Key management of a host.
#[derive(Debug)]
pub(crate) struct Keys {
    /// `None` if packets are not protected.
    management: Option<KeyManagement>,
    printer: Printer,
}

/// Prints lines, but not faster than a user reads.
#[derive(Debug, Default)]
struct Printer {
    last: Option<Time>,
    /// Lines left out since the last one.
    omitted: u64,
}

impl Keys {
    pub(crate) fn new(management: Option<KeyManagement>) -> Self {
        Self {
            management,
            printer: Printer::default(),
        }
    }
}

impl sheave_sockets::KeyManagement for Keys {
    fn protects(&self) -> bool {
        self.management.is_some()
    }

    fn fit(&self, options: Options) -> Options {
        match &self.management {
            // Authentication is part of protection, and not agreed on beside it.
            Some(management) => management.fit(Options {
                authentication: Authentication::Off,
                ..options
            }),
            None => options,
        }
    }

    fn expect(&mut self, now: Time, endpoint: &mut Endpoint, id: AssocId) {
        if let Some(management) = &mut self.management {
            management.expect(now, endpoint, id, None);
        }
    }

    fn poll_event(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<(AssocId, Event)> {
        let Some(management) = &mut self.management else {
            let (id, event) = endpoint.poll_event()?;
            if wants_protection(&event) {
                let line = "a peer has refused an association, since it protects packets: add \
                            --secure, and --cert, --key and --ca or --fingerprint";
                self.printer.print(now, line);
            }
            return Some((id, event));
        };
        loop {
            let (what, refusal) = match management.poll_event(now, endpoint)? {
                KeyProgress::Event(id, event) => return Some((id, event)),
                KeyProgress::Refused(_, refusal) => ("no association", refusal),
                KeyProgress::Lost(_, refusal) => ("the association is aborted", refusal),
            };
            let Refusal { peer, fault } = refusal;
            let with = peer.map_or_else(String::new, |peer| format!(" with {peer}"));
            let remedy = match fault {
                Fault::Unprotected => "; start its program with --secure, too",
                _ => "",
            };
            self.printer
                .print(now, &format!("{what}{with}: {fault}{remedy}"));
        }
    }
}

/// Whether the peer has aborted an association for lack of protection.
const fn wants_protection(event: &Event) -> bool {
    let Event::Closed { reason, .. } = event else {
        return false;
    };
    matches!(
        reason,
        CloseReason::AbortedByPeer {
            cause: Some(MISSING_SUPPORT),
            ..
        }
    )
}

impl Printer {
    fn print(&mut self, now: Time, line: &str) {
        if self.last.is_some_and(|last| now < last + PAUSE) {
            self.omitted += 1;
            return;
        }
        self.last = Some(now);
        match std::mem::take(&mut self.omitted) {
            0 => eprintln!("sheave: {line}"),
            omitted => eprintln!("sheave: {line} ({omitted} more before)"),
        }
    }
}
