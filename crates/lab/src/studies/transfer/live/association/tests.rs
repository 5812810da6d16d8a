use super::*;

#[test]
fn files_take_turns_on_their_streams_chunk_by_chunk() {
    let files = Equal {
        count: 2,
        len: CHUNK + 1,
    };
    let mut lanes = Lanes::new(files);
    assert_eq!(lanes.poll(), None);
    lanes.take(TransferMessage::Want(0));
    lanes.take(TransferMessage::Want(1));
    let sent: Vec<(u16, TransferMessage)> = core::iter::from_fn(|| lanes.poll()).collect();
    let of = |id, stream| {
        [
            (stream, TransferMessage::Begin(id)),
            (stream, TransferMessage::Data(id, CHUNK)),
            (stream, TransferMessage::Data(id, 1)),
            (stream, TransferMessage::End(id)),
        ]
    };
    let turns: Vec<_> = of(0, 1).into_iter().zip(of(1, 2)).collect();
    let turns: Vec<_> = turns
        .into_iter()
        .flat_map(|(one, other)| [one, other])
        .collect();
    assert_eq!(sent, turns);
    lanes.take(TransferMessage::Settled(0));
    assert_eq!(lanes.settled, 1);
}
