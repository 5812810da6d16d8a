use super::*;

fn sample(stack: &str, bytes: u64, speed: f64) -> String {
    format!(
        "{{\"table\":\"throughput\",\"message_bytes\":{bytes},\"stack\":\"{stack}\",\"round\":0,\
         \"bytes_per_cpu_second\":{speed:.1},\"ns_per_packet\":1.0}}\n"
    )
}

#[test]
fn a_bar_is_the_median_with_its_least_and_greatest() {
    let text = [3e8, 1e8, 2e8]
        .map(|speed| sample("sheave", 64, speed))
        .concat();
    let samples = Samples::read(&text).unwrap();
    let expected = Bar {
        stack: 0,
        least: 100.0,
        median: 200.0,
        greatest: 300.0,
    };
    assert_eq!(samples.group(64, "64 B").bars, [expected]);
}

#[test]
fn a_chart_names_every_stack_and_size_that_was_measured() {
    let text = "{\"table\":\"machine\",\"machine\":\"one\"}\n".to_owned()
        + &sample("sheave", 64, 4e8)
        + &sample("rtc-sctp", 64, 1e8)
        + &sample("sheave", 65_536, 4e9);
    let chart = chart(&text).unwrap();
    for name in [
        ">sheave<",
        ">rtc-sctp<",
        ">64 B<",
        ">64 KiB<",
        ">400<",
        ">4000<",
    ] {
        assert!(chart.contains(name), "{name}: {chart}");
    }
    assert!(!chart.contains("8 KiB"), "{chart}");
}

#[test]
fn a_file_without_samples_of_the_table_is_refused() {
    assert!(chart("{\"table\":\"loss\"}\n").is_err());
    assert!(chart("no JSON").is_err());
}
