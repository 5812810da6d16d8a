//! Horizontal bars, a group for each message size, a colour for each stack.

use std::fmt::Write;

/// The bars of one message size.
#[derive(Debug, PartialEq)]
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) bars: Vec<Bar>,
}

/// The samples of one stack.
#[derive(Debug, PartialEq)]
pub(super) struct Bar {
    /// The place of the stack among all.
    pub(super) stack: usize,
    pub(super) least: f64,
    pub(super) median: f64,
    pub(super) greatest: f64,
}

const WIDTH: f64 = 640.0;
/// Horizontal ends of the bars.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 580.0;
const BAR: f64 = 12.0;
const GAP: f64 = 14.0;
const LEGEND: f64 = 20.0;

const STYLE: &str = "svg{background:#fff;font:13px system-ui,\"Liberation Sans\",sans-serif}\
    text{fill:#1b1f24}.grid{stroke:#e6eaee}.size{text-anchor:end}.tick{text-anchor:middle}\
    .value{font-size:11px}.span{stroke:#1b1f24;stroke-width:1}";

const COLOURS: [&str; 8] = [
    "#1f6feb", "#79b8ff", "#cf4f06", "#1a7f37", "#8250df", "#bf8700", "#57606a", "#d1248f",
];

fn colour(stack: usize) -> &'static str {
    COLOURS[stack % COLOURS.len()]
}

/// A round step of which about five make up `most`.
fn step(most: f64) -> f64 {
    let rough = (most / 5.0).max(1.0);
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough)
}

pub(super) fn svg(stacks: &[String], groups: &[Group]) -> String {
    let bars = groups.iter().flat_map(|group| &group.bars);
    let most = bars.map(|bar| bar.greatest).fold(1.0, f64::max);
    let x = |value: f64| LEFT + (RIGHT - LEFT) * value / most;
    let top = LEGEND * (stacks.len().div_ceil(3) as f64) + 16.0;
    let mut body = String::new();
    let mut y = top;
    for group in groups {
        let height = BAR * group.bars.len() as f64;
        let (name, middle) = (group.name, y + height / 2.0 + 4.0);
        let _ = write!(
            body,
            "<text class=\"size\" x=\"{:.1}\" y=\"{middle:.1}\">{name}</text>",
            LEFT - 8.0
        );
        for bar in &group.bars {
            draw_bar(&mut body, bar, y, &x);
            y += BAR;
        }
        y += GAP;
    }
    let mut grid = String::new();
    let step = step(most);
    for tick in (0_u32..)
        .map(|n| f64::from(n) * step)
        .take_while(|tick| *tick <= most)
    {
        let at = x(tick);
        let _ = write!(
            grid,
            "<path class=\"grid\" d=\"M{at:.1} {top}V{y:.1}\"/>\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\">{tick}</text>",
            y + 14.0
        );
    }
    let height = y + 40.0;
    let title = "User data per CPU-second of both ends, MB, by message size";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
         aria-label=\"{title}\"><style>{STYLE}</style>{}{grid}{body}\
         <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{title}</text></svg>\n",
        legend(stacks),
        WIDTH / 2.0,
        y + 32.0
    )
}

/// A bar to the median, a line from the least to the greatest sample.
fn draw_bar(body: &mut String, bar: &Bar, y: f64, x: &dyn Fn(f64) -> f64) {
    let (start, end) = (x(bar.least), x(bar.greatest));
    let (width, middle) = (x(bar.median) - LEFT, y + BAR / 2.0);
    let _ = write!(
        body,
        "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"/>\
         <path class=\"span\" d=\"M{start:.1} {middle:.1}H{end:.1}\"/>\
         <text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{:.0}</text>",
        y + 1.0,
        BAR - 2.0,
        colour(bar.stack),
        end + 4.0,
        middle + 4.0,
        bar.median
    );
}

fn legend(stacks: &[String]) -> String {
    let entries = stacks.iter().enumerate().map(|(stack, name)| {
        let (column, row) = ((stack % 3) as f64, (stack / 3) as f64);
        let (x, y) = (LEFT + 180.0 * column, 8.0 + LEGEND * row);
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"{}\">{name}</text>",
            colour(stack),
            x + 18.0,
            y + 11.0
        )
    });
    entries.collect()
}
