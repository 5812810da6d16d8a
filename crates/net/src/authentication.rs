//! Keys and chunks of the AUTH extension (RFC 4895).

pub use sheave_engine::{ChunkSet, HmacAlgorithm, KeyId, SharedKey};
pub use sheave_wire::ChunkType;
