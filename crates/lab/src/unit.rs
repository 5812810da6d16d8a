/// The unit of a quantity, derived from the name of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(&'static str);

/// Suffixes of names and their units. If two suffixes match, the longer one comes first.
const ENDS: [(&str, &str); 15] = [
    ("bytes_per_packet", "bytes/packet"),
    ("ns_per_packet", "ns/packet"),
    ("ns_per_byte", "ns/byte"),
    ("kbyte_per_s", "kB/s"),
    ("mbit_per_s", "Mbit/s"),
    ("bit_per_s", "bit/s"),
    // Link rates in the settings of studies.
    ("mbit", "Mbit/s"),
    ("seconds", "s"),
    ("s", "s"),
    ("ms", "ms"),
    ("percent", "%"),
    ("bits", "bits"),
    ("bytes", "bytes"),
    ("kib", "KiB"),
    ("kb", "KB"),
];

/// Suffixes for statistics, which have the unit of the quantity.
const STATISTICS: [&str; 4] = ["_mean", "_deviation", "_min", "_max"];

/// Quantities that are always in bytes.
const BYTES: [&str; 4] = ["cwnd", "rwnd", "mtu", "pmtu"];

impl Unit {
    /// Metadata key of the unit in an Arrow field.
    pub const KEY: &str = "unit";

    /// The unit of a quantity by its name, which may have a prefix for a flow or link
    /// (`main.srtt_ms`). `None` for counts, shares and texts.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let statistic = STATISTICS.iter().find_map(|end| name.strip_suffix(end));
        let quantity = statistic.unwrap_or(name);
        if let Some((_, unit)) = Self::split(quantity) {
            return Some(unit);
        }
        let last = quantity.rsplit('.').next()?;
        let is_bytes = BYTES.contains(&last) || last.starts_with("bytes_");
        is_bytes.then_some(Self("bytes"))
    }

    /// Splits a name into the quantity and its unit.
    pub(crate) fn split(name: &str) -> Option<(&str, Self)> {
        ENDS.iter().find_map(|(end, unit)| {
            let rest = name.strip_suffix(end)?;
            let is_word = rest.is_empty() || rest.ends_with(['_', '.']);
            is_word.then_some((rest.trim_end_matches('_'), Self(unit)))
        })
    }

    /// The symbol, such as `ms`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        self.0
    }
}

#[cfg(test)]
mod tests;
