use super::claims::{amounts, cell};
use super::{DETECTIONS, LOSSES, REORDERING, TAILS};
use crate::of_cells;
use crate::of_cells::Column::{Estimate, Setting};
use crate::{Exhibit, Summary};

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let columns = [
        ("scene", Setting("scene")),
        ("extra delay (ms), or losses (%)", Setting("amount")),
        ("losses are found by", Setting("detection")),
        ("Mb/s", Estimate("mbit_per_s")),
        ("mean delay (s)", Estimate("delay_mean_s")),
        ("delay at 99 % (s)", Estimate("delay_p99_s")),
        ("timeouts", Estimate("timeouts")),
        ("retransmissions", Estimate("retransmissions")),
        ("needless ones", Estimate("needless")),
    ];
    let scenes = [REORDERING, TAILS, LOSSES].into_iter();
    let cells = scenes.flat_map(|scene| {
        let amounts = amounts(summary, scene).into_iter();
        let all = amounts.flat_map(|amount| DETECTIONS.map(|by| (amount, by)));
        all.filter_map(move |(amount, by)| cell(summary, scene, amount, by))
    });
    let title = "RACK-TLP beside RFC 9260's miss indications";
    vec![Exhibit::Table(of_cells::table(title, &columns, cells))]
}
