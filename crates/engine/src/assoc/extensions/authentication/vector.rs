use alloc::boxed::Box;
use alloc::vec::Vec;

use sheave_wire::{ChunkType, Parameter, Parameters};

use crate::rng::Rng;
use crate::value::authentication::{AuthenticationOptions, ChunkSet, HmacAlgorithm};
use crate::value::extension::ExtensionSet;

/// Length of a random number, bytes (RFC 4895 §6.1).
pub(crate) const RANDOM_LEN: usize = 32;

/// Most chunk types and algorithms accepted from a peer: there are no more types, and no honest
/// peer has more algorithms.
const MAX_TYPES: usize = 256;
const MAX_ALGORITHMS: usize = 8;

/// Most bytes of a key vector, padding included.
pub(crate) const MAX_VECTOR_LEN: usize =
    (4 + RANDOM_LEN) + (4 + MAX_TYPES) + (4 + 2 * MAX_ALGORITHMS);

/// The key vector of an end: its parameters Random, Chunk List and Requested HMACs, in this order
/// and without padding (RFC 4895 §6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyVector(Box<[u8]>);

impl KeyVector {
    /// Creates our key vector. `offered` are the extensions that the peer may accept: their formats
    /// of the requested chunks are listed too, since the peer must know of them.
    pub(crate) fn fresh(
        options: &AuthenticationOptions,
        offered: ExtensionSet,
        rng: &mut Rng,
    ) -> Self {
        let mut random = [0; RANDOM_LEN];
        rng.fill(&mut random);
        let formats = options.chunks.with_other_formats();
        let also = formats.intersection(ChunkSet::of(offered.chunks()));
        let types = options.chunks.union(also).numbers();
        let ids: Vec<u16> = options.algorithms.iter().map(|hmac| hmac.id()).collect();
        let list = (!types.is_empty()).then_some(Parameter::ChunkList(&types));
        Self::of(
            Parameter::Random(&random),
            list,
            Parameter::RequestedHmacs(ids[..].into()),
        )
    }

    /// Creates the key vector of a peer from its parameters. Fails for lists longer than any honest
    /// peer sends.
    ///
    /// # Errors
    /// The violated rule.
    pub(crate) fn of_peer(
        random: &[u8],
        types: Option<&[u8]>,
        algorithms: sheave_wire::List<'_, u16>,
    ) -> Result<Self, &'static str> {
        if random.len() != RANDOM_LEN {
            return Err("the random number has 32 bytes");
        }
        if types.is_some_and(|types| types.len() > MAX_TYPES) {
            return Err("a chunk list names each type once");
        }
        if algorithms.len() > MAX_ALGORITHMS {
            return Err("no more than 8 algorithms");
        }
        Ok(Self::of(
            Parameter::Random(random),
            types.map(Parameter::ChunkList),
            Parameter::RequestedHmacs(algorithms),
        ))
    }

    fn of(random: Parameter<'_>, list: Option<Parameter<'_>>, hmacs: Parameter<'_>) -> Self {
        let mut bytes = Vec::new();
        for parameter in [Some(random), list, Some(hmacs)].into_iter().flatten() {
            parameter.write(&mut bytes);
        }
        Self(bytes.into())
    }

    /// Creates a vector from its encoded bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The parameters of the vector. They are stored without padding, so a regular parameter
    /// iterator cannot be used.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = Parameter<'_>> {
        let mut rest = &self.0[..];
        core::iter::from_fn(move || {
            let parameter = Parameters::from_wire(rest).iter().next()?.ok()?;
            rest = rest.get(parameter.encoded_len()..)?;
            Some(parameter)
        })
    }

    /// The chunk types that this end accepts only if authenticated.
    pub(crate) fn chunks(&self) -> ChunkSet {
        let lists = self.parameters().filter_map(|parameter| match parameter {
            Parameter::ChunkList(types) => Some(types),
            _ => None,
        });
        ChunkSet::of(lists.flatten().copied().map(ChunkType))
    }

    /// Whether this end accepts HMACs with the id.
    pub(crate) fn takes(&self, id: u16) -> bool {
        self.algorithms().any(|offered| offered == id)
    }

    /// The first of its algorithms that we support (RFC 4895 §6.1).
    pub(crate) fn preferred(&self) -> Option<HmacAlgorithm> {
        self.algorithms().find_map(HmacAlgorithm::from_id)
    }

    fn algorithms(&self) -> impl Iterator<Item = u16> {
        let lists = self.parameters().filter_map(|parameter| match parameter {
            Parameter::RequestedHmacs(ids) => Some(ids),
            _ => None,
        });
        lists.flatten()
    }

    /// The vector as a number, without leading zeros.
    fn number(&self) -> &[u8] {
        let zeros = self.0.iter().take_while(|byte| **byte == 0).count();
        self.0.get(zeros..).unwrap_or_default()
    }
}

/// The key vectors of both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vectors {
    pub(crate) ours: KeyVector,
    pub(crate) theirs: KeyVector,
}

impl Vectors {
    /// The association shared key: the secret, then the numerically smaller vector, then the other;
    /// of numerically equal vectors the shorter comes first (RFC 4895 §6.1).
    pub(super) fn association_key(&self, secret: &[u8]) -> Vec<u8> {
        let rank = |vector: &'_ KeyVector| (vector.number().len(), vector.number().to_vec());
        let ours = (rank(&self.ours), self.ours.0.len());
        let theirs = (rank(&self.theirs), self.theirs.0.len());
        let (small, large) = if ours <= theirs {
            (&self.ours, &self.theirs)
        } else {
            (&self.theirs, &self.ours)
        };
        [secret, &small.0, &large.0].concat()
    }
}
