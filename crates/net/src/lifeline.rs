use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sheave_engine::{self as engine, AssocId};

use crate::crew::Worker;
use crate::driver::Shared;
use crate::link::{Door, Link};
use crate::slot::Stage;
use crate::state::Life;
use crate::{
    BindError, CarrierKind, Config, ConnectError, EndpointStats, ListenError, Options, Target,
    Warning, address,
};

/// What every handle to an endpoint and to what lives on it holds; when the last one goes, the
/// endpoint closes.
pub(crate) struct Lifeline {
    pub(crate) shared: Arc<Shared>,
    pub(crate) warnings: Vec<Warning>,
    linger: Duration,
    farewell: Farewell,
    scope: Scope,
    crew: Mutex<Vec<JoinHandle<()>>>,
}

/// What dropping the last handle does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// It waits until the endpoint has closed.
    Wait,
    /// It leaves that to the endpoint's threads.
    #[cfg(feature = "tokio")]
    Background,
}

/// Which of the endpoint's addresses a new association uses by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// All: the user chose them.
    All,
    /// Those that fit the peer.
    Fitting,
}

impl Lifeline {
    pub(crate) fn bind(config: &Config, farewell: Farewell) -> Result<Arc<Self>, BindError> {
        Ok(Self::bind_after(config, farewell, |_| ())?.0)
    }

    /// As [`bind`](Self::bind), with something to be done before the first packet is looked at.
    pub(crate) fn bind_after<R>(
        config: &Config,
        farewell: Farewell,
        first: impl FnOnce(&Shared) -> R,
    ) -> Result<(Arc<Self>, R), BindError> {
        let shared = Arc::new(Shared::bind(config)?);
        let outcome = first(&shared);
        let life = Arc::new(Self {
            warnings: shared.carrier.warnings(config),
            shared,
            linger: config.linger,
            farewell,
            scope: match config.local.is_empty() {
                true => Scope::Fitting,
                false => Scope::All,
            },
            crew: Mutex::default(),
        });
        for _ in 0..config.workers.get() {
            life.hire()?;
        }
        Ok((life, outcome))
    }

    /// Starts another thread that works for the endpoint.
    fn hire(&self) -> Result<(), BindError> {
        let worker = Worker::new(Arc::clone(&self.shared));
        let thread = thread::Builder::new()
            .name("sheave".into())
            .spawn(move || worker.run())
            .map_err(|error| BindError::System {
                what: "start a thread",
                error,
            })?;
        let mut crew = self.crew.lock().unwrap_or_else(PoisonError::into_inner);
        crew.push(thread);
        Ok(())
    }

    pub(crate) fn listen(
        self: &Arc<Self>,
        port: u16,
        options: Options,
    ) -> Result<Door, ListenError> {
        let options = self.shared.carrier.fit(options, &[]);
        self.shared.act(|state, _| {
            if state.life != Life::Open {
                return Err(ListenError::EndpointClosed);
            }
            state.engine.listen(port, options)?;
            state.open_backlog(port);
            Ok(())
        })?;
        Ok(Door::new(Arc::clone(self), port))
    }

    /// Starts an association; the link is not established yet.
    pub(crate) fn connect(self: &Arc<Self>, target: Target) -> Result<Link, ConnectError> {
        let kind = match self.shared.carrier.udp_port() {
            Some(port) => CarrierKind::Udp { port },
            None => CarrierKind::RawIp,
        };
        let misfit = |remote: &&engine::PeerAddress| {
            remote.encapsulation.is_some() != matches!(kind, CarrierKind::Udp { .. })
        };
        if let Some(&remote) = target.remote.iter().find(misfit) {
            return Err(ConnectError::Carrier(remote));
        }
        let local = match (target.local.is_empty(), self.scope) {
            (true, Scope::Fitting) => {
                address::in_scope(self.shared.carrier.addresses(), &target.remote)
            }
            _ => target.local,
        };
        let connect = engine::Connect {
            local_port: target.local_port.or_else(|| self.ephemeral_port()),
            remote_port: target.port,
            remote: target.remote,
            options: self.shared.carrier.fit(target.options, &local),
            local,
        };
        let id: AssocId = self.shared.act(|state, now| {
            if state.life != Life::Open {
                return Err(ConnectError::EndpointClosed);
            }
            let id = state.engine.connect(now, connect)?;
            state.add_slot(id, Stage::Connecting);
            Ok(id)
        })?;
        Ok(Link::new(Arc::clone(self), id))
    }

    /// Associations that begin do not use the address any more.
    pub(crate) fn remove_address(&self, ip: IpAddr) {
        self.shared
            .act(|state, _| state.engine.remove_local_address(ip));
    }

    /// Counters of the engine.
    pub(crate) fn stats(&self) -> EndpointStats {
        self.shared.lock().engine.stats()
    }

    /// A port to connect from, where the choice should not be the engine's: raw stacks on one
    /// address share the ports, and stacks that count up from one number would meet.
    fn ephemeral_port(&self) -> Option<u16> {
        if self.shared.carrier.udp_port().is_some() {
            return None;
        }
        let state = self.shared.lock();
        let dynamic = |random: u32| 49_152 | (random & 0x3fff);
        let draw = || u16::try_from(dynamic(getrandom::u32().ok()?)).ok();
        let free = |port: &u16| !state.ports.contains(*port);
        // Few are taken as a rule; else the engine looks for one.
        (0..16).filter_map(|_| draw()).find(free)
    }

    /// Begins to close: associations finish within `timeout`.
    pub(crate) fn close(&self, timeout: Duration) {
        self.shared
            .act(|state, now| state.close(now, now + timeout));
    }

    /// Waits until the endpoint is closed; how many associations were aborted.
    pub(crate) fn poll_closed(&self, context: &Context<'_>) -> Poll<usize> {
        let mut state = self.shared.lock();
        match state.life {
            Life::Closed { aborted } => Poll::Ready(aborted),
            Life::Open | Life::Closing(_) => {
                state.closers.add(Some(context));
                Poll::Pending
            }
        }
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        self.close(self.linger);
        let crew = self.crew.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.farewell == Farewell::Wait {
            for thread in crew.drain(..) {
                if thread.thread().id() != thread::current().id() {
                    // Had it panicked, there would be nothing left to wait for.
                    let _ = thread.join();
                }
            }
        }
    }
}
