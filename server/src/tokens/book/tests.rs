use aes_gcm::aead::AeadInPlace as _;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::*;
use crate::tokens::key::TokenKey;

const KEY: &str = "00112233445566778899aabbccddeeff";
const V1: &str = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwidHlwIjoiSldUIn0..Fo9u9QMIAKBUkrkN.V-tPDboRXepg_M2DEpBHKZLmBFt0TU9JspeXSqbNnjdL6snXWSnDZWNxDz8nkP2vI_PUS_njwjRJreBiNc7coVKHYBvb4d-Gx9Dtlh-pIrDiVS6i_V4XZWtvRIvv8kXj0hV5TOcNSy0tsgvQSNUB0pbdjWZXonc0y8zL1ayw.bZn08Htfsi0Y1PKtFoTQBQ";
const V1_EXP: i64 = 1_795_207_061;
const V2: &str = "eyJlbmMiOiJBMTI4R0NNIiwiYWxnIjoiZGlyIn0..AAECAwQFBgcICQoL.UPdet921tULvV02yIa9tz35q72hOk6_OzHz2bIB-4goMq7ogZXg6yi6C19q_dqfOmkjl1Nmg6IjELBTIF9ktZKLV9u01E1H59FiTV2sJf8UV9VPJDUqqEjFjVd-LykOUxWWmHo3bg360DzfKHp_8NOljfBN-0FmPTJUmjgLTRwqbTNlW8zelaqLlFvmWzQgUAYenAru44ERL8hT7nA._iz_VW8FVKFURDXHwqvwkg";

const NOW: Timestamp = Timestamp::from_millis(1_795_206_000_000);

fn vault() -> Vault {
    Vault::from_key([1; 32])
}

fn row(id: &str, scope: &str, key: &TokenKey) -> TokenRow {
    TokenRow {
        id: id.into(),
        scope: Arc::new(scope.parse().unwrap()),
        name: id.into(),
        sealed: vault().seal(key, id),
        hash: key.hash().into(),
        status: TokenStatus::Active,
        created_at: Timestamp::from_millis(0),
        created_by: None,
        revoke_after: None,
        revoked_at: None,
        last_used: None,
    }
}

fn key() -> TokenKey {
    TokenKey::parse(KEY).unwrap()
}

fn book(rows: &[TokenRow]) -> TokenBook {
    let book = TokenBook::new(EXP_LEEWAY_SECONDS);
    assert!(book.replace(rows, &vault()).is_empty());
    book
}

/// A credential of this key for the account.
fn credential(key: &TokenKey, account: &str, exp: i64) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"dir","enc":"A128GCM","typ":"JWT"}"#);
    let mut body = format!(r#"{{"sub":"{account}","exp":{exp}}}"#).into_bytes();
    let cipher = Aes128Gcm::new(key.bytes().into());
    let tag = cipher.encrypt_in_place_detached(&[3; 12].into(), header.as_bytes(), &mut body).unwrap();
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    format!("{header}..{}.{}.{}", encode(&[3; 12]), encode(&body), encode(&tag))
}

fn id(result: Result<Caller, AuthError>) -> Result<String, AuthError> {
    result.map(|caller| caller.token.id.as_ref().to_owned())
}

#[test]
fn both_vectors_open_with_their_token() {
    let book = book(&[row("t", "ACC", &key())]);
    for vector in [V1, V2] {
        let caller = book.authenticate("ACC", vector, None, NOW).unwrap();
        assert_eq!((&*caller.account, &*caller.token.name), ("ACC", "t"));
    }
}

#[test]
fn v1_ends_with_its_exp_and_the_leeway_also_when_it_was_seen_before() {
    let end = Timestamp::from_millis((V1_EXP + EXP_LEEWAY_SECONDS) * SECOND);
    let known = book(&[row("t", "ACC", &key())]);
    for at in [NOW, Timestamp::from_millis(V1_EXP * SECOND), end.plus(-1)] {
        assert!(known.authenticate("ACC", V1, None, at).is_ok());
    }
    for book in [known, book(&[row("t", "ACC", &key())])] {
        assert_eq!(book.authenticate("ACC", V1, None, end).unwrap_err(), AuthError::Expired);
        assert!(book.authenticate("ACC", V1, None, end.plus(-1)).is_ok(), "clocks may be set back");
    }
}

#[test]
fn t24_a_token_of_one_account_never_opens_another() {
    let book = book(&[row("x", "X", &key()), row("y", "Y", &TokenKey::random()), row("acc", "ACC", &key())]);
    let of_x = credential(&key(), "X", 4_102_444_800);
    assert_eq!(id(book.authenticate("X", &of_x, None, NOW)), Ok("x".to_owned()));
    assert_eq!(id(book.authenticate("Y", &of_x, None, NOW)), Err(AuthError::Invalid));
    // The same key in another account opens the credential, but its subject is X.
    assert_eq!(id(book.authenticate("ACC", &of_x, None, NOW)), Err(AuthError::Invalid));
    assert_eq!(id(book.authenticate("nobody", &of_x, None, NOW)), Err(AuthError::Invalid));
    assert_eq!(id(book.authenticate("X", V2, None, NOW)), Err(AuthError::Invalid));
}

