//! Values of options, right and wrong ones.

/// A generator of random numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// A field of an option's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field {
    Assoc,
    Address,
    /// The address behind four bytes that align it.
    AlignedAddress,
    U8,
    U16,
    U32,
    /// 0 or 1, or now and then another number, in 32 bits.
    Switch,
    Flag,
    Flag16,
    Zeros(usize),
    /// Streams or others in a list.
    Bytes(&'static str),
}

/// An option and the layout of its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SocketOption {
    pub(crate) level: i32,
    pub(crate) name: i32,
    fields: &'static [Field],
}

use Field::{Address, AlignedAddress, Assoc, Bytes, Flag, Switch, U8, U16, U32, Zeros};

const fn sctp(name: i32, fields: &'static [Field]) -> SocketOption {
    SocketOption {
        level: 132,
        name,
        fields,
    }
}

const fn socket(name: i32, fields: &'static [Field]) -> SocketOption {
    SocketOption {
        level: 1,
        name,
        fields,
    }
}

const fn ip(level: i32, name: i32, fields: &'static [Field]) -> SocketOption {
    SocketOption {
        level,
        name,
        fields,
    }
}

/// The options that are drawn.
pub(crate) fn options() -> &'static [&'static SocketOption] {
    LIST
}

static LIST: &[&SocketOption] = &[
    &sctp(0, &[Assoc, U32, U32, U32]),
    &sctp(1, &[Assoc, U16, U16, U32, U32, U32]),
    &sctp(2, &[U16, U16, U16, U16]),
    &sctp(3, &[Switch]),
    &sctp(4, &[U32]),
    &sctp(5, &[Assoc, Address]),
    &sctp(6, &[Assoc, Address]),
    &sctp(7, &[U32]),
    &sctp(8, &[Switch]),
    &sctp(9, &[Assoc, Address, U32, U16, U32, U32, Flag, Zeros(2)]),
    &sctp(
        9,
        &[Assoc, Address, U32, U16, U32, U32, Flag, U32, U8, Zeros(1)],
    ),
    &sctp(10, &[U16, Zeros(2), Flag, U32, U32, U32, Zeros(8), Assoc]),
    &sctp(11, &[Bytes("0101000101010101010001010101")]),
    &sctp(12, &[Switch]),
    &sctp(13, &[Assoc, U32]),
    &sctp(13, &[U32]),
    &sctp(14, &[Assoc, Zeros(172)]),
    &sctp(15, &[Assoc, Address, Zeros(20)]),
    &sctp(16, &[Assoc, U32, U32]),
    &sctp(17, &[Assoc, U32]),
    &sctp(18, &[U32]),
    &sctp(19, &[U32]),
    &sctp(20, &[Assoc, U32]),
    &sctp(20, &[U32]),
    &sctp(21, &[U8]),
    &sctp(22, &[Bytes("020000000100"), Bytes("0300")]),
    &sctp(22, &[Bytes("010000000300")]),
    &sctp(23, &[Assoc, U16, Bytes("0400"), Bytes("61626364")]),
    &sctp(24, &[Assoc, U16, Zeros(2)]),
    &sctp(25, &[Assoc, U16, Zeros(2)]),
    &sctp(26, &[Assoc, Zeros(30)]),
    &sctp(27, &[Assoc, Zeros(30)]),
    &sctp(35, &[Assoc, U16, Zeros(2)]),
    &sctp(28, &[Zeros(4)]),
    &sctp(29, &[Zeros(40)]),
    &sctp(30, &[Switch]),
    &sctp(31, &[Assoc, AlignedAddress, U16, U16, Zeros(4)]),
    &sctp(32, &[Switch]),
    &sctp(33, &[Switch]),
    &sctp(34, &[U16, Flag16, U32, U32, Assoc]),
    &sctp(36, &[Switch]),
    &sctp(37, &[Assoc, AlignedAddress, U16, U16, U16, Zeros(2)]),
    &sctp(112, &[Assoc, Zeros(252)]),
    &sctp(113, &[Assoc, Switch]),
    &sctp(114, &[Assoc, U32, Flag16, Zeros(2)]),
    &sctp(115, &[Assoc, U16, Flag16, Zeros(16)]),
    &sctp(116, &[Assoc, U16, Flag16, Zeros(16)]),
    &sctp(117, &[Assoc, Switch]),
    &sctp(118, &[Assoc, U32]),
    &sctp(119, &[Assoc, Bytes("010001000000")]),
    &sctp(119, &[Assoc, Bytes("02000000")]),
    &sctp(120, &[Assoc]),
    &sctp(121, &[Assoc, U16, U16]),
    &sctp(123, &[Assoc, U32]),
    &sctp(124, &[Assoc, U16, U16]),
    &sctp(125, &[Assoc, Switch]),
    &sctp(127, &[Assoc, Bytes("0180"), U8, Zeros(1)]),
    &sctp(127, &[Assoc, Bytes("0580"), U8, Zeros(1)]),
    &sctp(128, &[Assoc, Switch]),
    &sctp(129, &[Assoc, Switch]),
    &sctp(130, &[Assoc, Switch]),
    &sctp(131, &[Assoc, U32]),
    &sctp(133, &[Assoc, AlignedAddress, U32, Zeros(4)]),
    &socket(2, &[Switch]),
    &socket(3, &[Zeros(4)]),
    &socket(4, &[Zeros(4)]),
    &socket(7, &[Bytes("00100000")]),
    &socket(8, &[Bytes("00800000")]),
    &socket(13, &[Switch, Bytes("00000000")]),
    &socket(13, &[Switch, Bytes("01000000")]),
    &socket(30, &[Zeros(4)]),
    &socket(38, &[Zeros(4)]),
    &socket(39, &[Zeros(4)]),
    &socket(5, &[Switch]),
    &socket(6, &[Switch]),
    &socket(9, &[Switch]),
    &socket(10, &[Switch]),
    &socket(12, &[Switch]),
    &socket(15, &[Switch]),
    &socket(18, &[Switch]),
    &socket(20, &[Zeros(8), U32, Zeros(4)]),
    &socket(21, &[Zeros(8), U32, Zeros(4)]),
    &socket(35, &[Zeros(4)]),
    &socket(32, &[Bytes("00100000")]),
    &socket(33, &[Bytes("00800000")]),
    &socket(42, &[Switch]),
    &ip(0, 1, &[Switch]),
    &ip(0, 2, &[Switch]),
    &ip(0, 8, &[Switch]),
    &ip(0, 10, &[Switch]),
    &ip(0, 11, &[Switch]),
    &ip(0, 15, &[Switch]),
    &ip(0, 19, &[Switch]),
    &ip(41, 16, &[Switch]),
    &ip(41, 23, &[Switch]),
    &ip(41, 26, &[Switch]),
    &ip(41, 49, &[Switch]),
    &ip(41, 67, &[Switch]),
    &ip(41, 78, &[Switch]),
];

