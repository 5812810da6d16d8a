use super::*;

fn module(source: Source, rule: Option<Rule>) -> Module {
    Module {
        release: "6.1.0".to_owned(),
        source,
        rule,
        loading: Loading::Possible,
    }
}

fn absent() -> KernelStack {
    KernelStack::default()
}

fn file() -> Source {
    Source::File("/lib/modules/6.1.0/kernel/net/sctp/sctp.ko".to_owned())
}

#[test]
fn a_blacklist_and_an_install_line_are_told_apart() {
    let text = "# blacklist sctp\nblacklist dccp\n blacklist   sctp\ninstall sctp /bin/true\n";
    let rules = rules_in("a.conf", text);
    let kinds: Vec<_> = rules.iter().map(|rule| rule.kind).collect();
    assert_eq!(kinds, [RuleKind::Blacklist, RuleKind::Replaced]);
    assert_eq!(rules[1].line, "install sctp /bin/true");
}

#[test]
fn an_install_line_that_loads_the_module_keeps_nothing_out() {
    let text = "install sctp /sbin/modprobe --ignore-install sctp && logger loaded\n";
    assert_eq!(rules_in("a.conf", text), []);
}

#[test]
fn an_install_line_may_be_continued() {
    assert_eq!(
        rules_in("a.conf", "install sctp \\\n /bin/false\n").len(),
        1
    );
}

#[test]
fn the_module_is_found_packed_or_not_and_not_by_half_of_its_name() {
    let list = "kernel/net/sctp/sctp_diag.ko: kernel/net/sctp/sctp.ko\n\
                kernel/net/sctp/sctp.ko.zst: kernel/lib/libcrc32c.ko\n";
    assert_eq!(module_in(list), Some("kernel/net/sctp/sctp.ko.zst"));
    assert_eq!(module_in("kernel/net/sctp/sctp_diag.ko:\n"), None);
}

#[test]
fn a_module_that_any_socket_loads_is_well() {
    let module = module(file(), None);
    assert!(module.would_load());
    assert_eq!(module.check(&absent(), false).state, State::Ok);
}

#[test]
fn a_blacklisted_module_is_told_with_file_and_line() {
    let rule = rules_in("/etc/modprobe.d/x.conf", "blacklist sctp").pop();
    let module = module(file(), rule);
    assert!(!module.would_load());
    let check = module.check(&absent(), false);
    assert_eq!(check.state, State::Warn);
    assert_eq!(check.saw, "/etc/modprobe.d/x.conf: blacklist sctp");
    assert!(check.fix.unwrap().ends_with("sudo modprobe sctp"));
}

#[test]
fn a_replaced_module_is_not_to_be_had_by_modprobe_alone() {
    let rule = rules_in("/etc/modprobe.d/x.conf", "install sctp /bin/true").pop();
    let fix = module(file(), rule).check(&absent(), false).fix.unwrap();
    assert!(
        fix.contains("take the line out of /etc/modprobe.d/x.conf"),
        "{fix}"
    );
}

#[test]
fn modules_that_are_not_visible_make_nothing_known() {
    let check = module(Source::Hidden, None).check(&absent(), false);
    assert_eq!(check.state, State::Unknown);
    assert!(check.more.is_some());
}

#[test]
fn a_loaded_module_is_well_whatever_the_rules_say() {
    let rule = rules_in("a.conf", "blacklist sctp").pop();
    let stack = KernelStack {
        is_there: true,
        ..KernelStack::default()
    };
    assert_eq!(module(file(), rule).check(&stack, true).state, State::Ok);
}
