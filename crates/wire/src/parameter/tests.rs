use crate::{ParameterType, UnknownAction};

#[test]
fn the_two_high_bits_say_what_to_do_with_an_unknown_type() {
    let actions = [
        (0x3fff, UnknownAction::StopSilently),
        (0x4000, UnknownAction::StopAndReport),
        (0x8001, UnknownAction::SkipSilently),
        (0xc000, UnknownAction::SkipAndReport),
    ];
    for (parameter_type, action) in actions {
        assert_eq!(ParameterType(parameter_type).unknown_action(), action);
    }
}

#[test]
fn actions_say_whether_to_go_on_and_whether_to_report() {
    let asked = |action: UnknownAction| (action.continues(), action.reports());
    assert_eq!(asked(UnknownAction::StopSilently), (false, false));
    assert_eq!(asked(UnknownAction::StopAndReport), (false, true));
    assert_eq!(asked(UnknownAction::SkipSilently), (true, false));
    assert_eq!(asked(UnknownAction::SkipAndReport), (true, true));
}