#[test]
fn forms_that_are_no_credential_are_malformed_not_invalid() {
    let book = book(&[row("t", "ACC", &key())]);
    let long = "a".repeat(MAX_JWE + 1);
    for text in ["", "a.b.c", &V2.replacen("..", ".AAAA.", 1), &long] {
        assert_eq!(book.authenticate("ACC", text, None, NOW).unwrap_err(), AuthError::Malformed);
    }
}

#[test]
fn every_active_token_is_tried() {
    let keys: Vec<TokenKey> = (0..20).map(|_| TokenKey::random()).collect();
    let rows: Vec<_> = keys.iter().enumerate().map(|(at, key)| row(&format!("t{at}"), "ACC", key)).collect();
    let book = book(&rows);
    for (at, key) in keys.iter().enumerate() {
        let jwe = credential(key, "ACC", 4_102_444_800);
        assert_eq!(id(book.authenticate("ACC", &jwe, None, NOW)), Ok(format!("t{at}")));
    }
}

#[test]
fn t17_the_hint_finds_the_token_with_and_without_leading_zeros_and_is_only_a_hint() {
    // Both tokens hold the same key, so that only the hint tells them apart.
    let key = TokenKey::parse("ab00000000000000000000000000012c").unwrap();
    let book = book(&[row("other", "ACC", &TokenKey::random()), row("zeros", "ACC", &key)]);
    let jwe = |exp| credential(&key, "ACC", 4_102_444_800 + exp);
    let hash = key.hash();
    let without = hash.trim_start_matches('0');
    assert_eq!((hash.len(), without.len()), (64, 62));
    let hints = [Some(&*hash), Some(without), Some("beef"), Some(""), Some("000"), None];
    for (exp, hint) in (0_i64..).zip(hints) {
        assert_eq!(id(book.authenticate("ACC", &jwe(exp), hint, NOW)), Ok("zeros".to_owned()), "{hint:?}");
    }
    let hashes: Vec<_> = book.accounts.read()["ACC"].tokens.iter().map(|entry| entry.hash.clone()).collect();
    assert!(hashes.iter().any(|hash| **hash == *without));
}

#[test]
fn a_revoked_token_is_told_from_an_unknown_one_unless_an_active_one_has_the_same_key() {
    let mut revoked = row("old", "ACC", &key());
    revoked.status = TokenStatus::Revoked;
    let only_revoked = book(&[revoked.clone()]);
    assert_eq!(only_revoked.authenticate("ACC", V2, None, NOW).unwrap_err(), AuthError::Revoked);
    let both = book(&[revoked, row("new", "ACC", &key())]);
    assert_eq!(id(both.authenticate("ACC", V2, None, NOW)), Ok("new".to_owned()));
}

#[test]
fn revocation_takes_effect_on_the_next_request() {
    let book = book(&[row("t", "ACC", &key())]);
    let caller = book.authenticate("ACC", V2, None, NOW).unwrap();
    assert!(book.revoke("t"));
    assert!(!caller.token.is_active());
    assert_eq!(book.authenticate("ACC", V2, None, NOW).unwrap_err(), AuthError::Revoked);
    assert!(!book.revoke("unknown"));
}

#[test]
fn a_token_past_its_automatic_revocation_counts_as_revoked() {
    let mut soon = row("t", "ACC", &key());
    soon.revoke_after = Some(NOW.plus(1));
    let book = book(&[soon.clone()]);
    assert!(book.authenticate("ACC", V2, None, NOW).is_ok());
    assert_eq!(book.authenticate("ACC", V2, None, NOW.plus(1)).unwrap_err(), AuthError::Revoked);
    soon.revoke_after = None;
    book.replace(&[soon], &vault());
    assert!(book.authenticate("ACC", V2, None, NOW.plus(2)).is_ok());
}

#[test]
fn replacing_keeps_known_tokens_and_shuts_out_what_is_gone() {
    let (kept, gone) = (row("kept", "ACC", &key()), row("gone", "ACC", &TokenKey::random()));
    let book = book(&[kept.clone(), gone]);
    let before = book.authenticate("ACC", V2, None, NOW).unwrap();
    let tokens = book.accounts.read()["ACC"].tokens.clone();
    let gone = &tokens.iter().find(|entry| &*entry.known.id == "gone").unwrap().known;
    book.replace(std::slice::from_ref(&kept), &vault());
    assert!(!gone.is_active());
    let after = book.authenticate("ACC", V2, None, NOW).unwrap();
    assert!(Arc::ptr_eq(&before.token, &after.token));
    let mut revoked = kept;
    revoked.status = TokenStatus::Revoked;
    book.replace(&[revoked], &vault());
    assert!(!before.token.is_active());
}

#[test]
fn rows_read_before_an_insert_do_not_shut_the_new_token_out() {
    let book = book(&[]);
    let new = row("new", "ACC", &key());
    book.insert(&new, &vault()).unwrap();
    assert!(book.authenticate("ACC", V2, None, NOW).is_ok());
    book.replace(&[], &vault());
    assert!(book.authenticate("ACC", V2, None, NOW).is_ok(), "these rows were older");
    book.replace(&[], &vault());
    assert_eq!(book.authenticate("ACC", V2, None, NOW).unwrap_err(), AuthError::Invalid);
}

