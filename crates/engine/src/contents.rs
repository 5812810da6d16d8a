use sheave_wire::{
    Cause, Chunk, ChunkType, ErrorChunk, Malformed, Packet, RawChunk, TagReflection,
};

/// Summary of a packet's chunks for the rules on verification tags (RFC 9260 §8.5) and
/// out-of-the-blue packets (§8.4), collected in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    first: Option<ChunkType>,
    /// Number of chunks.
    count: usize,
    /// A bit for each chunk type below 16, the types defined in RFC 9260.
    types: u16,
    abort: Option<TagReflection>,
    shutdown_complete: Option<TagReflection>,
    stale_cookie: Presence,
    malformed: Presence,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Presence {
    #[default]
    Absent,
    Present,
}

impl Contents {
    /// Summarises `packet` up to the first malformed chunk.
    pub(crate) fn of(packet: &Packet<'_>) -> Self {
        let mut contents = Self::default();
        let mut chunks = packet.chunks().raw();
        let is_whole = chunks.try_for_each(|raw| contents.add(&raw?));
        if is_whole.is_err() {
            contents.malformed = Presence::Present;
        }
        contents
    }

    /// Adds a chunk. Chunks not defined in RFC 9260 are not parsed; they may belong to an extension
    /// not in use.
    fn add(&mut self, raw: &RawChunk<'_>) -> Result<(), Malformed> {
        let chunk_type = raw.chunk_type;
        let chunk = if chunk_type.is_basic() {
            Chunk::from_raw(raw)?
        } else {
            Chunk::Unknown(*raw)
        };
        // RFC 4895 §6.3: the chunk after AUTH determines the kind of packet.
        if chunk_type != ChunkType::AUTH || self.count > 0 {
            self.first.get_or_insert(chunk_type);
        }
        self.count += 1;
        self.types |= bit(chunk_type);
        match chunk {
            Chunk::Abort(abort) => {
                self.abort.get_or_insert(abort.reflected);
            }
            Chunk::ShutdownComplete(complete) => {
                self.shutdown_complete.get_or_insert(complete.reflected);
            }
            Chunk::Error(error) if tells_of_stale_cookie(&error) => {
                self.stale_cookie = Presence::Present;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the packet contains a chunk of the type, one defined in RFC 9260.
    pub(crate) const fn has(&self, chunk_type: ChunkType) -> bool {
        self.types & bit(chunk_type) != 0
    }

    /// Whether the packet's first chunk, ignoring a leading AUTH, has the type.
    pub(crate) fn begins_with(&self, chunk_type: ChunkType) -> bool {
        self.first == Some(chunk_type)
    }

    /// Whether the packet contains exactly one chunk, of the type, and nothing malformed.
    pub(crate) fn is_only(&self, chunk_type: ChunkType) -> bool {
        self.count == 1 && self.begins_with(chunk_type) && !self.is_malformed()
    }

    /// The T bit of the first ABORT, if any.
    pub(crate) const fn abort(&self) -> Option<TagReflection> {
        self.abort
    }

    /// The T bit of the first SHUTDOWN COMPLETE, if any.
    pub(crate) const fn shutdown_complete(&self) -> Option<TagReflection> {
        self.shutdown_complete
    }

    /// Whether the packet contains an ERROR with the cause Stale Cookie.
    pub(crate) fn has_stale_cookie(&self) -> bool {
        self.stale_cookie == Presence::Present
    }

    /// Whether a chunk is malformed; later chunks are then unknown.
    pub(crate) fn is_malformed(&self) -> bool {
        self.malformed == Presence::Present
    }
}

/// The bit of a chunk type; 0 for types beyond RFC 9260.
const fn bit(chunk_type: ChunkType) -> u16 {
    match chunk_type.0 {
        number @ 0..16 => 1 << number,
        _ => 0,
    }
}

fn tells_of_stale_cookie(error: &ErrorChunk<'_>) -> bool {
    error
        .causes
        .iter()
        .any(|cause| matches!(cause, Ok(Cause::StaleCookie { .. })))
}
