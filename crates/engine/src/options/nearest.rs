//! Suggestions for misspelt names.

use alloc::vec::Vec;

/// The known name closest to a misspelt one, if the two share at least half of their letters.
pub fn nearest_name<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let ranked = known
        .into_iter()
        .map(|name| (edit_distance(wrong, name), name));
    // A name with fewer letters in common is no useful suggestion.
    let near = ranked.filter(|(distance, name)| *distance <= wrong.len().max(name.len()) / 2);
    near.min().map(|(_, name)| name)
}

/// Levenshtein distance between two names.
#[must_use]
pub fn edit_distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, left) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (to, right) in other.chars().enumerate() {
            let change = diagonal + usize::from(left != right);
            diagonal = row[to + 1];
            row[to + 1] = change.min(row[to] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}
