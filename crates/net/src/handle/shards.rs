use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sheave_engine::{Options, Shard};

use super::{Association, Blocking, Endpoint, Listener, Mode};
use crate::carrier::shard_of_init;
use crate::config::{CarrierKind, Config};
use crate::error::{BindError, ConnectError, ListenError};
use crate::target::Target;

/// Several endpoints on the same addresses and UDP port, one for each core that is to work: they
/// share nothing, no lock and no memory.
///
/// The verification tags that an endpoint hands out name it, and the kernel reads them
/// (`SO_REUSEPORT` with a BPF program, on Linux): every packet of an association, from whatever
/// path, comes to the endpoint that has it.
///
/// A peer that lost its state and calls again from the same ports, but from another of its
/// addresses, may meet an endpoint that does not know the old association; that one then ends for
/// want of answers instead of being restarted.
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
    /// Binds that many endpoints, at most 1024, and starts a driver's thread for each.
    ///
    /// # Errors
    /// As [`Endpoint::bind`]; [`BindError::Shards`] for more than one over raw IP, where every
    /// socket sees every packet, and for more than 1024.
    pub fn bind(config: Config, count: NonZero<usize>) -> Result<Self, BindError> {
        let of = u16::try_from(count.get()).unwrap_or(u16::MAX);
        let mut config = config;
        let mut endpoints: Vec<Endpoint<M>> = Vec::with_capacity(count.get());
        for index in 0..of {
            let shard = Shard::new(index, of).filter(|_| of == 1 || is_udp(&config));
            config.endpoint.shard = shard.ok_or(BindError::Shards)?;
            let endpoint = Endpoint::bind(config.clone())?;
            // The first has found out the port that the others are to share.
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

    /// The endpoints.
    #[must_use]
    pub fn endpoints(&self) -> &[Endpoint<M>] {
        &self.endpoints
    }

    /// The UDP port of all of them; `None` over raw IP.
    #[must_use]
    pub fn udp_port(&self) -> Option<u16> {
        self.endpoints.first().and_then(Endpoint::udp_port)
    }

    /// Accepts associations on SCTP port `port`: one listener for each endpoint, to be served by
    /// threads of their own. Which of them a peer meets is up to its address and ports.
    ///
    /// # Errors
    /// As [`Endpoint::listen`].
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

/// Calls that wait on the calling thread.
impl Shards<Blocking> {
    /// Sets up an association from one of the endpoints, each in turn; from a given local port,
    /// from the one that the peer's own INIT would meet, so that two that call each other at once
    /// get one association.
    ///
    /// # Errors
    /// As [`Endpoint::connect`].
    pub fn connect(&self, target: Target) -> Result<Association, ConnectError> {
        self.choose(&target).connect(target)
    }
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use super::{Association, ConnectError, Shards, Target};
    use crate::handle::Async;

    /// Calls that wait as tasks.
    impl Shards<Async> {
        /// Sets up an association from one of the endpoints, chosen as the blocking call does.
        ///
        /// # Cancellation
        /// As [`Endpoint::connect`](crate::tokio::Endpoint).
        ///
        /// # Errors
        /// As there.
        pub async fn connect(&self, target: Target) -> Result<Association<Async>, ConnectError> {
            self.choose(&target).connect(target).await
        }
    }
}

fn is_udp(config: &Config) -> bool {
    matches!(config.carrier, CarrierKind::Udp { .. })
}

/// Makes the endpoints known to each other and to the kernel.
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