#[test]
fn t22_nobody_is_called_invalid_before_tokens_are_loaded_or_while_they_cannot_be_read() {
    let stranger = credential(&TokenKey::random(), "ACC", 4_102_444_800);
    let end = Timestamp::from_millis((V1_EXP + EXP_LEEWAY_SECONDS) * SECOND);
    let mut revoked = row("revoked", "ACC", &TokenKey::parse(&"ab".repeat(16)).unwrap());
    revoked.status = TokenStatus::Revoked;
    let of_revoked = credential(&TokenKey::parse(&"ab".repeat(16)).unwrap(), "ACC", 4_102_444_800);

    let book = TokenBook::new(EXP_LEEWAY_SECONDS);
    assert_eq!(book.authenticate("ACC", V2, None, NOW).unwrap_err(), AuthError::Unavailable);
    book.replace(&[row("t", "ACC", &key()), revoked], &vault());
    assert_eq!(book.authenticate("ACC", &stranger, None, NOW).unwrap_err(), AuthError::Invalid);

    book.doubt();
    assert!(book.authenticate("ACC", V2, None, NOW).is_ok(), "known tokens still pass");
    for (account, jwe, at) in [
        ("ACC", stranger.as_str(), NOW),
        ("ACC", &of_revoked, NOW),
        ("ACC", V1, end),
        ("nobody", V2, NOW),
        ("ACC", &credential(&key(), "X", 4_102_444_800), NOW),
    ] {
        assert_eq!(book.authenticate(account, jwe, None, at).unwrap_err(), AuthError::Unavailable);
    }
    book.confirm();
    assert_eq!(book.authenticate("ACC", &stranger, None, NOW).unwrap_err(), AuthError::Invalid);
}

#[test]
fn a_token_that_cannot_be_unsealed_makes_its_account_uncertain_but_no_other() {
    let mut foreign = row("foreign", "ACC", &TokenKey::random());
    foreign.sealed = Vault::from_key([2; 32]).seal(&TokenKey::random(), "foreign");
    let book = TokenBook::new(EXP_LEEWAY_SECONDS);
    let unreadable = book.replace(&[foreign, row("t", "ACC", &key()), row("b", "B", &key())], &vault());
    assert_eq!(unreadable, [Arc::from("foreign")]);
    assert!(book.authenticate("ACC", V2, None, NOW).is_ok());
    let stranger = |account| credential(&TokenKey::random(), account, 4_102_444_800);
    assert_eq!(book.authenticate("ACC", &stranger("ACC"), None, NOW).unwrap_err(), AuthError::Unavailable);
    assert_eq!(book.authenticate("B", &stranger("B"), None, NOW).unwrap_err(), AuthError::Invalid);
}

#[test]
fn uses_are_returned_once() {
    let book = book(&[row("a", "ACC", &key()), row("b", "B", &key())]);
    assert!(book.uses_since_last().is_empty());
    book.authenticate("ACC", V2, None, NOW).unwrap();
    book.authenticate("ACC", V2, None, NOW.plus(5)).unwrap();
    assert_eq!(book.uses_since_last(), [(Arc::from("a"), NOW.plus(5))]);
    assert!(book.uses_since_last().is_empty());
    assert!(book.authenticate("B", V2, None, NOW).is_err());
    assert!(book.uses_since_last().is_empty(), "a refusal is no use");
}

#[test]
fn a_token_is_due_from_the_instant_of_its_automatic_revocation() {
    let (first, second) = (key(), TokenKey::random());
    let late = TokenRow { revoke_after: Some(NOW.plus(1)), ..row("late", "ACC", &first) };
    let book = book(&[late, row("never", "ACC", &second)]);
    assert!(book.due(NOW).is_empty());
    assert_eq!(book.due(NOW.plus(1)), [Arc::from("late")]);
    book.revoke("late");
    assert!(book.due(NOW.plus(1)).is_empty());
}

#[test]
fn a_removed_token_is_forgotten_and_others_stay() {
    let (first, second) = (key(), TokenKey::random());
    let book = book(&[row("a", "ACC", &first), row("b", "ACC", &second)]);
    let held = book.authenticate("ACC", &credential(&first, "ACC", V1_EXP), None, NOW).unwrap().token;
    assert!(book.remove("a") && !book.remove("a") && !book.remove("nothing"));
    assert!(!held.is_active());
    let gone = book.authenticate("ACC", &credential(&first, "ACC", V1_EXP), None, NOW);
    assert_eq!(id(gone), Err(AuthError::Invalid));
    let other = book.authenticate("ACC", &credential(&second, "ACC", V1_EXP), None, NOW);
    assert_eq!(id(other).as_deref(), Ok("b"));
}

#[test]
fn debug_output_holds_no_key() {
    let text = format!("{:?} {:?}", book(&[row("t", "ACC", &key())]), vault());
    assert!(!text.contains(KEY) && text.contains("Entry(\"t\")"));
}
