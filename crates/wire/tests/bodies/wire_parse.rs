use sheave_wire::{
    Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Cause, Causes, Chunk, CommonHeader, Malformed,
    Packet, PacketWriter, Parameter, Parameters, ReConfig, ReConfigParameter, TlvList,
};

/// Reads and prints `bytes` as a packet, as parameters and as causes; writes what was read, and
/// asserts that it reads the same again. Asserts that steps and printed bytes are bounded.
pub(crate) fn wire_parse(bytes: &[u8]) {
    if let Ok(packet) = Packet::parse(bytes) {
        read_packet(&packet);
    }
    read_parameters(Parameters::from_wire(bytes));
    read_causes(Causes::from_wire(bytes));
}

fn read_packet(packet: &Packet<'_>) {
    let bytes = packet.bytes();
    assert_bounded(&packet.to_string(), bytes);
    let _ = packet.checksum_is_valid();

    let chunks = whole_items(packet.chunks(), bytes);
    let raws = whole_items(packet.chunks().raw(), bytes);
    assert!(raws.len() >= chunks.len());
    for (raw, chunk) in raws.iter().zip(&chunks) {
        assert_eq!(raw.chunk_type, chunk.chunk_type());
        assert_eq!(Chunk::parse(raw.bytes()), Ok(*chunk));
    }
    for chunk in &chunks {
        assert!(chunk.encoded_len() <= bytes.len() - CommonHeader::LEN);
        match chunk {
            Chunk::Init(init) | Chunk::InitAck(init) => read_parameters(init.parameters),
            Chunk::Abort(abort) => read_causes(abort.causes),
            Chunk::Error(error) => read_causes(error.causes),
            Chunk::ReConfig(re_config) => read_re_config(*re_config),
            Chunk::Asconf(asconf) => read_asconf(*asconf),
            Chunk::AsconfAck(ack) => read_asconf_ack(*ack),
            Chunk::NrSack(sack) => {
                let blocks = sack.gap_blocks.len() + sack.nr_gap_blocks.len();
                assert!(blocks + sack.duplicates.len() <= bytes.len() / 4);
            }
            Chunk::Sack(sack) => {
                assert!(sack.gap_blocks.len() + sack.duplicates.len() <= bytes.len() / 4);
            }
            _ => {}
        }
    }
    if chunks.is_empty() {
        return;
    }

    let mut written = Vec::new();
    let mut writer = PacketWriter::new(&mut written, packet.header, usize::MAX);
    for chunk in &chunks {
        assert!(writer.fits(chunk));
        writer.push(chunk);
    }
    writer.finish();
    let again = Packet::parse(&written).expect("a packet that was written");
    assert_eq!(again.header, packet.header);
    assert!(again.checksum_is_valid());
    assert_eq!(again.chunks().collect::<Result<Vec<_>, _>>(), Ok(chunks));
}

fn read_parameters(parameters: Parameters<'_>) {
    let bytes = parameters.wire_bytes().expect("parameters from the wire");
    assert_bounded(&parameters.to_string(), bytes);
    let whole: Vec<Parameter<'_>> = whole_items(parameters.iter(), bytes);

    let mut written = Vec::new();
    let rewritten = Parameters::from(&whole[..]);
    rewritten.write(&mut written);
    assert_eq!(written.len(), rewritten.encoded_len());
    assert_eq!(Parameters::from_wire(&written), rewritten);
}

fn read_re_config(chunk: ReConfig<'_>) {
    let bytes = chunk
        .parameters
        .wire_bytes()
        .expect("a chunk from the wire");
    assert_bounded(&chunk.to_string(), bytes);
    let whole: Vec<ReConfigParameter<'_>> = whole_items(chunk.parameters.iter(), bytes);

    let mut written = Vec::new();
    let rewritten = TlvList::from(&whole[..]);
    rewritten.write(&mut written);
    assert_eq!(written.len(), rewritten.encoded_len());
    assert_eq!(TlvList::from_wire(&written), rewritten);
}

fn read_asconf(chunk: Asconf<'_>) {
    let bytes = chunk.requests.wire_bytes().expect("a chunk from the wire");
    assert_bounded(&chunk.to_string(), bytes);
    let whole: Vec<AsconfRequest<'_>> = whole_items(chunk.requests.iter(), bytes);

    let mut written = Vec::new();
    let rewritten = TlvList::from(&whole[..]);
    rewritten.write(&mut written);
    assert_eq!(TlvList::from_wire(&written), rewritten);
}

fn read_asconf_ack(chunk: AsconfAck<'_>) {
    let bytes = chunk.outcomes.wire_bytes().expect("a chunk from the wire");
    assert_bounded(&chunk.to_string(), bytes);
    let whole: Vec<AsconfOutcome<'_>> = whole_items(chunk.outcomes.iter(), bytes);

    let mut written = Vec::new();
    let rewritten = TlvList::from(&whole[..]);
    rewritten.write(&mut written);
    assert_eq!(TlvList::from_wire(&written), rewritten);
}

fn read_causes(causes: Causes<'_>) {
    let bytes = causes.wire_bytes().expect("causes from the wire");
    assert_bounded(&causes.to_string(), bytes);
    let whole: Vec<Cause<'_>> = whole_items(causes.iter(), bytes);

    let mut written = Vec::new();
    let rewritten = Causes::from(&whole[..]);
    rewritten.write(&mut written);
    assert_eq!(written.len(), rewritten.encoded_len());
    assert_eq!(Causes::from_wire(&written), rewritten);
}

/// The items up to the first fault, which must be the last step of a walk of four bytes or more a
/// step.
fn whole_items<T>(mut walk: impl Iterator<Item = Result<T, Malformed>>, bytes: &[u8]) -> Vec<T> {
    let mut items = Vec::new();
    for step in walk.by_ref() {
        match step {
            Ok(item) => items.push(item),
            Err(fault) => {
                assert!(fault.at <= bytes.len());
                assert!(!fault.to_string().is_empty());
                break;
            }
        }
        assert!(items.len() <= bytes.len() / 4);
    }
    assert!(walk.next().is_none(), "nothing follows a fault");
    items
}

/// Nothing prints more than a line of bounded length for each four bytes.
fn assert_bounded(printed: &str, bytes: &[u8]) {
    assert!(
        printed.len() <= 200 + 16 * bytes.len(),
        "{} bytes printed",
        printed.len()
    );
}