use Field::Flag16;

/// A value for an option, seldom of a wrong length.
pub(crate) fn option_value(
    random: &mut Random,
    option: &SocketOption,
    assoc: &str,
    family: u8,
) -> String {
    let mut value: String = option
        .fields
        .iter()
        .map(|field| field.draw(random, assoc, family))
        .collect();
    match random.below(30) {
        0 => value += "00",
        1 => value += "#4",
        2 if !value.contains(['#', '@', '%']) && value.len() > 2 => {
            value.truncate(value.len() - 2);
        }
        _ => {}
    }
    value
}

impl SocketOption {
    /// Fields of a question that name something.
    pub(crate) fn question(&self, random: &mut Random, assoc: &str, family: u8) -> String {
        let mut value: String = self
            .fields
            .iter()
            .map(|field| match field {
                Assoc | Address | AlignedAddress => field.draw(random, assoc, family),
                U8 => "00".to_owned(),
                U16 => match self.name {
                    124 | 115 | 116 => field.draw(random, assoc, family),
                    _ => "0000".to_owned(),
                },
                Flag16 => "0000".to_owned(),
                U32 | Switch | Flag => "00000000".to_owned(),
                Zeros(count) => format!("#{count}-"),
                Bytes(bytes) => (*bytes).to_owned(),
            })
            .collect();
        if random.one_in(20) {
            value += "#8";
        }
        value
    }
}

impl Field {
    fn draw(&self, random: &mut Random, assoc: &str, family: u8) -> String {
        match self {
            Assoc => assoc.to_owned(),
            Address => address(random, family),
            AlignedAddress => format!("#4-{}", address(random, family)),
            U8 => random.pick(&["00", "01", "01", "02"]).to_owned(),
            U16 => random
                .pick(&["0000", "0100", "0200", "0500", "0a00", "ff00", "ffff"])
                .to_owned(),
            Flag16 => random
                .pick(&[
                    "0000", "0000", "0400", "0100", "1000", "2000", "3000", "0008", "0001",
                ])
                .to_owned(),
            U32 => random
                .pick(&[
                    "00000000", "01000000", "02000000", "0a000000", "64000000", "f4010000",
                    "e8030000", "10270000", "ffff0000", "ffffffff",
                ])
                .to_owned(),
            Switch => random
                .pick(&["00000000", "01000000", "01000000", "02000000", "ffffffff"])
                .to_owned(),
            Flag => random
                .pick(&[
                    "00000000", "01000000", "02000000", "04000000", "08000000", "10000000",
                    "20000000", "40000000", "50000000", "60000000", "00010000", "00020000",
                ])
                .to_owned(),
            Zeros(count) => format!("#{count}-"),
            Bytes(bytes) => (*bytes).to_owned(),
        }
    }
}

/// A socket address in the room that all have; "^1" is the first port of the script.
fn address(random: &mut Random, family: u8) -> String {
    match (random.below(8), family) {
        (0, _) => "#128-".to_owned(),
        // None of a peer's.
        (1, _) => "0200^10a010203#120-".to_owned(),
        (2, _) => "0200^17f000002#120-".to_owned(),
        (3, _) => "ff00#126-".to_owned(),
        (4, 6) => "0a00^2#19-01#104-".to_owned(),
        (4, _) => "0200^27f000001#120-".to_owned(),
        (_, 6) => "0a00^1#19-01#104-".to_owned(),
        _ => "0200^17f000001#120-".to_owned(),
    }
}
