use core::fmt::Write;

use serde::Deserialize;

use crate::escape::escaped;

/// A drawing of a network: one row of boxes per path, with links between them. An end shared by all
/// paths is drawn once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Drawing {
    /// A row per path: each node with a description of the link to the next node.
    rows: Vec<Vec<(String, String)>>,
}

const WIDTH: f64 = 720.0;
/// Height of a box, SVG units.
const TALL: f64 = 34.0;
/// Height of a line of a link label.
const LINE: f64 = 14.0;
/// Approximate width of a letter in a label, and in a box.
const LETTER: f64 = 5.9;
const BOX_LETTER: f64 = 7.2;

impl Drawing {
    /// Creates a network with one path. Each node comes with a description of the link that follows
    /// it, empty for the last node.
    #[must_use]
    pub fn path(nodes: &[(impl AsRef<str>, impl AsRef<str>)]) -> Self {
        Self::default().and_path(nodes)
    }

    /// Adds a path.
    #[must_use]
    pub fn and_path(mut self, nodes: &[(impl AsRef<str>, impl AsRef<str>)]) -> Self {
        let nodes = nodes.iter();
        let row = nodes.map(|(node, link)| (node.as_ref().to_owned(), link.as_ref().to_owned()));
        self.rows.push(row.collect());
        self
    }

    /// A description in words, for screen readers.
    pub(crate) fn words(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            let nodes = row.iter().map(|(node, link)| {
                if link.is_empty() {
                    node.clone()
                } else {
                    format!("{node} – ({link}) – ")
                }
            });
            nodes.collect::<String>()
        });
        rows.collect::<Vec<_>>().join("; ")
    }

    /// The drawing as SVG.
    pub(crate) fn svg(&self) -> String {
        let layout = Layout::of(&self.rows);
        let (wide, height) = (layout.wide, layout.height);
        let words = escaped(&self.words());
        let mut out = format!(
            "<svg class=\"drawing\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-label=\"{words}\">"
        );
        for (row, nodes) in self.rows.iter().enumerate() {
            let y = layout.tops[row];
            let step = step(nodes.len(), wide);
            let last = nodes.len().saturating_sub(1);
            for (place, (node, link)) in nodes.iter().enumerate() {
                let x = 1.0 + step * place as f64;
                if place < last {
                    line(&mut out, (x + wide, x + step), y + TALL / 2.0, link);
                }
                let shared = (place == 0 && layout.first_is_shared)
                    || (place == last && place > 0 && layout.last_is_shared);
                if !shared {
                    boxed(&mut out, node, (x, y), (wide, TALL));
                } else if row == 0 {
                    let tall = layout.tops[layout.tops.len() - 1] - y + TALL;
                    boxed(&mut out, node, (x, y), (wide, tall));
                }
            }
        }
        out + "</svg>"
    }
}

/// The positions of boxes and rows.
struct Layout {
    /// Width of the boxes.
    wide: f64,
    /// Top of each row.
    tops: Vec<f64>,
    height: f64,
    first_is_shared: bool,
    last_is_shared: bool,
}

impl Layout {
    fn of(rows: &[Vec<(String, String)>]) -> Self {
        let nodes = rows.iter().flatten();
        let longest = nodes.map(|(node, _)| node.chars().count()).max();
        let wide = (longest.unwrap_or(0) as f64 * BOX_LETTER + 18.0).clamp(72.0, 170.0);
        let mut tops = Vec::new();
        let mut height: f64 = 1.0;
        for row in rows {
            let room = step(row.len(), wide) - wide;
            let lines = row.iter().map(|(_, link)| wrapped(link, room).len()).max();
            // Half of the label's lines are above the middle of the box, half below.
            let half = lines.unwrap_or(0).div_ceil(2) as f64 * LINE + 4.0;
            let beyond = (half - TALL / 2.0).max(4.0);
            tops.push(height + beyond);
            height += TALL + 2.0 * beyond + 6.0;
        }
        Self {
            wide,
            tops,
            height,
            first_is_shared: are_alike(rows.iter().map(|row| row.first())),
            last_is_shared: are_alike(rows.iter().map(|row| row.last())),
        }
    }
}

/// Whether there are several ends and all have the same name.
fn are_alike<'a>(ends: impl Iterator<Item = Option<&'a (String, String)>>) -> bool {
    let names: Vec<Option<&String>> = ends.map(|end| Some(&end?.0)).collect();
    names.len() > 1 && names.iter().all(|name| *name == names[0])
}

/// Distance from one box to the next.
fn step(nodes: usize, wide: f64) -> f64 {
    (WIDTH - wide - 2.0) / nodes.saturating_sub(1).max(1) as f64
}

/// A link with its label above and below it. Writing to a `String` cannot fail.
fn line(out: &mut String, (from, to): (f64, f64), at: f64, label: &str) {
    let _ = write!(out, "<path d=\"M{from:.1} {at:.1}H{to:.1}\"/>");
    let lines = wrapped(label, to - from);
    let above = lines.len().div_ceil(2);
    let middle = f64::midpoint(from, to);
    for (number, text) in lines.iter().enumerate() {
        let y = if number < above {
            at - 6.0 - LINE * (above - 1 - number) as f64
        } else {
            at + LINE * (number - above + 1) as f64
        };
        let text = escaped(text);
        let _ = write!(
            out,
            "<text class=\"link\" x=\"{middle:.1}\" y=\"{y:.1}\">{text}</text>"
        );
    }
}

fn boxed(out: &mut String, name: &str, (x, y): (f64, f64), (wide, tall): (f64, f64)) {
    let (middle, base, name) = (x + wide / 2.0, y + tall / 2.0 + 4.5, escaped(name));
    let _ = write!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{tall:.1}\" rx=\"6\"/>\
         <text x=\"{middle:.1}\" y=\"{base:.1}\">{name}</text>"
    );
}

/// Splits a label into lines that fit into `room`.
fn wrapped(label: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in label.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if (line.chars().count() + 1 + word.chars().count()) as f64 * LETTER <= room =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
