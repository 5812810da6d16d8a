use std::thread;
use std::time::Duration;

/// The end that sets an association up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Our end.
    We,
    /// The peer.
    They,
}

impl Caller {
    /// Either end.
    pub const BOTH: [Self; 2] = [Self::We, Self::They];
}

/// The packets that a link loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Packets of ours.
    There,
    /// Packets of the peer's.
    Back,
    /// All.
    Both,
}

/// A link that goes dead: at once, or one way first and a moment later the other way, too.
pub type Death = [Cut];

/// Every way in which a link can go dead.
pub const DEATHS: [&Death; 5] = [
    &[Cut::There],
    &[Cut::Back],
    &[Cut::Both],
    &[Cut::There, Cut::Back],
    &[Cut::Back, Cut::There],
];

/// Makes each cut of a death, the next one a moment later.
pub fn die(death: &Death, mut cut: impl FnMut(Cut)) {
    const MOMENT: Duration = Duration::from_millis(300);
    for (at, one) in death.iter().enumerate() {
        if at > 0 {
            thread::sleep(MOMENT);
        }
        cut(*one);
    }
}
