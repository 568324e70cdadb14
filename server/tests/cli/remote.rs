//! Commands that ask a running server over its API, as pipelines use them.

use crate::TOKEN_HEX;
use crate::home::{Home, Serving};

const REGISTER: &str = "/api/agent/delegates/register?accountId=ACC";

/// A server with the catalog and one delegate of this version.
fn serving(home: &Home, version: &str) -> Serving {
    home.run(&["scope", "create", "ACC"]);
    home.run(&["token", "create", "--scope", "ACC", "--name", "edge", "--import", TOKEN_HEX]);
    home.run(&["catalog", "import", concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/catalog.json")]);
    let mut serving = Serving::start(home);
    serving.key = home.key("ACC");
    let body = include_str!("../../../fixtures/agent/java-register.json");
    let mut body: serde_json::Value = serde_json::from_str(body).expect("a body");
    body["version"] = version.into();
    assert_eq!(serving.request("POST", REGISTER, &body.to_string()).0, 200);
    serving.until("/api/v1/accounts/ACC/delegates", |_, answer| answer.contains("\"connected\":1"));
    std::fs::write(home.path().join("key"), &serving.key).expect("key file");
    serving
}

fn ask(home: &Home, serving: &Serving, arguments: &[&str]) -> (i32, String, String) {
    let url = serving.url();
    let remote = ["--url", &url, "--api-key-file", "key"];
    home.run(&[arguments, &remote].concat())
}

#[test]
fn a_pipeline_learns_from_the_exit_code_whether_too_many_are_expired() {
    let home = Home::new();
    let serving = serving(&home, "24.04.82804");
    let (code, table, errors) = ask(&home, &serving, &["check"]);
    assert_eq!((code, errors.as_str()), (1, ""), "{table}");
    assert!(table.starts_with("too many  1 expired, 0 allowed\n"), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains("24.04.82804")).count(), 1, "{table}");
    let (code, json, _) = ask(&home, &serving, &["check", "--output", "json"]);
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((code, &report["ok"], &report["findings"][0]["limit"]), (1, &false.into(), &"expired".into()));
    assert_eq!(ask(&home, &serving, &["check", "--max-expired", "1"]).0, 0);
    assert_eq!(ask(&home, &serving, &["check", "--filter", "delegateTags=nobody"]).0, 0, "none of these");
}

#[test]
fn within_looks_ahead() {
    let home = Home::new();
    let serving = serving(&home, "26.11.90604");
    assert_eq!(ask(&home, &serving, &["check", "--within", "14d"]).0, 0);
    let (code, table, _) = ask(&home, &serving, &["check", "--within", "36500d"]);
    assert_eq!(code, 1, "a hundred years are enough for every version: {table}");
}

#[test]
fn what_cannot_be_checked_is_no_success_and_no_finding() {
    let home = Home::new();
    let serving = serving(&home, "26.11.90604");
    let url = serving.url();
    std::fs::write(home.path().join("wrong"), "pat.ACC.none.none").expect("key file");
    for (arguments, word) in [
        (vec!["check", "--url", "http://127.0.0.1:9", "--api-key-file", "key"], "cannot be reached"),
        (vec!["check", "--url", &url, "--api-key-file", "wrong"], "the key is refused (401)"),
        (vec!["check", "--url", &url, "--api-key-file", "none"], "none: "),
        (vec!["check", "--url", &url], "an API key is needed"),
        (vec!["check", "--url", &url, "--api-key-file", "key", "--scope", "OTHER"], "403"),
        (vec!["check", "--url", &url, "--api-key-file", "key", "--scope", "ACC/none"], "404"),
        (vec!["check", "--url", &url, "--api-key-file", "key", "--filter", "health=ill"], "health"),
    ] {
        let (code, out, errors) = home.run(&arguments);
        assert_eq!((code, out.as_str()), (3, ""), "{arguments:?}: {errors}");
        assert!(errors.starts_with("rollcall: not checked: ") && errors.contains(word), "{errors}");
        assert!(!errors.contains(&serving.key));
    }
    assert_eq!(home.run(&["check", "--within", "soon"]).0, 2, "not understood");
}

#[test]
fn delegates_are_listed_shown_and_deleted() {
    let home = Home::new();
    let serving = serving(&home, "26.11.90604");
    let (code, table, _) = ask(&home, &serving, &["delegates", "list"]);
    assert_eq!((code, table.lines().count()), (0, 2), "{table}");
    assert!(table.contains("26.11.90604") && table.contains("ACTIVE") && table.contains("1/1"), "{table}");
    let (_, json, _) = ask(&home, &serving, &["delegates", "list", "--output", "json"]);
    let listed: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let (name, identifier) = (listed[0]["name"].as_str().expect("a name"), listed[0]["identifier"].as_str());
    let (code, shown, _) = ask(&home, &serving, &["delegates", "show", name]);
    assert!(code == 0 && shown.contains("connected") && shown.contains(name), "{shown}");
    let identifier = identifier.expect("an identifier");
    assert_eq!(ask(&home, &serving, &["delegates", "show", identifier]).1, shown);
    let (code, out, errors) = ask(&home, &serving, &["delegates", "show", "nobody"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(errors.contains("there is no delegate nobody in ACC"), "{errors}");
    let (code, _, errors) = ask(&home, &serving, &["delegates", "delete", identifier]);
    assert!(code == 1 && errors.contains("connected"), "{errors}");
    assert_eq!(ask(&home, &serving, &["delegates", "delete", identifier, "--force"]).0, 0);
    assert_eq!(ask(&home, &serving, &["delegates", "list"]).1.lines().count(), 1);
}

#[test]
fn a_mirror_is_added_listed_and_removed_and_a_running_server_follows() {
    let there = Home::new();
    let source = serving(&there, "26.11.90604");
    let here = Home::new();
    let mut shown = Serving::start(&here);
    std::fs::write(here.path().join("key"), &source.key).expect("key file");
    let url = source.url();
    let add = ["mirror", "add", "--url", &url, "--api-key-file", "key", "--name", "east"];
    let (code, out, errors) = here.run(&add);
    assert_eq!((code, out.as_str()), (0, "east\n"), "{errors}");
    let (code, _, errors) = here.run(&add);
    assert!(code == 1 && errors.contains("already exists"), "{errors}");
    shown.key = here.key("ACC");
    let listed =
        shown.until("/api/v1/accounts/ACC/delegates", |_, answer| answer.contains("\"source\":\"mirror\""));
    assert!(listed.contains("\"connected\":1"), "{listed}");
    let (_, table, _) = here.run(&["mirror", "list"]);
    assert!(table.contains("ACC") && table.contains("east") && table.contains("up to date"), "{table}");
    assert!(!table.contains(&source.key));

    drop(source);
    assert_eq!(here.run(&["key", "add"]).0, 0);
    assert_eq!(
        here.run(&["key", "rotate"]),
        (0, "2\n".to_owned(), String::new()),
        "a token and the mirror's key"
    );
    assert_eq!(here.run(&["mirror", "remove", "--account", "ACC", "--name", "east"]).0, 0);
    shown.until("/api/v1/accounts/ACC/delegates", |_, answer| answer.contains("\"groups\":0"));
    let (code, _, errors) = here.run(&["mirror", "remove", "--account", "ACC", "--name", "east"]);
    assert!(code == 1 && errors.contains("ACC has no mirror east"), "{errors}");
}

#[test]
fn a_mirror_that_cannot_be_is_refused_with_the_reason() {
    let home = Home::new();
    std::fs::write(home.path().join("key"), "pat.ACC.id.secret").expect("key file");
    std::fs::write(home.path().join("short"), "secret").expect("key file");
    let url = "https://other.example";
    for (arguments, word) in [
        (
            vec!["--url", "ftp://other", "--api-key-file", "key"],
            "url: ftp://other is not the address of a server",
        ),
        (vec!["--url", url, "--api-key-file", "none"], "none: "),
        (vec!["--url", url, "--api-key-file", "short"], "the key names no account: give --account"),
        (vec!["--url", url, "--api-key-file", "key", "--name", "a b"], "name: "),
        (
            vec!["--url", url, "--api-key-file", "key", "--account", "ACC/payments"],
            "ACC/payments is no account",
        ),
    ] {
        let (code, out, errors) = home.run(&[vec!["mirror", "add"], arguments].concat());
        assert!(code == 1 && out.is_empty() && errors.contains(word), "{errors}");
        assert!(!errors.contains("secret"), "{errors}");
    }
    assert_eq!(home.run(&["mirror", "list"]).1, "ACCOUNT  NAME  URL  AS OF  STATE\n");
}
