use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sheave_engine::{Options, Shard};

use super::{Association, Blocking, Endpoint, Listener, Mode};
use crate::carrier::shard_of_init;
use crate::config::{CarrierKind, Config};
use crate::error::{BindError, ConnectError, ListenError};
use crate::target::Target;

/// Several endpoints on the same addresses and UDP port, one per core. They share no lock and no
/// memory.
///
/// Each endpoint encodes its number in its verification tags, by which the kernel routes packets
/// (`SO_REUSEPORT` with a BPF program, on Linux): all packets of an association, from whatever
/// path, reach the endpoint that owns it.
///
/// If a peer loses its state and reconnects from the same ports but another of its addresses, its
/// INIT may reach an endpoint that does not know the old association. The old association then
/// times out instead of being restarted.
///
/// ```no_run
/// use std::num::NonZero;
/// use std::thread;
///
/// use sheave::{Config, Options, Shards};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cores = thread::available_parallelism()?;
/// let shards = Shards::bind(Config::default(), NonZero::try_from(cores)?)?;
/// for listener in shards.listen(5001, Options::default())? {
///     thread::spawn(move || {
///         for association in listener.incoming() {
///             while let Ok(Some(received)) = association.receive() {
///                 println!("{} bytes", received.message.payload.len());
///             }
///         }
///     });
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Shards<M: Mode = Blocking> {
    endpoints: Vec<Endpoint<M>>,
    next: AtomicUsize,
}

impl<M: Mode> Shards<M> {
    /// Binds `count` endpoints, at most 1024, and starts the threads of each.
    ///
    /// # Errors
    /// The errors of [`Endpoint::bind`]; [`BindError::Shards`] for more than 1024 endpoints, or
    /// more than one over raw IP, where every socket receives every packet.
    pub fn bind(config: Config, count: NonZero<usize>) -> Result<Self, BindError> {
        let of = u16::try_from(count.get()).unwrap_or(u16::MAX);
        let mut config = config;
        let mut endpoints: Vec<Endpoint<M>> = Vec::with_capacity(count.get());
        for index in 0..of {
            let shard = Shard::new(index, of).filter(|_| of == 1 || is_udp(&config));
            config.endpoint.shard = shard.ok_or(BindError::Shards)?;
            let endpoint = Endpoint::bind(config.clone())?;
            // The first endpoint's port may have been chosen by the system; the others share it.
            if let Some(port) = endpoint.udp_port() {
                config.carrier = CarrierKind::Udp { port };
            }
            endpoints.push(endpoint);
        }
        introduce(&endpoints, of)?;
        Ok(Self {
            endpoints,
            next: AtomicUsize::new(0),
        })
    }

    /// The endpoints, in shard order.
    #[must_use]
    pub fn endpoints(&self) -> &[Endpoint<M>] {
        &self.endpoints
    }

    /// UDP port of all endpoints; `None` over raw IP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.endpoints.first().and_then(Endpoint::udp_port)
    }

    /// Listens on SCTP port `port` with one listener per endpoint; serve each from its own thread.
    /// The peer's address and ports decide which listener gets its association.
    ///
    /// # Errors
    /// The errors of [`Endpoint::listen`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "as the same call of an endpoint"
    )]
    pub fn listen(&self, port: u16, options: Options) -> Result<Vec<Listener<M>>, ListenError> {
        let endpoints = self.endpoints.iter();
        endpoints
            .map(|endpoint| endpoint.listen(port, options.clone()))
            .collect()
    }

    fn choose(&self, target: &Target) -> &Endpoint<M> {
        let count = self.endpoints.len();
        let known = target.local_port.zip(target.remote.first());
        let index = match known {
            Some((port, peer)) => {
                let of = u16::try_from(count).unwrap_or(u16::MAX);
                usize::from(shard_of_init(peer.ip, (target.port, port), of))
            }
            None => self.next.fetch_add(1, Ordering::Relaxed) % count,
        };
        &self.endpoints[index]
    }
}

/// Calls that block the calling thread.
impl Shards<Blocking> {
    /// Sets up an association from one of the endpoints, round-robin. With a given local port, uses
    /// the endpoint that the peer's own INIT would reach, so that two peers connecting to each
    /// other at once get one association.
    ///
    /// # Errors
    /// The errors of [`Endpoint::connect`].
    pub fn connect(&self, target: Target) -> Result<Association, ConnectError> {
        self.choose(&target).connect(target)
    }
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use super::{Association, ConnectError, Shards, Target};
    use crate::handle::Async;

    /// `async` calls.
    impl Shards<Async> {
        /// Sets up an association from one of the endpoints, chosen as the blocking call does.
        ///
        /// # Cancellation
        /// Same as [`Endpoint::connect`](crate::tokio::Endpoint).
        ///
        /// # Errors
        /// The errors of the blocking call.
        pub async fn connect(&self, target: Target) -> Result<Association<Async>, ConnectError> {
            self.choose(&target).connect(target).await
        }
    }
}

fn is_udp(config: &Config) -> bool {
    matches!(config.carrier, CarrierKind::Udp { .. })
}

/// Registers the endpoints with each other and with the kernel.
fn introduce<M: Mode>(endpoints: &[Endpoint<M>], of: u16) -> Result<(), BindError> {
    let Some(first) = endpoints.first().filter(|_| of > 1) else {
        return Ok(());
    };
    let all: Vec<_> = (endpoints.iter())
        .map(|endpoint| Arc::downgrade(endpoint.shared()))
        .collect();
    for endpoint in endpoints {
        endpoint.shared().siblings.meet(all.clone());
    }
    let spread = first.shared().carrier.spread(of);
    spread.map_err(|error| BindError::System {
        what: "spread packets over the shards",
        error,
    })
}
