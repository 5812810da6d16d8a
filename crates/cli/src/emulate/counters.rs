use serde_json::{Value, json};
use sheave_emulate::{Direction, Report};

use crate::units;

/// The counters as one line.
pub fn line(report: &Report, earlier: &Report) -> String {
    let span = report.elapsed.saturating_sub(earlier.elapsed);
    let links = report.links.iter().enumerate().map(|(at, link)| {
        let before = earlier.links.get(at);
        let there = glance('>', link.there, before.map(|link| link.there), span);
        let back = glance('<', link.back, before.map(|link| link.back), span);
        format!("{} {there} {back}", link.name)
    });
    let links: Vec<String> = links.collect();
    format!("{} | {} clients", links.join(" | "), report.clients)
}

fn glance(
    sign: char,
    direction: Direction,
    before: Option<Direction>,
    span: std::time::Duration,
) -> String {
    let stats = direction.stats;
    let bytes = stats.bytes_sent - before.map_or(0, |before| before.stats.bytes_sent);
    let seconds = span.as_secs_f64().max(1e-3);
    format!(
        "{sign} {} pkt {} lost {} bad {} queued {}",
        stats.delivered,
        units::iperf_rate(bytes as f64 * 8.0 / seconds),
        direction.lost(),
        stats.corrupted,
        direction.queue,
    )
}

pub fn to_json(report: &Report) -> Value {
    let links = report.links.iter().map(|link| {
        json!({
            "link": link.name,
            "there": direction(&link.there),
            "back": direction(&link.back),
        })
    });
    json!({
        "seconds": report.elapsed.as_secs_f64(),
        "clients": report.clients,
        "links": links.collect::<Vec<Value>>(),
        "refused": report.losses.refused,
        "foreign": report.losses.foreign,
        "misdirected": report.losses.misdirected,
        "unsent": report.losses.unsent,
    })
}

fn direction(direction: &Direction) -> Value {
    let stats = &direction.stats;
    json!({
        "packets": stats.offered,
        "delivered": stats.delivered,
        "bytes": stats.bytes_sent,
        "lost": stats.lost,
        "dropped": stats.dropped,
        "cut": stats.cut,
        "too_long": stats.too_long,
        "bad_header": stats.bad_header,
        "corrupted": stats.corrupted,
        "duplicated": stats.duplicated,
        "held_back": stats.held_back,
        "marked": stats.marked,
        "queue": direction.queue,
        "longest_queue": stats.longest_queue,
    })
}

pub fn table(report: &Report) -> String {
    let head = format!(
        "{:<16} {:>10} {:>10} {:>8} {:>8} {:>9} {:>7} {:>10}",
        "link", "packets", "bytes", "lost", "dropped", "corrupted", "queue", "delivered"
    );
    let mut lines = vec![head];
    for link in &report.links {
        lines.push(row(&format!("{} there", link.name), &link.there));
        lines.push(row(&format!("{} back", link.name), &link.back));
    }
    lines.push(format!(
        "{} clients, {:.1} s",
        report.clients,
        report.elapsed.as_secs_f64()
    ));
    let losses = report.losses;
    let others = [
        (losses.refused, "refused: too many packets or clients"),
        (losses.foreign, "of strangers, or not understood"),
        (losses.misdirected, "damaged in the UDP header"),
        (losses.unsent, "not taken by the system"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        lines.push(format!("{count} {what}"));
    }
    lines.join("\n")
}

fn row(name: &str, direction: &Direction) -> String {
    let stats = &direction.stats;
    format!(
        "{name:<16} {:>10} {:>10} {:>8} {:>8} {:>9} {:>7} {:>10}",
        stats.offered,
        units::bytes(stats.bytes_sent),
        direction.lost() - stats.dropped,
        stats.dropped,
        stats.corrupted,
        stats.longest_queue,
        stats.delivered,
    )
}
