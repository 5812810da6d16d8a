use super::*;
use crate::{Finding, Record, Verdict};

fn records(property: &str) -> Vec<Record> {
    let effort = Effort {
        seeds: Some(2),
        ..Effort::default()
    };
    let runs = STUDY.plan(effort).into_iter();
    runs.filter(|run| run.experiment == property)
        .map(|run| Record {
            measured: STUDY.execute(&run).expect("a run"),
            run,
        })
        .collect()
}

/// Our answers for a property, in the order of the paper's columns.
fn cells_of(property: &str) -> [String; 3] {
    let summary = Summary::of(&records(property));
    let row = PROPERTIES.iter().find(|of| of.experiment == property);
    let row = row.expect("a property");
    TRANSPORTS.map(|transport| row.cell(&summary, transport).expect("a cell"))
}

#[test]
fn a_handshake_needs_the_way_back() {
    assert_eq!(cells_of("connection"), ["Y", "N", "Y"]);
}

#[test]
fn lost_data_comes_again_but_not_over_udp() {
    assert_eq!(cells_of("reliable"), ["Y", "N", "Y"]);
}

#[test]
fn bytes_have_no_boundaries() {
    assert_eq!(cells_of("boundaries"), ["N", "Y", "Y"]);
}

#[test]
fn order_is_kept_where_it_is_numbered() {
    assert_eq!(cells_of("ordered"), ["Y", "N", "Y"]);
}

#[test]
fn unordered_messages_overtake() {
    assert_eq!(cells_of("unordered"), ["N", "Y", "Y"]);
}

#[test]
fn widths_are_counted_on_the_wire() {
    assert_eq!(cells_of("checksum"), ["16 bit", "16 bit", "32 bit"]);
}

#[test]
fn a_stopped_reader_stops_the_writer() {
    assert_eq!(cells_of("flow-control"), ["Y", "N", "Y"]);
}

#[test]
fn congestion_control_leaves_room_for_others() {
    assert_eq!(cells_of("congestion-control"), ["Y", "N", "Y"]);
}

#[test]
fn streams_do_not_wait_for_each_other() {
    assert_eq!(cells_of("streams"), ["N", "N", "Y"]);
}

#[test]
fn a_second_path_saves_an_association() {
    assert_eq!(cells_of("multi-homing"), ["N", "N", "Y"]);
}

#[test]
fn runs_that_disagree_make_no_cell() {
    let mut records = records("reliable");
    let udp = |record: &&mut Record| record.run.settings.text("transport") == UDP;
    let first = records.iter_mut().find(udp).expect("a run over UDP");
    let whole = first.measured.metrics["sent"];
    first.measured.metrics.insert("delivered".to_owned(), whole);
    let summary = Summary::of(&records);
    let cell = PROPERTIES[1].cell(&summary, UDP);
    assert_eq!(cell.as_deref(), Some("mixed"));
    let finding = Finding::new(STUDY.claims().remove(1), &summary);
    let verdict = finding.judgement.map(|judgement| judgement.ruling.verdict);
    assert_eq!(verdict, Some(Verdict::Partly));
}
