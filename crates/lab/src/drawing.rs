use core::fmt::Write;

use crate::html::escaped;

/// A network as it is drawn: boxes in a row for each path, and links between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// One row for each path; in a row the nodes and, between two, what the link is.
    rows: Vec<Vec<(&'static str, &'static str)>>,
}

impl Drawing {
    /// A network of one path. Each node comes with what the link behind it is; the last one's is
    /// empty.
    #[must_use]
    pub fn path(nodes: &[(&'static str, &'static str)]) -> Self {
        Self {
            rows: vec![nodes.to_vec()],
        }
    }

    /// The same with one more path between the same ends.
    #[must_use]
    pub fn and_path(mut self, nodes: &[(&'static str, &'static str)]) -> Self {
        self.rows.push(nodes.to_vec());
        self
    }

    /// It as SVG.
    pub(crate) fn svg(&self) -> String {
        const WIDTH: f64 = 720.0;
        const ROW: f64 = 64.0;
        const BOX: f64 = 96.0;
        const TALL: f64 = 34.0;
        let height = ROW * self.rows.len() as f64 + 8.0;
        let mut out = format!(
            "<svg class=\"drawing\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-label=\"The network\">"
        );
        for (row, nodes) in self.rows.iter().enumerate() {
            let y = ROW * row as f64 + 18.0;
            let gaps = nodes.len().saturating_sub(1).max(1) as f64;
            let step = (WIDTH - BOX - 2.0) / gaps;
            for (place, (node, link)) in nodes.iter().enumerate() {
                let x = 1.0 + step * place as f64;
                if place + 1 < nodes.len() {
                    let (from, to, at) = (x + BOX, x + step, y + TALL / 2.0);
                    let middle = f64::midpoint(from, to);
                    let (label, above) = (escaped(link), at - 6.0);
                    // Writing to a String cannot fail.
                    let _ = write!(
                        out,
                        "<path d=\"M{from:.1} {at:.1}H{to:.1}\"/>\
                         <text class=\"link\" x=\"{middle:.1}\" y=\"{above:.1}\">{label}</text>"
                    );
                }
                let (middle, base, name) = (x + BOX / 2.0, y + TALL / 2.0 + 4.5, escaped(node));
                let _ = write!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{BOX}\" height=\"{TALL}\" rx=\"5\"/>\
                     <text x=\"{middle:.1}\" y=\"{base:.1}\">{name}</text>"
                );
            }
        }
        out + "</svg>"
    }
}
