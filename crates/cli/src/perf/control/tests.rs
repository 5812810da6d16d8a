use super::*;

#[test]
fn written_values_are_read_back() {
    let plan = Plan::new("abc".to_owned());
    let bytes = serde_json::to_vec(&Control::Begin(plan.clone())).unwrap();
    let Ok(Control::Begin(read)) = Control::parse(&bytes) else {
        panic!("not read back");
    };
    assert_eq!(read, plan);
}

#[test]
fn a_plan_out_of_range_is_refused_with_the_rule() {
    let good = Plan::new(String::new());
    assert_eq!(good.validate(), Ok(()));
    let edits: [fn(&mut Plan); 9] = [
        |plan| plan.associations = 0,
        |plan| plan.associations = 129,
        |plan| plan.streams = 0,
        |plan| plan.streams = u16::MAX,
        |plan| plan.length = 0,
        |plan| plan.length = MAX_LENGTH + 1,
        |plan| plan.limit = Limit::Millis(86_400_001),
        |plan| plan.bitrate = Some(0),
        |plan| plan.version = VERSION + 1,
    ];
    for edit in edits {
        let mut plan = good.clone();
        edit(&mut plan);
        assert!(plan.validate().is_err(), "{plan:?}");
    }
}

#[test]
fn bytes_that_are_no_message_are_refused() {
    for bytes in [&b""[..], b"{}", b"\"nonsense\"", b"[1,2", b"{\"begin\":1}"] {
        assert!(Control::parse(bytes).is_err());
    }
    assert!(Control::parse(&vec![b' '; MAX_CONTROL + 1]).is_err());
}
