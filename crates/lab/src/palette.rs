//! Colours, dashes and marks of curves; each variant has the same colour throughout the report.

use crate::Chart;

/// Number of colours in the style sheet, `c0` to `c9`.
pub(crate) const COLOURS: usize = 10;
/// For each colour, the first one that is easily confused with it: orange and brick, teal and grey,
/// blue and indigo.
const LIKE: [usize; COLOURS] = [0, 1, 2, 3, 4, 5, 6, 4, 1, 0];
/// Number of dash patterns in the style sheet, `d0` (solid) to `d3`.
const DASHES: usize = 4;

/// Fixed colours of variants that occur in several figures. A curve belongs to the variant whose
/// name is its prefix; the longest match wins.
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

/// Colour, dash and mark of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Look {
    /// Index of the colour.
    pub(crate) colour: usize,
    /// Index of the dash pattern; 0 is solid.
    pub(crate) dash: usize,
    /// Index of the mark, which distinguishes curves without colours.
    pub(crate) mark: usize,
}

impl Look {
    /// The CSS classes.
    pub(crate) fn class(self) -> String {
        match self.dash {
            0 => format!("c{}", self.colour),
            dash => format!("c{} d{dash}", self.colour),
        }
    }
}

/// The colours of a chapter: the fixed colours, and others for its own names in order of
/// appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Palette {
    own: Vec<String>,
    /// Colours unused by the chapter's variants.
    free: Vec<usize>,
}

impl Palette {
    /// Creates the palette for these charts.
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

    /// Assigns looks to a chart's curves. Curves of one variant share a colour; curves with equal
    /// or similar colours get different dashes.
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

/// The fixed colour of the variant that a curve belongs to, if any.
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
