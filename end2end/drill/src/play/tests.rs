use super::*;
use crate::client::Kind;
use crate::scenario::{Group, ScopePlan};

fn scenario(replicas: u32) -> Scenario {
    let group = Group { replicas, ..Group::new("edge", Kind::Go) };
    let paths = ["acme", "acme/payments"].map(|path| path.parse().unwrap());
    Scenario { seed: 1, scopes: paths.map(|path| ScopePlan { path, groups: vec![group.clone()] }).into() }
}

fn tokens(scopes: &[&str]) -> Tokens {
    let mut tokens = Tokens::default();
    for scope in scopes {
        tokens.add_pair(&format!("{scope}=00112233445566778899aabbccddeeff")).unwrap();
    }
    tokens
}

#[test]
fn a_play_needs_a_token_for_every_scope_that_has_groups() {
    let missing = casts(&scenario(1), &tokens(&["acme"]), 10).unwrap_err();
    assert_eq!(missing.to_string(), "no token for acme/payments");
    let mut empty = scenario(1);
    empty.scopes[1].groups.clear();
    assert_eq!(casts(&empty, &tokens(&["acme"]), 10).unwrap().len(), 1);
}

#[test]
fn a_play_is_bounded_in_number() {
    let tokens = tokens(&["acme", "acme/payments"]);
    assert_eq!(casts(&scenario(5), &tokens, 10).unwrap().len(), 2);
    assert_eq!(casts(&scenario(6), &tokens, 10).unwrap_err(), PlayError::TooMany { found: 12, allowed: 10 });
    assert_eq!(casts(&scenario(0), &tokens, 10).unwrap_err(), PlayError::Empty);
}
