use super::claims::{amounts, cell};
use super::{DETECTIONS, LOSSES, REORDERING, TAILS};
use crate::{Exhibit, Summary, Table};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let head = [
        "scene",
        "extra delay (ms), or losses (%)",
        "losses are found by",
        "Mb/s",
        "mean delay (s)",
        "delay at 99 % (s)",
        "timeouts",
        "retransmissions",
        "needless ones",
    ];
    let mut table = Table::new("RACK-TLP beside RFC 9260's miss indications", &head);
    for scene in [REORDERING, TAILS, LOSSES] {
        for amount in amounts(summary, scene) {
            for detection in DETECTIONS {
                let Some(cell) = cell(summary, scene, amount, detection) else {
                    continue;
                };
                let names = [scene.to_owned(), amount.to_string(), detection.to_owned()];
                let metrics = [
                    "mbit_per_s",
                    "delay_mean_s",
                    "delay_p99_s",
                    "timeouts",
                    "retransmissions",
                    "needless",
                ];
                let values = metrics.map(|metric| {
                    let estimate = cell.estimate(metric);
                    estimate.map_or_else(String::new, |estimate| estimate.to_string())
                });
                table.push(names.into_iter().chain(values));
            }
        }
    }
    vec![Exhibit::Table(table)]
}
