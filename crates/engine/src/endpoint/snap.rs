//! Associations without a handshake: the ends exchange their INIT chunks by signalling, as
//! `a=sctp-init` in SDP (draft-hancke-tsvwg-snap).

use alloc::vec::Vec;
use core::net::IpAddr;

use sheave_wire::{Chunk, Init, Parameters, Tsn, Vtag};

use super::connect::Ends;
use super::{Connect, Endpoint};
use crate::assoc::{Tcb, advertised, pair};
use crate::cookie::Cookie;
use crate::offer::Offer;
use crate::peer_parameters::{self, AddressTypes, PeerParameters};
use crate::rng::Rng;
use crate::value::extension::ExtensionSet;
use crate::{AssocId, ConnectError, OptionError, Options, PeerAddress, Protection, Time};

/// The INIT chunks of both ends.
#[derive(Clone, Copy, Debug)]
pub struct Inits<'a> {
    ours: &'a [u8],
    theirs: &'a [u8],
}

impl<'a> Inits<'a> {
    /// Pairs our own chunk, from [`Endpoint::init_chunk`], with the chunk from the signalling.
    /// `None` if the two are equal: the peer does not support this, and copied our unknown
    /// attribute into its answer.
    #[must_use]
    pub fn new(ours: &'a [u8], theirs: &'a [u8]) -> Option<Self> {
        (ours != theirs).then_some(Self { ours, theirs })
    }
}

impl Endpoint {
    /// Creates the INIT chunk of a future association with these options, for the signalling. Tag
    /// and TSN derive from `seed`, which must be used only once. The chunk offers neither
    /// authentication keys (RFC 4895) nor addresses.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn init_chunk(options: &Options, seed: [u8; 32]) -> Result<Vec<u8>, OptionError> {
        options.validate()?;
        let mut rng = Rng::new(seed);
        let extensions = Offer::on(offered(options)).with_adaptation(options.adaptation_indication);
        let anywhere = IpAddr::from([0, 0, 0, 0]);
        let parameters = peer_parameters::init_parameters(&[], anywhere, None, &extensions);
        let init = Chunk::Init(Init {
            initiate_tag: Vtag(rng.nonzero_u32()),
            a_rwnd: advertised(options),
            outbound_streams: options.outbound_streams,
            inbound_streams: options.max_inbound_streams,
            initial_tsn: Tsn(rng.u32()),
            parameters: Parameters::from(&parameters[..]),
        });
        let mut bytes = Vec::new();
        init.write(&mut bytes);
        Ok(bytes)
    }

    /// Starts an association whose ends have exchanged INIT chunks already. Both ends call this;
    /// the association is up at once. `to` must hold the options given to
    /// [`init_chunk`](Self::init_chunk) and one peer address. If it names several local addresses,
    /// the association uses the one selected by the route, which the peer must know.
    ///
    /// # Errors
    /// The errors of [`connect`](Self::connect), and [`ConnectError::BadInit`].
    pub fn connect_with_inits(
        &mut self,
        now: Time,
        to: Connect,
        inits: Inits<'_>,
    ) -> Result<AssocId, ConnectError> {
        let Ends {
            local,
            remote,
            local_port,
        } = self.choose_ends(&to)?;
        let source = remote[0];
        // The peer knows one address of ours, so the INIT lists none.
        let routes = self.routes.as_deref();
        let known = pair(routes, &local, source.ip, 0).ok_or(ConnectError::NoAddress)?;
        let ours = parse(inits.ours)?;
        let theirs = self.read_init(&to.options, &parse(inits.theirs)?, source)?;
        let tag = ours.initiate_tag;
        if tag == Vtag(0) || tag == theirs.tag || self.registry.by_tag(tag).is_some() {
            return Err(ConnectError::BadInit);
        }
        let announced = offered(&to.options);
        let options = self.shared(to.options);
        let streams = theirs.negotiate(options.outbound_streams, options.max_inbound_streams);
        let cookie = Cookie {
            local_port,
            remote_port: to.remote_port,
            local_tag: tag,
            peer_tag: theirs.tag,
            local_initial_tsn: ours.initial_tsn,
            peer_initial_tsn: theirs.initial_tsn,
            peer_rwnd: theirs.rwnd,
            outbound_streams: streams.outbound,
            inbound_streams: streams.inbound,
            tie_tags: None,
            created: now,
            lifespan: options.valid_cookie_life,
            local: known,
            source,
            listed: Vec::new(),
            extensions: (options.agreed(theirs.extensions)).without(ExtensionSet::AUTHENTICATION),
            vectors: None,
            adaptation: theirs.adaptation,
            protection: None,
        };
        let index = self.registry.vacancy();
        let id = self.registry.id(index);
        self.enroll(now, index, |cx| {
            let mut tcb = Tcb::accept(cx, id, &cookie, [known].into(), options);
            // The chunk was written before the peer's was known, so it offers more than an INIT ACK
            // would.
            tcb.announced = announced;
            tcb
        });
        self.settle(now, index);
        Ok(id)
    }

    fn read_init(
        &self,
        options: &Options,
        init: &Init<'_>,
        source: PeerAddress,
    ) -> Result<PeerParameters, ConnectError> {
        let families = AddressTypes::of(self.local.all().iter().copied());
        let known = Offer::on(offered(options));
        let read = PeerParameters::of_init(init, source.ip, families, &known);
        let read = read.map_err(|_| ConnectError::BadInit)?;
        let strict = options.protection == Protection::Strict;
        match read.satisfies(&options.authentication) && !strict {
            true => Ok(read),
            false => Err(ConnectError::BadInit),
        }
    }
}

/// The extensions offered by an INIT from the signalling.
fn offered(options: &Options) -> ExtensionSet {
    let extensions = options.extensions();
    (extensions.without(ExtensionSet::AUTHENTICATION)).without(ExtensionSet::ADDRESS_CHANGES)
}

/// Parses exactly one INIT chunk.
fn parse(bytes: &[u8]) -> Result<Init<'_>, ConnectError> {
    match Chunk::parse(bytes) {
        Ok(Chunk::Init(init)) => Ok(init),
        _ => Err(ConnectError::BadInit),
    }
}
