use fleet::time::Timestamp;

use super::attempt::own_path;
use super::*;

fn config(text: &str) -> Result<OidcConfig, toml::de::Error> {
    let base = "issuer = 'https://id.example/realms/main'\nclient_id = 'rollcall'\n\
                redirect_url = 'https://rollcall.example/sign-in/sso/callback'\n";
    toml::from_str(&format!("{base}{text}"))
}

fn clock() -> Clock {
    Clock::manual(Timestamp::from_millis(1_760_000_000_000))
}

fn vault(key: u8) -> Arc<Vault> {
    Arc::new(Vault::from_key([key; 32]))
}

fn oidc(text: &str) -> Result<Oidc, OidcError> {
    Oidc::new(config(text).expect("settings"), clock(), vault(1))
}

#[test]
fn settings_have_defaults_and_unknown_keys_are_refused() {
    let config = config("").expect("settings");
    assert_eq!(config.group_claim, "groups");
    assert_eq!(config.scopes, ["openid", "email", "profile"]);
    assert_eq!(config.name, "SSO");
    assert_eq!(config.issuer.as_str(), "https://id.example/realms/main");
    let error = super::tests::config("client_sekret = 'x'").expect_err("typo").to_string();
    assert!(error.contains("client_sekret"), "{error}");
}

#[test]
fn the_secret_comes_from_one_place_and_never_shows() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("secret");
    std::fs::write(&path, "hunter2\n").expect("write");
    let named = format!("client_secret_file = '{}'", path.display());
    let read = oidc(&named).expect("settings").config;
    assert_eq!(read.client_secret.as_ref().expect("secret").reveal(), "hunter2");
    assert!(!format!("{read:?}").contains("hunter2"));

    let both = oidc(&format!("client_secret = 'x'\n{named}")).err().expect("both").to_string();
    assert!(both.contains("exclude each other"), "{both}");
    std::fs::write(&path, " \n").expect("write");
    assert!(oidc(&named).err().expect("empty").to_string().contains("is empty"));
    let missing = oidc("client_secret_file = 'no/such/file'").err().expect("missing").to_string();
    assert!(missing.contains("no/such/file cannot be read"), "{missing}");
}

#[test]
fn only_tls_leaves_the_machine() {
    let check = |issuer: &str, redirect: &str| {
        let text = format!("issuer = '{issuer}'\nclient_id = 'c'\nredirect_url = '{redirect}'");
        Oidc::new(toml::from_str(&text).expect("settings"), clock(), vault(1)).map(|_| ())
    };
    let callback = "https://rollcall.example/cb";
    for good in ["https://id.example", "http://127.0.0.1:8080", "http://localhost/x", "http://[::1]:9"] {
        assert_eq!(check(good, callback), Ok(()), "{good}");
        assert_eq!(check("https://id.example", good), Ok(()), "{good}");
    }
    for bad in ["http://id.example", "http://10.0.0.1", "http://localhost.example", "ftp://127.0.0.1"] {
        assert!(
            matches!(check(bad, callback), Err(OidcError::Settings(text)) if text.contains("issuer")),
            "{bad}"
        );
        let redirect = check("https://id.example", bad);
        assert!(matches!(redirect, Err(OidcError::Settings(text)) if text.contains("redirect_url")), "{bad}");
    }
}

#[test]
fn groups_give_roles_where_the_settings_say() {
    let settings = "[[roles]]\ngroup = 'admins'\nscope = '*'\nrole = 'account_admin'\n\
                 [[roles]]\ngroup = 'checkout'\nscope = 'acme/shop/checkout'\nrole = 'delegate_operator'\n\
                 [[roles]]\ngroup = 'payments'\nscope = 'acme/shop/checkout'\nrole = 'delegate_operator'\n\
                 [[roles]]\ngroup = 'everyone'\nscope = 'acme'\nrole = 'viewer'\n";
    let oidc = oidc(settings).expect("settings");
    let roles =
        |groups: &[&str]| oidc.roles_of(&groups.iter().map(|&group| group.to_owned()).collect::<Vec<_>>());
    let checkout =
        (Reach::Scope("acme/shop/checkout".parse().expect("scope")), "delegate_operator".to_owned());
    let viewer = (Reach::Scope("acme".parse().expect("scope")), "viewer".to_owned());

    assert_eq!(roles(&["admins"]), [(Reach::Server, "account_admin".to_owned())]);
    assert_eq!(roles(&["everyone", "checkout"]), [checkout.clone(), viewer]);
    assert_eq!(roles(&["payments", "checkout"]), [checkout], "each role once");
    for stranger in [&[][..], &["unknown"], &["Admins"], &["admins "], &["*"]] {
        assert_eq!(roles(stranger), [], "{stranger:?}");
    }
    assert!(config("[[roles]]\ngroup = 'a'\nscope = 'a//b'\nrole = 'r'").is_err());
}

#[test]
fn the_cookie_is_bound_to_the_host_where_there_is_tls() {
    let secure = oidc("").expect("settings");
    let set = secure.set_cookie("v");
    assert_eq!(set, "__Host-rollcall_oidc=v; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure");
    assert!(secure.clear_cookie().contains("Max-Age=0"));
    let text = "issuer = 'https://id.example'\nclient_id = 'c'\nredirect_url = 'http://localhost:3000/cb'";
    let plain = Oidc::new(toml::from_str(text).expect("settings"), clock(), vault(1)).expect("settings");
    assert_eq!(plain.set_cookie("v"), "rollcall_oidc=v; Path=/; Max-Age=600; HttpOnly; SameSite=Lax");
}

#[test]
fn an_attempt_opens_for_10_minutes_whole_and_with_its_own_key_only() {
    let (seal, start) = (Seal(vault(1)), clock().now());
    let attempt = Attempt {
        state: "s".to_owned(),
        nonce: "n".to_owned(),
        verifier: "v".to_owned(),
        next: "/a/acme".to_owned(),
        at: start.millis(),
    };
    let cookie = seal.close(&attempt);
    let after = |millis| Timestamp::from_millis(start.millis() + millis);
    assert_eq!(seal.open(&cookie, after(600_000)).map(|open| open.next).ok().as_deref(), Some("/a/acme"));
    assert_eq!(seal.open(&cookie, after(600_001)).err(), Some(OidcError::LapsedAttempt));
    assert_eq!(Seal(vault(2)).open(&cookie, start).err(), Some(OidcError::UnknownAttempt));
    assert!(Seal(vault(1)).open(&cookie, start).is_ok(), "on another node");
    for at in 0..cookie.len() {
        let mut damaged = cookie.clone().into_bytes();
        damaged[at] = if damaged[at] == b'A' { b'B' } else { b'A' };
        let damaged = String::from_utf8(damaged).expect("text");
        assert_eq!(seal.open(&damaged, start).err(), Some(OidcError::UnknownAttempt), "{at}");
        assert_eq!(seal.open(&cookie[..at], start).err(), Some(OidcError::UnknownAttempt), "{at}");
    }
    assert!(!cookie.contains("acme"));
}

#[test]
fn nobody_is_sent_to_another_server_afterwards() {
    for own in ["/", "/a/acme?q=1", "/a/acme/delegates#x"] {
        assert_eq!(own_path(own), own);
    }
    let long = format!("/{}", "x".repeat(1800));
    for other in
        ["", "https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example", "a", &long]
    {
        assert_eq!(own_path(other), "/");
    }
}
