use std::time::Duration;

use sheave_sim::scenario::{LinkPair, read_network};
use sheave_sim::{Bitrate, Discipline, Limit, Pace, Variation};

use super::LinkArgs;

fn link(args: &LinkArgs) -> Result<LinkPair, String> {
    let toml = args.toml().map_err(|failure| failure.what)?;
    let network = read_network(&toml).map_err(|error| error.to_string())?;
    Ok(network.links[0].clone())
}

fn args(fill: impl FnOnce(&mut LinkArgs)) -> LinkArgs {
    let mut args = LinkArgs::default();
    fill(&mut args);
    args
}

fn some(value: &str) -> Option<String> {
    Some(value.to_owned())
}

#[test]
fn a_single_value_applies_to_both_directions() {
    let args = args(|args| {
        args.delay = some("20 ms");
        args.variation = some("2 ms");
        args.rate = some("10 Mbit/s, 1 Mbit/s");
        args.queue = some("7,8");
    });
    let link = link(&args).expect("a link");
    let delays = [&link.there, &link.back].map(|spec| spec.delay.base);
    assert_eq!(delays, [Duration::from_millis(20); 2]);
    let spread = Duration::from_millis(2);
    assert_eq!(link.back.delay.variation, Variation::Uniform { spread });
    assert_eq!(link.there.pace, Pace::Constant(Bitrate::mbit(10)));
    assert_eq!(link.back.pace, Pace::Constant(Bitrate::mbit(1)));
    let queue = |packets| Discipline::DropTail(Limit::Packets(packets));
    assert_eq!((link.there.queue, link.back.queue), (queue(7), queue(8)));
}

#[test]
fn a_wrong_value_is_named_with_what_is_expected() {
    let wrong = |fill: fn(&mut LinkArgs)| link(&args(fill)).expect_err("it is wrong");
    let error = wrong(|args| args.delay = some("20"));
    assert!(error.starts_with("delay: must be a time"), "{error}");
    let error = wrong(|args| args.queue = some("many"));
    assert!(error.starts_with("queue.packets: must be"), "{error}");
    let error = wrong(|args| args.reordering = some("1 %"));
    assert!(error.starts_with("reordering.extra: must be"), "{error}");
    let error = wrong(|args| args.loss = some("1 %,2 %,3 %"));
    assert_eq!(error, "--loss: one value, or two: there and back");
    let error = wrong(|args| args.loss = some("\"\nhosts = [\""));
    assert!(error.starts_with("loss: must be"), "{error}");
}

// 1 was 100 % without a word; to tc it is 1 %.
#[test]
fn a_share_without_a_unit_is_refused_with_both_meanings() {
    for value in ["1", "0.01", "0 %,5", "1:10 ms"] {
        let fill = |args: &mut LinkArgs| match value.contains(':') {
            true => args.reordering = some(value),
            false => args.loss = some(value),
        };
        let error = link(&args(fill)).expect_err(value);
        assert!(
            error.contains("a share of packets needs its unit"),
            "{error}"
        );
    }
    let failure = args(|args| args.loss = some("1"))
        .toml()
        .expect_err("no unit");
    assert_eq!(
        failure.fix.as_deref(),
        Some("write '1 %', or '100 %' for that part of one")
    );
    link(&args(|args| args.loss = some("0"))).expect("no loss needs no unit");
}
