use std::time::Duration;

use sheave_sim::scenario::{LinkPair, read_network};
use sheave_sim::{Bitrate, Discipline, Limit, Pace, Variation};

use super::{LinkArgs, complaint};

fn link(args: &LinkArgs) -> Result<LinkPair, String> {
    let toml = args.toml().map_err(|failure| failure.what)?;
    let network = read_network(&toml).map_err(complaint)?;
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
    let begins = |fill: fn(&mut LinkArgs), wanted: &str| {
        let error = wrong(fill);
        assert!(error.starts_with(wanted), "{error}");
    };
    begins(|args| args.delay = some("20"), "--delay: must be a time");
    begins(|args| args.queue = some("many"), "--queue: must be");
    begins(
        |args| args.queue = some("5,0"),
        "--queue: must be a whole number above 0",
    );
    begins(
        |args| args.mtu = some("67"),
        "--mtu: must be 68 bytes or more",
    );
    begins(
        |args| args.variation = some("1 ms,x"),
        "--variation: must be a time",
    );
    begins(|args| args.corruption = some("x"), "--corruption: must be");
    begins(
        |args| args.reordering = some("1 %:x"),
        "--reordering: must be a time",
    );
    let reordering = wrong(|args| args.reordering = some("1 %"));
    assert_eq!(reordering, "--reordering 1 %: the time is missing");
    let error = wrong(|args| args.loss = some("1 %,2 %,3 %"));
    assert_eq!(error, "--loss: one value, or two: there and back");
    begins(|args| args.loss = some("\"\nhosts = ["), "--loss: must be");
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
