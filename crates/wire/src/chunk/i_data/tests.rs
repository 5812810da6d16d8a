use crate::{DataFlags, Fsn, IData, Mid, Ppid, StreamId, Tsn};

const FIRST: IData<'static> = IData {
    flags: DataFlags::BEGINNING.union(DataFlags::UNORDERED),
    tsn: Tsn(0x0102_0304),
    stream: StreamId(5),
    mid: Mid(0x0708_090a),
    ppid_or_fsn: 51,
    payload: b"ab",
};

#[test]
fn the_first_fragment_has_a_ppid_and_a_later_one_its_number() {
    assert_eq!((FIRST.ppid(), FIRST.fsn()), (Some(Ppid(51)), Fsn(0)));
    let later = IData {
        flags: DataFlags::ENDING,
        ..FIRST
    };
    assert_eq!((later.ppid(), later.fsn()), (None, Fsn(51)));
}
