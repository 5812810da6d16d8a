//! The look of each variant, the same through the whole report.

use crate::Chart;

/// Colours of the style sheet, `c0` to `c9`.
pub(crate) const COLOURS: usize = 10;
/// The first colour that looks like each of them: orange and brick, teal and grey, blue and indigo.
const LIKE: [usize; COLOURS] = [0, 1, 2, 3, 4, 5, 6, 4, 1, 0];
/// Dashes of the style sheet, `d0` (none) to `d3`.
const DASHES: usize = 4;

/// The colours of the variants that several figures show. A curve is of the variant with which its
/// name begins; of several such, of the longest.
const VARIANTS: [(&str, usize); 37] = [
    ("sctp", 0),
    ("sctp, single-homed", 0),
    ("sctp, multi-homed", 4),
    ("sctp, SACK per 7", 7),
    ("sctp, go-back-N", 5),
    ("sctp, today", 4),
    ("sctp, today, go-back-N", 8),
    ("sctp-classic", 6),
    ("sctp, CRC32c", 8),
    ("tcp", 1),
    ("tcp, Linux 2.6", 1),
    ("tcp, RFC", 3),
    ("tcp, Linux today", 2),
    ("tcp, no delay", 9),
    ("chunk-checksum, single-homed", 2),
    ("chunk-checksum, multi-homed", 3),
    ("chunk-checksum", 2),
    ("mac-error-warning", 5),
    ("ecn-discrimination", 6),
    ("standard", 0),
    ("heartbeat", 2),
    ("always", 1),
    ("standard with RFC 7829", 3),
    ("RFC 9260", 0),
    ("RFC 7829", 3),
    ("adaptive RTO", 6),
    ("RFC 9260, RTO.Min 0.1 s", 4),
    ("adaptive RTO, RTO.Min 0.1 s", 5),
    ("ftp", 9),
    ("http", 6),
    ("http, pipelined", 8),
    ("TCP's checksum", 1),
    ("CRC32c", 0),
    ("1 streams", 9),
    ("2 streams", 5),
    ("4 streams", 7),
    ("10 streams", 0),
];

/// The look of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Look {
    /// Number of the colour.
    pub(crate) colour: usize,
    /// Number of the dash; 0 is a line without gaps.
    pub(crate) dash: usize,
    /// Number of the mark, which tells curves apart without colours.
    pub(crate) mark: usize,
}

impl Look {
    /// The classes of the style sheet.
    pub(crate) fn class(self) -> String {
        match self.dash {
            0 => format!("c{}", self.colour),
            dash => format!("c{} d{dash}", self.colour),
        }
    }
}

/// The colours of a chapter: those of all, and of its own names in the order in which they appear.
#[derive(Clone, Debug, Default)]
pub(crate) struct Palette {
    own: Vec<String>,
    /// Colours that no variant of the chapter has.
    free: Vec<usize>,
}

impl Palette {
    /// The palette of these charts.
    pub(crate) fn of<'a>(charts: impl Iterator<Item = &'a Chart>) -> Self {
        let mut own: Vec<String> = Vec::new();
        let mut free: Vec<usize> = (0..COLOURS).collect();
        for curve in charts.flat_map(|chart| &chart.curves) {
            match variant(&curve.name) {
                Some(taken) => free.retain(|colour| *colour != taken),
                None if own.contains(&curve.name) => {}
                None => own.push(curve.name.clone()),
            }
        }
        Self { own, free }
    }

    /// The looks of a chart's curves. Curves of one variant share a colour; those of one colour, or
    /// of colours that are much alike, differ in their dashes.
    pub(crate) fn looks(&self, chart: &Chart) -> Vec<Look> {
        let mut looks: Vec<Look> = Vec::new();
        for (mark, curve) in chart.curves.iter().enumerate() {
            let colour = self.colour(&curve.name);
            let is_like = |look: &&Look| LIKE[look.colour] == LIKE[colour];
            let before = looks.iter().filter(is_like).count();
            looks.push(Look {
                colour,
                dash: before % DASHES,
                mark,
            });
        }
        looks
    }

    fn colour(&self, name: &str) -> usize {
        if let Some(colour) = variant(name) {
            return colour;
        }
        let place = self.own.iter().position(|own| own == name).unwrap_or(0);
        match self.free.len() {
            0 => place % COLOURS,
            free => self.free[place % free],
        }
    }
}

/// The colour of the variant that a curve is of, if several figures show it.
fn variant(name: &str) -> Option<usize> {
    let is_of = |known: &str| {
        let rest = name.strip_prefix(known);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(',') || rest.starts_with(" and ")
        })
    };
    let mut found: Option<(&str, usize)> = None;
    for (known, colour) in VARIANTS {
        if is_of(known) && found.is_none_or(|(other, _)| known.len() > other.len()) {
            found = Some((known, colour));
        }
    }
    found.map(|(_, colour)| colour)
}

#[cfg(test)]
mod tests;
