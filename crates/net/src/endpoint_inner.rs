use std::mem;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sheave_engine::{self as engine, AssocId};

use crate::assoc_handle::AssocHandle;
use crate::assoc_state::Stage;
use crate::carrier::dtls;
use crate::config::{CarrierKind, Warning};
use crate::driver::Shared;
use crate::error::{BindError, ConnectError, ListenError};
use crate::handle::DropMode;
use crate::listener_inner::ListenerInner;
use crate::state::{Lifecycle, State};
use crate::stats::EndpointStats;
use crate::workers::Worker;
use crate::{Config, Options, Target, address};

/// State shared by an endpoint's handles and those of its listeners and associations; the endpoint
/// closes when the last of them is dropped.
pub(crate) struct EndpointInner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) warnings: Vec<Warning>,
    linger: Duration,
    drop_mode: DropMode,
    scope: Scope,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Addresses of the endpoint that a new association uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Every address, which the user chose.
    All,
    /// Only addresses that can reach the peer.
    Fitting,
}

impl EndpointInner {
    pub(crate) fn bind(config: &Config, drop_mode: DropMode) -> Result<Arc<Self>, BindError> {
        Ok(Self::bind_after(config, drop_mode, |_| ())?.0)
    }

    /// Like [`bind`](Self::bind), but runs `first` before any packet is read.
    pub(crate) fn bind_after<R>(
        config: &Config,
        drop_mode: DropMode,
        first: impl FnOnce(&Shared) -> R,
    ) -> Result<(Arc<Self>, R), BindError> {
        Self::over(Shared::bind(config)?, config, drop_mode, first)
    }

    /// Starts the threads on bound sockets.
    pub(crate) fn over<R>(
        shared: Shared,
        config: &Config,
        drop_mode: DropMode,
        first: impl FnOnce(&Shared) -> R,
    ) -> Result<(Arc<Self>, R), BindError> {
        let shared = Arc::new(shared);
        let outcome = first(&shared);
        let inner = Arc::new(Self {
            warnings: shared.carrier.warnings(config),
            shared,
            linger: config.linger,
            drop_mode,
            scope: match config.local.is_empty() {
                true => Scope::Fitting,
                false => Scope::All,
            },
            threads: Mutex::default(),
        });
        for _ in 0..config.workers.get() {
            inner.spawn_worker()?;
        }
        Ok((inner, outcome))
    }

    /// Starts another worker thread.
    fn spawn_worker(&self) -> Result<(), BindError> {
        let worker = Worker::new(Arc::clone(&self.shared));
        let thread = thread::Builder::new()
            .name("sheave".into())
            .spawn(move || worker.run())
            .map_err(|error| BindError::System {
                what: "start a thread",
                error,
            })?;
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.push(thread);
        Ok(())
    }

    pub(crate) fn listen(
        self: &Arc<Self>,
        port: u16,
        local: &[IpAddr],
        options: Options,
    ) -> Result<ListenerInner, ListenError> {
        let local: Vec<IpAddr> = local.iter().map(IpAddr::to_canonical).collect();
        let options = self.shared.carrier.fit(options, &local);
        let id = self.shared.act(|state, _| {
            if state.lifecycle != Lifecycle::Open {
                return Err(ListenError::EndpointClosed);
            }
            let own = state.engine.local_addresses();
            if let Some(&other) = local.iter().find(|ip| !own.contains(ip)) {
                return Err(ListenError::NotLocal(other));
            }
            let options = state.keys.fit(options).map_err(ListenError::Option)?;
            state.engine.listen_on(port, &local, options)?;
            Ok(state.open_backlog(port, local))
        })?;
        Ok(ListenerInner::new(Arc::clone(self), id, port))
    }

