use super::{FILES, NAME};
use crate::{Settings, Summary};

/// Timeouts on a lossless link, where not all drops of the queue were detected earlier.
pub(super) fn timeouts(summary: &Summary) -> Option<String> {
    let lossless = Settings::new().with("loss_percent", 0.0);
    let cells = summary.cells(NAME, FILES, &lossless).into_iter();
    let struck: Vec<String> = cells
        .filter(|cell| cell.mean("timeouts").is_some_and(|mean| mean > 0.0))
        .map(|cell| {
            let [files, bytes, rtt] =
                ["files", "bytes", "rtt_ms"].map(|name| cell.settings.number(name));
            let count = |metric| cell.mean(metric).unwrap_or_default();
            format!(
                "{} with {files} x {} kB at {rtt} ms ({:.0} timeouts, {:.0} retransmissions)",
                [cell.settings.text("protocol"), cell.settings.text("tcp")].join(" "),
                bytes / 1000.0,
                count("timeouts"),
                count("retransmissions")
            )
        })
        .collect();
    let intro = "Where the link lost nothing, but the queue overflowed and a retransmission \
                 timeout followed: ";
    (!struck.is_empty()).then(|| format!("{intro}{}.", struck.join("; ")))
}
