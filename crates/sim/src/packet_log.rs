//! The packets of an association, chunk by chunk.

use core::fmt::{self, Display};
use core::net::IpAddr;

use sheave_engine::Time;
use sheave_engine::wire::{Chunk, Data, DataFlags, GapBlock, Packet, StreamId, Tsn};

/// Direction of a packet, from the view of the logging end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Sent,
    Received,
}

/// A packet that was sent or received.
#[derive(Debug)]
pub(crate) struct LoggedPacket {
    pub(crate) time: Time,
    pub(crate) direction: Direction,
    /// The peer's address.
    pub(crate) remote: IpAddr,
    /// Length of the packet in bytes, without the IP header.
    pub(crate) len: usize,
    /// The chunks, as a JSON array.
    pub(crate) chunks: String,
}

impl LoggedPacket {
    pub(crate) fn new(time: Time, direction: Direction, remote: IpAddr, packet: &[u8]) -> Self {
        Self {
            time,
            direction,
            remote,
            len: packet.len(),
            chunks: List(|| chunks(packet).map(Json)).to_string(),
        }
    }
}

/// The chunks of a packet, up to the first malformed one.
pub(crate) fn chunks(packet: &[u8]) -> impl Iterator<Item = Chunk<'_>> {
    let packet = Packet::parse(packet).into_iter();
    packet.flat_map(|packet| packet.chunks().map_while(Result::ok))
}

/// A chunk as JSON.
struct Json<'a>(Chunk<'a>);

impl Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, len) = (self.0.chunk_type(), self.0.encoded_len());
        write!(f, "{{\"type\":\"{kind}\",\"length\":{len}")?;
        match &self.0 {
            Chunk::Data(data) => write_data(f, data)?,
            Chunk::CheckedData(checked) => write_data(f, &checked.data)?,
            Chunk::IData(data) => {
                write_user(f, (data.tsn, data.stream, data.flags))?;
                write!(f, ",\"mid\":{},\"fsn\":{}", data.mid, data.fsn())?;
            }
            Chunk::Sack(sack) => {
                let (cumulative, gaps) = (sack.cumulative_tsn_ack, sack.gap_blocks.iter());
                write_report(f, (cumulative, sack.a_rwnd), || gaps.clone())?;
                write!(f, ",\"duplicates\":{}", List(|| sack.duplicates.iter()))?;
            }
            Chunk::NrSack(sack) => {
                let gaps = sack.gap_blocks.iter().chain(sack.nr_gap_blocks.iter());
                let cumulative = sack.cumulative_tsn_ack;
                write_report(f, (cumulative, sack.a_rwnd), || gaps.clone())?;
                write!(f, ",\"duplicates\":{}", List(|| sack.duplicates.iter()))?;
            }
            Chunk::ForwardTsn(forward) => write_skip(f, forward.new_cumulative_tsn)?,
            Chunk::IForwardTsn(forward) => write_skip(f, forward.new_cumulative_tsn)?,
            _ => {}
        }
        f.write_str("}")
    }
}

fn write_data(f: &mut fmt::Formatter<'_>, data: &Data<'_>) -> fmt::Result {
    write_user(f, (data.tsn, data.stream, data.flags))?;
    write!(f, ",\"ssn\":{}", data.ssn)
}

fn write_user(
    f: &mut fmt::Formatter<'_>,
    (tsn, stream, flags): (Tsn, StreamId, DataFlags),
) -> fmt::Result {
    let stream = stream.0;
    write!(
        f,
        ",\"tsn\":{tsn},\"stream\":{stream},\"flags\":\"{flags}\""
    )
}

fn write_skip(f: &mut fmt::Formatter<'_>, tsn: Tsn) -> fmt::Result {
    write!(f, ",\"new_cumulative_tsn\":{tsn}")
}

/// Writes what a SACK has received, gap blocks as the first and the last of their TSNs.
fn write_report<I: Iterator<Item = GapBlock>>(
    f: &mut fmt::Formatter<'_>,
    (cumulative, rwnd): (Tsn, u32),
    gaps: impl Fn() -> I,
) -> fmt::Result {
    let tsn = |offset: u16| cumulative.plus(offset.into());
    let gaps = List(|| gaps().map(|gap| List(move || [tsn(gap.start), tsn(gap.end)])));
    write!(
        f,
        ",\"cumulative_tsn_ack\":{cumulative},\"a_rwnd\":{rwnd},\"gaps\":{gaps}"
    )
}

/// Elements as an array of JSON.
struct List<F>(F);

impl<I, F> Display for List<F>
where
    F: Fn() -> I,
    I: IntoIterator<Item: Display>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (place, element) in (self.0)().into_iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{element}")?;
        }
        f.write_str("]")
    }
}
