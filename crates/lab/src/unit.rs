/// The unit of a quantity, which the name of its column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(&'static str);

/// Ends of names, and the units that they stand for. Of two that fit, the longer one is first.
const ENDS: [(&str, &str); 15] = [
    ("bytes_per_packet", "bytes/packet"),
    ("ns_per_packet", "ns/packet"),
    ("ns_per_byte", "ns/byte"),
    ("kbyte_per_s", "kB/s"),
    ("mbit_per_s", "Mbit/s"),
    ("bit_per_s", "bit/s"),
    // The rate of a link, in the settings of studies.
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

/// Ends of the names of statistics, which have the unit of the quantity.
const STATISTICS: [&str; 4] = ["_mean", "_deviation", "_min", "_max"];

/// Quantities that are bytes wherever they occur.
const BYTES: [&str; 4] = ["cwnd", "rwnd", "mtu", "pmtu"];

impl Unit {
    /// The key of a column's unit in the metadata of an Arrow field.
    pub const KEY: &str = "unit";

    /// The unit of the quantity of that name, of a flow's or link's (`main.srtt_ms`), too. Counts,
    /// shares and names have none.
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

    /// The name of a quantity without the unit at its end, and the unit.
    pub(crate) fn split(name: &str) -> Option<(&str, Self)> {
        ENDS.iter().find_map(|(end, unit)| {
            let rest = name.strip_suffix(end)?;
            let is_word = rest.is_empty() || rest.ends_with(['_', '.']);
            is_word.then_some((rest.trim_end_matches('_'), Self(unit)))
        })
    }

    /// The symbol: `ms`, say.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        self.0
    }
}

#[cfg(test)]
mod tests;
