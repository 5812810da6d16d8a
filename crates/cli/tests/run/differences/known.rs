//! Differences that stay.

use super::Difference;
use super::seen::{Past, is_look, made};

/// The rest of a script behind a difference that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The rest is compared.
    Harmless,
    /// The sockets are in other states from then on.
    Diverges,
}

const KNOWN: &str = include_str!("known.txt");

/// The rows of the file: call, Linux's answer, ours, and the rest of the script.
fn rows() -> impl Iterator<Item = ([&'static str; 3], Known)> {
    let lines = KNOWN.lines().map(str::trim);
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [call, linux, ours, rest] = cells[..] else {
            panic!("four columns: {row}");
        };
        let rest = match rest {
            "harmless" => Known::Harmless,
            "diverges" => Known::Diverges,
            _ => panic!("harmless or diverges: {row}"),
        };
        ([call, linux, ours], rest)
    })
}

/// Whether a difference stays.
pub(crate) fn known(found: &Difference, past: &Past) -> Option<Known> {
    if past.explains(found) {
        return Some(Known::Diverges);
    }
    if is_look(&found.call) && past.likens(found) {
        return Some(Known::Harmless);
    }
    if plain(&found.linux) == plain(&found.ours) {
        return Some(Known::Harmless);
    }
    // Ours gives a message that was not sent back whole, Linux chunk by chunk.
    let lengths = [&found.linux, &found.ours].map(|answer| answer.split(' ').next());
    if lengths[0] != lengths[1] && returns_message(&found.linux) && returns_message(&found.ours) {
        return Some(Known::Diverges);
    }
    // Ours keeps 1024 bytes of an ABORT's causes; and it may begin one association with two messages that Linux
    // begins two with, since each has failed before the next message.
    let begun =
        [&found.linux, &found.ours].map(|answer| answer.matches(" 0180000014000000040000").count());
    if has_long_causes(&found.linux) || begun[0] > begun[1] && begun[1] > 0 {
        return Some(Known::Diverges);
    }
    let made = made(&found.call).replace("seen ", "poll ");
    let level = |answer| str::split(answer, " edge").next().unwrap_or_default();
    let (found_linux, found_ours) = (level(&found.linux), level(&found.ours));
    let row = rows().find(|([call, linux, ours], _)| {
        is_like(&made, call) && is_like(found_linux, linux) && is_like(found_ours, ours)
    });
    row.map(|(_, rest)| rest)
}

/// Whether an answer has a message that was not sent (events 0x8003 and 0x800d).
fn returns_message(answer: &str) -> bool {
    let starts = ["03800000", "0d800000"];
    let mut words = answer.split(' ');
    words.any(|word| starts.iter().any(|start| word.starts_with(start)))
}

/// Whether an answer has the end of an association (event 0x8001, state 1) with more causes than ours keeps.
fn has_long_causes(answer: &str) -> bool {
    let ends = answer.split(" 01800000").skip(1);
    ends.filter(|end| end.get(8..12) == Some("0100"))
        .filter_map(|end| u16::from_str_radix(end.get(..4)?, 16).ok())
        .any(|length| length.swap_bytes() > 20 + 1024)
}

/// An answer without what may differ in any.
fn plain(answer: &str) -> String {
    // One call for several messages hears the end of a stream several times, or not at all where Linux
    // does not show it.
    let answer = match answer.split_once(" = ") {
        Some((_, messages)) => messages.trim_end_matches(" = 0 flags 0"),
        None => answer,
    };
    // A socket that is bound to all addresses sends from any of them.
    let answer = answer.replace("127.0.0.2", "127.0.0.1");
    // Ours has found out that packets of 9000 bytes get through: what fits one, of DATA and I-DATA in IPv4
    // and IPv6.
    let fragments = [
        ("f0220000", "a4050000"),
        ("dc220000", "90050000"),
        ("ec220000", "a0050000"),
        ("d8220000", "8c050000"),
    ];
    let answer = fragments
        .iter()
        .fold(answer, |answer, (ours, linux)| answer.replace(ours, linux));
    // An association that cannot start (event 0x8001, state 4) has no id yet in Linux, nor have its
    // messages (events 0x8003 and 0x800d).
    let starts = ["01800000140000000400", "03800000", "0d800000"];
    let words = answer.split(' ').map(|word| {
        let is_early = starts.iter().any(|start| word.starts_with(start));
        let mut word = match is_early {
            true => word.replace('@', "00000000"),
            false => word.to_owned(),
        };
        // Linux keeps in `sinfo_tsn` that a message had a key's number.
        if word.starts_with("03800000") && word.get(64..72) == Some("01000000") {
            word.replace_range(64..72, "00000000");
        }
        word
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether words are those of a pattern, in which "*" stands for any one, and for all that follow at
/// its end.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut words = text.split(' ');
    let mut wanted = pattern.split(' ').peekable();
    while let Some(word) = wanted.next() {
        if word == "*" && wanted.peek().is_none() {
            return true;
        }
        if !words
            .next()
            .is_some_and(|other| word == "*" || word == other)
        {
            return false;
        }
    }
    words.next().is_none()
}