    /// Starts to set up an association.
    pub(crate) fn connect(self: &Arc<Self>, target: Target) -> Result<AssocHandle, ConnectError> {
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
        if self.shared.carrier.has_dtls() {
            return self.connect_over_dtls(target);
        }
        let local = match (target.local.is_empty(), self.scope) {
            (true, Scope::Fitting) => {
                let state = self.shared.lock();
                address::in_scope(state.engine.local_addresses(), &target.remote)
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
        #[cfg(feature = "secure")]
        let names = target.names;
        #[cfg(feature = "secure")]
        let expect = |state: &mut State, now, id| {
            let (keys, engine) = (&mut state.keys, &mut state.engine);
            keys.expect(now, engine, id, names.as_ref());
        };
        #[cfg(not(feature = "secure"))]
        let expect = |_: &mut State, _, _| ();
        self.start(connect, expect)
    }

    /// Starts an association over a new or existing DTLS connection.
    fn connect_over_dtls(self: &Arc<Self>, target: Target) -> Result<AssocHandle, ConnectError> {
        let carrier = &self.shared.carrier;
        let peer = carrier.open_connection(&target.remote, &target.local);
        let peer = peer.map_err(ConnectError::Dtls)?;
        let source = carrier.real_local(dtls::LOCAL, peer.ip);
        let connect = engine::Connect {
            local_port: target.local_port,
            remote_port: target.port,
            remote: vec![peer],
            options: carrier.fit(target.options, &[source]),
            local: vec![dtls::LOCAL],
        };
        let handle = self.start(connect, |_, _, _| ());
        // The DTLS handshake may have failed before the association existed.
        if let Some(error) = carrier.end_of_connection(peer.ip) {
            let act = |state: &mut State, now| state.on_connection_lost(now, peer.ip, &error);
            self.shared.act(act);
        }
        // Lets the poller see the handshake's timers.
        self.shared.alert();
        handle
    }

    /// Starts an association; `expect` runs before any of its events.
    fn start(
        self: &Arc<Self>,
        connect: engine::Connect,
        expect: impl FnOnce(&mut State, engine::Time, AssocId),
    ) -> Result<AssocHandle, ConnectError> {
        let id: AssocId = self.shared.act(|state, now| {
            if state.lifecycle != Lifecycle::Open {
                return Err(ConnectError::EndpointClosed);
            }
            let options = state.keys.fit(connect.options);
            let options = options.map_err(engine::ConnectError::Option)?;
            let connect = engine::Connect { options, ..connect };
            let id = state.engine.connect(now, connect)?;
            expect(state, now, id);
            state.add_assoc(id, Stage::Connecting);
            Ok(id)
        })?;
        Ok(AssocHandle::new(Arc::clone(self), id))
    }

    /// Stops using the address for new associations.
    pub(crate) fn remove_address(&self, ip: IpAddr) {
        self.shared
            .act(|state, _| state.engine.remove_local_address(ip));
    }

    /// Counters of the engine.
    pub(crate) fn stats(&self) -> EndpointStats {
        self.shared.lock().engine.stats()
    }

    /// A random local port for raw IP, where several stacks on one address share the ports and
    /// stacks that count up from the same number would collide.
    fn ephemeral_port(&self) -> Option<u16> {
        if self.shared.carrier.udp_port().is_some() {
            return None;
        }
        let state = self.shared.lock();
        let dynamic = |random: u32| 49_152 | (random & 0x3fff);
        let draw = || u16::try_from(dynamic(getrandom::u32().ok()?)).ok();
        let free = |port: &u16| !state.ports.contains(*port);
        // Usually few ports are taken; if all draws fail, the engine chooses.
        (0..16).filter_map(|_| draw()).find(free)
    }

    /// Whether all worker threads are still running.
    #[cfg(test)]
    pub(crate) fn is_at_work(&self) -> bool {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        !threads.is_empty() && threads.iter().all(|thread| !thread.is_finished())
    }

    /// Starts to close; associations may finish within `timeout`.
    pub(crate) fn close(&self, timeout: Duration) {
        self.shared
            .act(|state, now| state.close(now, now + timeout));
    }

    /// Ready with the next peer whose association could not be protected, or `None` once the endpoint
    /// is closed or if it protects none.
    #[cfg(feature = "secure")]
    pub(crate) fn poll_refused(
        &self,
        context: &Context<'_>,
    ) -> Poll<Option<crate::secure::Refusal>> {
        let mut state = self.shared.lock();
        if let Some(refusal) = state.keys.next_refusal() {
            return Poll::Ready(Some(refusal));
        }
        match (state.lifecycle, state.keys.refusal_waiters()) {
            (Lifecycle::Open | Lifecycle::Closing(_), Some(waiters)) => {
                waiters.add(Some(context));
                Poll::Pending
            }
            _ => Poll::Ready(None),
        }
    }

    /// Ready once the endpoint is closed, with the number of aborted associations.
    pub(crate) fn poll_closed(&self, context: &Context<'_>) -> Poll<usize> {
        let mut state = self.shared.lock();
        match state.lifecycle {
            Lifecycle::Closed { aborted } => Poll::Ready(aborted),
            Lifecycle::Open | Lifecycle::Closing(_) => {
                state.close_waiters.add(Some(context));
                Poll::Pending
            }
        }
    }
}

impl Drop for EndpointInner {
    fn drop(&mut self) {
        self.close(self.linger);
        let threads = self
            .threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if self.shared.is_inherited() {
            // The threads do not exist in this process; joining them would never return.
            threads.drain(..).for_each(mem::forget);
        } else if self.drop_mode == DropMode::Wait {
            for thread in threads.drain(..) {
                if thread.thread().id() != thread::current().id() {
                    // A worker that panicked has ended as well.
                    let _ = thread.join();
                }
            }
        }
    }
}
