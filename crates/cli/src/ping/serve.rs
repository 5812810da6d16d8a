//! The echo server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sheave::error::{ExportError, ReceiveError};
use sheave::message::Acknowledgement;
use sheave::{Association, Endpoint, Message, Options, SendOptions, StreamId};

use super::handover::{self, HandoverSocket};
use super::{MAX_ECHO, PingArgs};
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::network::{self, Role};
use crate::screen::{Output, Screen};

/// The reason for the end of an association whose message is longer than [`MAX_ECHO`].
const TOO_LARGE: &str = "too large to be sent back";
/// Most associations served at the same time.
const MAX_SERVED: usize = 1024;
/// Interval at which an association checks for a handover.
const GLANCE: Duration = Duration::from_millis(100);
/// Interval of checking whether an association is quiet.
const PAUSE: Duration = Duration::from_millis(1);

/// Runs an echo server.
/// Errors: the port cannot be used, or the server before this one does not hand over.
pub fn serve(args: &PingArgs, output: Output, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let screen = Screen::new(output);
    let (endpoint, adopted, doorway) = match &args.handover {
        None => (args.network.bind(Role::Server)?, Vec::new(), None),
        Some(path) => {
            let (endpoint, adopted) = handover::succeed(path, &args.network, &screen)?;
            (endpoint, adopted, Some(HandoverSocket::open(path)?))
        }
    };
    let listener = network::listen(&endpoint, args.port, args.network.options())?;
    let closed = endpoint.clone();
    interrupts.on_interrupt(move || {
        closed.close(Duration::from_millis(200));
    });
    let place = network::place(&endpoint, args.port);
    let count = adopted.len();
    let fields = json!({
        "port": args.port,
        "udp_port": endpoint.udp_port(),
        "fingerprint": network::fingerprint(&endpoint),
        "adopted": count,
    });
    screen.event("listening", fields, || match count {
        0 => format!("echoing at {place}"),
        _ => format!("echoing at {place}, for {count} associations already"),
    });
    let service = Service::new(endpoint, args.network.options());
    for association in adopted {
        service.start(association);
    }
    let watching = doorway.map(|doorway| doorway.watch(Arc::clone(&service), screen));
    for association in listener.incoming() {
        service.start(association);
    }
    drop(watching);
    Ok(Exit::Success)
}

/// Echoes `first` and every later message.
pub fn serve_from(association: &Association, first: Message) {
    let mut next = Ok(Some(first));
    while let Ok(Some(message)) = next {
        if !send_back(association, message) {
            return;
        }
        next = association.receive_whole(MAX_ECHO as usize);
    }
    if let Err(ReceiveError::TooLarge { .. }) = next {
        association.abort(TOO_LARGE);
    }
}

/// The associations of a server, each served by its own thread.
pub struct Service {
    endpoint: Endpoint,
    options: Options,
    served: AtomicUsize,
    removal: Mutex<Removal>,
    changed: Condvar,
}

/// State of a handover.
enum Removal {
    /// No handover.
    None,
    /// In progress: each association is exported once quiet; holds those exported so far.
    UnderWay(Vec<Vec<u8>>),
    /// Complete: no association is left, and new ones are rejected.
    Done,
}

impl Service {
    /// Creates a server without associations.
    pub fn new(endpoint: Endpoint, options: Options) -> Arc<Self> {
        Arc::new(Self {
            endpoint,
            options,
            served: AtomicUsize::new(0),
            removal: Mutex::new(Removal::None),
            changed: Condvar::new(),
        })
    }

    /// Starts serving an association.
    pub fn start(self: &Arc<Self>, association: Association) {
        let removal = self.removal();
        let served = self.served.fetch_add(1, Ordering::Relaxed);
        let why = match *removal {
            Removal::Done => Some("the server is being replaced"),
            _ if served >= MAX_SERVED => Some("too many associations at once"),
            _ => None,
        };
        if let Some(why) = why {
            self.served.fetch_sub(1, Ordering::Relaxed);
            association.abort(why);
            return;
        }
        drop(removal);
        let service = Arc::clone(self);
        thread::spawn(move || {
            let exported = service.serve(&association);
            service.on_end(exported);
        });
    }

    /// Exports every association once it is quiet.
    /// Errors: the number of associations still busy after `patience`; serving then continues here.
    pub fn export_all(self: &Arc<Self>, patience: Duration) -> Result<Vec<Vec<u8>>, usize> {
        let deadline = Instant::now() + patience;
        let mut removal = self.removal();
        *removal = Removal::UnderWay(Vec::new());
        loop {
            let left = self.served.load(Ordering::Relaxed);
            let rest = deadline.saturating_duration_since(Instant::now());
            if left == 0 || rest.is_zero() {
                let outcome = if left == 0 {
                    Removal::Done
                } else {
                    Removal::None
                };
                let before = std::mem::replace(&mut *removal, outcome);
                drop(removal);
                let Removal::UnderWay(exported) = before else {
                    return Ok(Vec::new());
                };
                if left == 0 {
                    return Ok(exported);
                }
                self.take_back(exported);
                return Err(left);
            }
            let waited = self.changed.wait_timeout(removal, rest);
            removal = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Resumes exported associations that no successor took.
    pub fn take_back(self: &Arc<Self>, exported: Vec<Vec<u8>>) {
        *self.removal() = Removal::None;
        for exported in exported {
            if let Ok(association) = self.endpoint.import(&exported, self.options.clone()) {
                self.start(association);
            }
        }
    }

    /// Closes the server after its associations were handed over.
    pub fn close(&self) {
        self.endpoint.close(Duration::from_secs(1));
    }

    /// Serves an association until it ends, or returns it exported.
    fn serve(&self, association: &Association) -> Option<Vec<u8>> {
        loop {
            let leaving = matches!(*self.removal(), Removal::UnderWay(_));
            let wait = if leaving { PAUSE } else { GLANCE };
            match association.receive_whole_timeout(MAX_ECHO as usize, wait) {
                Ok(Some(message)) => {
                    if !send_back(association, message) {
                        return None;
                    }
                }
                Err(ReceiveError::NotYet) if leaving => match association.export() {
                    Ok(exported) => return Some(exported),
                    Err(ExportError::NotReady(_)) => {}
                    Err(_) => return None,
                },
                Err(ReceiveError::NotYet) => {}
                Err(ReceiveError::TooLarge { .. }) => {
                    association.abort(TOO_LARGE);
                    return None;
                }
                Ok(None) | Err(_) => return None,
            }
        }
    }

    fn on_end(self: &Arc<Self>, exported: Option<Vec<u8>>) {
        let mut removal = self.removal();
        self.served.fetch_sub(1, Ordering::Relaxed);
        match (&mut *removal, exported) {
            (Removal::UnderWay(all), Some(exported)) => all.push(exported),
            (_, Some(exported)) => {
                // The handover was cancelled because other associations took too long.
                drop(removal);
                self.take_back(vec![exported]);
                return;
            }
            (_, None) => {}
        }
        self.changed.notify_all();
    }

    fn removal(&self) -> MutexGuard<'_, Removal> {
        self.removal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends a message back; returns whether that succeeded.
fn send_back(association: &Association, mut message: Message) -> bool {
    let streams = association.outbound_streams().max(1);
    message.stream = StreamId(message.stream.0 % streams);
    let options = SendOptions {
        acknowledgement: Acknowledgement::Immediate,
        ..SendOptions::default()
    };
    association.send_with(message, options).is_ok()
}
