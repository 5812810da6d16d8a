use sheave_engine::wire::{
    Chunk, ChunkType, Data, DataFlags, IData, Packet, RawChunk, StreamId, Tsn,
};

use crate::{Side, packets_to_pcap, tshark};

/// Packets in the order in which two ends put them on the network.
#[derive(Clone, Debug, Default)]
pub struct Tape(Vec<(Side, Vec<u8>)>);

impl Tape {
    pub(crate) fn push(&mut self, from: Side, packet: &[u8]) {
        self.0.push((from, packet.to_vec()));
    }

    /// The packets of one end.
    pub fn packets(&self, from: Side) -> impl Iterator<Item = &[u8]> {
        let of_it = self.0.iter().filter(move |(side, _)| *side == from);
        of_it.map(|(_, packet)| packet.as_slice())
    }

    fn raws(&self, from: Side) -> impl Iterator<Item = RawChunk<'_>> {
        let packets = self
            .packets(from)
            .filter_map(|bytes| Packet::parse(bytes).ok());
        packets.flat_map(|packet| packet.chunks().raw().flatten())
    }

    /// Checks that tshark finds no fault in it, where the machine has it.
    /// Panics: it finds one.
    pub fn assert_well_formed(&self) {
        let file = packets_to_pcap(Side::BOTH.into_iter().flat_map(|from| self.packets(from)));
        if let Some((_, wrong)) = tshark(&file) {
            assert_eq!(wrong, Vec::<String>::new());
        }
        std::fs::remove_file(file).expect("the file was ours");
    }

    /// Number of chunks of a type that one end sent.
    pub fn count(&self, from: Side, wanted: ChunkType) -> usize {
        let types = self.raws(from).map(|raw| raw.chunk_type);
        types.filter(|chunk_type| *chunk_type == wanted).count()
    }

    /// Parses the chunks of a type that one end sent; `None` for one that is malformed.
    pub fn read<'a, T: 'a>(
        &'a self,
        from: Side,
        wanted: ChunkType,
        read: impl Fn(Chunk<'a>) -> Option<T> + 'a,
    ) -> impl Iterator<Item = Option<T>> {
        let raws = self.raws(from).filter(move |raw| raw.chunk_type == wanted);
        raws.map(move |raw| Chunk::from_raw(&raw).ok().and_then(&read))
    }

    /// The fragments that one end sent, each once, in order of their first transmission.
    pub fn fragments(&self, from: Side) -> Vec<Fragment> {
        let mut seen = std::collections::BTreeSet::new();
        let chunks = self.raws(from).flat_map(|raw| Chunk::from_raw(&raw));
        let all = chunks.filter_map(|chunk| match chunk {
            Chunk::Data(data) => Some(Fragment::from(data)),
            Chunk::IData(data) => Some(Fragment::from(data)),
            _ => None,
        });
        all.filter(|fragment| seen.insert(fragment.tsn.0)).collect()
    }
}

/// The header of a DATA or I-DATA chunk.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// Number of the chunk.
    pub tsn: Tsn,
    /// Stream of the chunk.
    pub stream: StreamId,
    /// SSN or MID of its message.
    pub message: u32,
    /// Position in the message.
    pub flags: DataFlags,
}

impl From<Data<'_>> for Fragment {
    fn from(data: Data<'_>) -> Self {
        Self {
            tsn: data.tsn,
            stream: data.stream,
            message: data.ssn.0.into(),
            flags: data.flags,
        }
    }
}

impl From<IData<'_>> for Fragment {
    fn from(data: IData<'_>) -> Self {
        Self {
            tsn: data.tsn,
            stream: data.stream,
            message: data.mid.0,
            flags: data.flags,
        }
    }
}
