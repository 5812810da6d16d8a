//! The parts of a draw.

/// Two hosts, the links between them, a transfer, and what happens in its middle.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) links: Vec<Link>,
    /// Both hosts drop packets whose return path is another link (`rp_filter` 1).
    pub(crate) is_strict: bool,
    /// Link and address of the server that the client calls.
    pub(crate) target: (usize, u8),
    /// Packets of the client to the second link's first address leave by this link.
    pub(crate) detour: Option<usize>,
    pub(crate) carrier: Carrier,
    /// Flags of both programs.
    pub(crate) flags: Vec<&'static str>,
    pub(crate) direction: Direction,
    pub(crate) event: Event,
}

/// A link, with addresses of both hosts, all of one version of IP.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) version: Version,
    /// Addresses of the client, 10.7.LINK.1 or fd07:LINK::1 and on.
    pub(crate) near: u8,
    /// Addresses of the server, 10.7.LINK.101 or fd07:LINK::101 and on.
    pub(crate) far: u8,
    /// The client's packets leave under ports of a translator.
    pub(crate) is_translated: bool,
}

/// The version of IP of a link's addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V4,
    V6,
}

impl Version {
    /// A host's address on a link.
    pub(crate) fn address(self, link: usize, host: u8) -> String {
        match self {
            Self::V4 => format!("10.7.{link}.{host}"),
            Self::V6 => format!("fd07:{link}::{host}"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    Udp,
    Raw,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    Forward,
    Reverse,
    Both,
}

/// An event once the transfer is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    Nothing,
    /// A link drops all packets, for good.
    Cut(usize),
    /// A link drops all packets for two seconds; a translator has forgotten its ports then.
    Outage(usize),
    /// The client's interface goes down, for good.
    Down(usize),
    /// The client loses the last of its addresses on a link.
    Removed(usize),
    /// The client gets one more address on a link.
    Added(usize),
}

/// A generator (splitmix64), seeded: the same seed draws the same shape.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % most as u64).unwrap()
    }

    /// Whether something happens that does so in so many of a hundred draws.
    fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn few(&mut self) -> u8 {
        u8::try_from(1 + self.below(3)).unwrap()
    }
}

impl Shape {
    pub(crate) fn draw(seed: u64) -> Self {
        let mut draws = Draws(seed);
        let carrier = if draws.happens(25) {
            Carrier::Raw
        } else {
            Carrier::Udp
        };
        let translates = carrier == Carrier::Udp && draws.happens(25);
        let count = 1 + draws.below(3);
        let mut link = || Link {
            version: Version::V4,
            near: draws.few(),
            far: draws.few(),
            is_translated: translates && draws.happens(60),
        };
        let mut links: Vec<_> = (0..count).map(|_| link()).collect();
        let at = draws.below(count);
        let target = (at, u8::try_from(draws.below(links[at].far.into())).unwrap());
        let is_strict = draws.happens(50);
        let may_turn = !is_strict && !translates && count > 1;
        let detour = (may_turn && draws.happens(40)).then(|| 2 * draws.below(count.div_ceil(2)));
        let directions = [Direction::Forward, Direction::Reverse, Direction::Both];
        let direction = directions[draws.below(3)];
        let flags = Self::flags(&mut draws);
        let outlasts = flags[1] != "telecom";
        let event = Self::event(&mut draws, &links, (detour.is_some(), outlasts));
        // A translator and a detour are of version 4.
        for link in links.iter_mut().filter(|link| !link.is_translated) {
            if detour.is_none() && draws.happens(30) {
                link.version = Version::V6;
            }
        }
        Self {
            links,
            is_strict,
            target,
            detour,
            carrier,
            flags,
            direction,
            event,
        }
    }

    fn flags(draws: &mut Draws) -> Vec<&'static str> {
        let profiles = ["modern", "telecom", "datacenter", "linux"];
        let mut flags = vec!["--profile", profiles[draws.below(profiles.len())]];
        if draws.happens(25) {
            flags.push("--multipath");
        }
        flags
    }

    /// Longest time that a transfer may take, seconds: one at its rate, and what an event may cost. After two
    /// seconds without a network the timeouts have grown to as much again. An end that only receives behind
    /// a translator without its ports is heard again at its next heartbeat (docs/howto/nat.md).
    pub(crate) fn limit(&self) -> f64 {
        match self.event {
            Event::Nothing | Event::Added(_) => 3.0,
            Event::Removed(_) | Event::Cut(_) | Event::Down(_) => 5.0,
            Event::Outage(at)
                if self.links[at].is_translated && matches!(self.direction, Direction::Reverse) =>
            {
                25.0
            }
            Event::Outage(_) => 9.0,
        }
    }

    /// An event that leaves a way between the hosts, or ends before an association does: with more than one
    /// path, one with the profile for signalling is given up within two seconds.
    fn event(draws: &mut Draws, links: &[Link], (has_detour, outlasts): (bool, bool)) -> Event {
        let at = draws.below(links.len());
        // A detour may make both directions need different links, and a translator hides the second address.
        let has_others =
            links.len() > 1 && !has_detour && links.iter().all(|link| !link.is_translated);
        match draws.below(6) {
            0 if has_others => Event::Cut(at),
            1 if has_others => Event::Down(at),
            2 if outlasts => Event::Outage(at),
            3 if links[at].near > 1 => Event::Removed(at),
            4 => Event::Added(at),
            _ => Event::Nothing,
        }
    }
}
