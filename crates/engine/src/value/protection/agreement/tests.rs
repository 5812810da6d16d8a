use super::*;
use crate::ProtectedRestart;

fn end(tie_breaker: u32, roles: KeyRoles, methods: &[u8]) -> KeyParameter {
    KeyParameter::new(tie_breaker, roles, ProtectedRestart::On, methods)
}

fn agree(ours: &KeyParameter, theirs: &KeyParameter) -> Result<KeyAgreement, Disagreement> {
    let between = |ours: &KeyParameter, theirs: &KeyParameter| {
        KeyParameters {
            ours: ours.clone(),
            theirs: theirs.clone(),
        }
        .agree()
    };
    let (here, there) = (between(ours, theirs), between(theirs, ours));
    let mirrored = here.clone().map(|agreement| KeyAgreement {
        role: agreement.role.other(),
        ..agreement
    });
    assert_eq!(mirrored, there, "both ends find the same");
    here
}

#[test]
fn an_end_of_one_role_takes_it_whatever_the_tie_breakers() {
    for roles in [KeyRoles::Client, KeyRoles::Either] {
        let server = end(1, KeyRoles::Server, &[0]);
        let found = agree(&server, &end(2, roles, &[0])).unwrap();
        assert_eq!(found.role, KeyRole::Server);
    }
    let client = end(9, KeyRoles::Client, &[0]);
    let found = agree(&client, &end(2, KeyRoles::Either, &[0])).unwrap();
    assert_eq!(found.role, KeyRole::Client);
}

#[test]
fn the_larger_tie_breaker_is_the_servers() {
    let found = agree(
        &end(0x8000_0000, KeyRoles::Either, &[0]),
        &end(0x7fff_ffff, KeyRoles::Either, &[0]),
    );
    assert_eq!(found.unwrap().role, KeyRole::Server);
    let same = end(5, KeyRoles::Either, &[0]);
    assert_eq!(agree(&same, &same), Err(Disagreement::TieBreaker));
}

#[test]
fn equal_tie_breakers_do_not_matter_where_they_decide_nothing() {
    let found = agree(
        &end(5, KeyRoles::Server, &[0]),
        &end(5, KeyRoles::Either, &[0]),
    );
    assert_eq!(found.unwrap().role, KeyRole::Server);
}

#[test]
fn the_servers_list_decides_on_the_method() {
    let client = end(1, KeyRoles::Client, &[0, 192, 7]);
    let server = end(1, KeyRoles::Server, &[9, 192, 0]);
    let found = agree(&client, &server).unwrap();
    assert_eq!((found.role, found.method), (KeyRole::Client, 192));
    assert_eq!(found.client_parameter, client.bytes());
    assert_eq!(found.server_parameter, server.bytes());
}

#[test]
fn ends_of_the_same_role_or_without_a_common_method_disagree() {
    let one = end(1, KeyRoles::Client, &[0]);
    assert_eq!(
        agree(&one, &end(2, KeyRoles::Client, &[0])),
        Err(Disagreement::Roles)
    );
    assert_eq!(
        agree(&one, &end(2, KeyRoles::Server, &[1])),
        Err(Disagreement::Method)
    );
}

#[test]
fn bits_without_a_meaning_are_kept_for_the_derivation_of_keys() {
    let wire = [0x80, 0x06, 0, 10, 1, 2, 3, 4, 0xff, 192];
    assert_eq!(KeyParameter::from_bytes(&wire).unwrap().bytes(), wire);
}
