//! The command line as scripts use it: what is on stdout, what is on stderr, and the exit code.

mod home;
mod remote;
mod upkeep;

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use home::{Home, Serving, told};

const TOKEN_HEX: &str = "00112233445566778899aabbccddeeff";
const TOKEN_OUTER: &str = "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=";

#[test]
fn each_command_prints_its_result_and_nothing_else() {
    let home = Home::new();
    assert_eq!(home.run(&["migrate"]), (0, String::new(), String::new()));
    let created = home.run(&["scope", "create", "acme/payments/checkout"]);
    assert_eq!(created, (0, "acme\nacme/payments\nacme/payments/checkout\n".to_owned(), String::new()));
    assert_eq!(
        home.run(&["scope", "create", "acme/payments"]),
        (0, String::new(), String::new()),
        "nothing new"
    );
    let (code, token, errors) = home.run(&["token", "create", "--scope", "acme/payments", "--name", "edge"]);
    assert_eq!((code, token.trim().len(), errors.as_str()), (0, 44, ""));
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/catalog.json");
    assert_eq!(home.run(&["catalog", "import", catalog]), (0, "42\n".to_owned(), String::new()));
    let (code, report, _) = home.run(&["doctor"]);
    assert_eq!(code, 0, "{report}");
    assert!(report.contains("warning  people         nobody can sign in yet"), "{report}");
    home.key("acme");
    let (_, report, _) = home.run(&["doctor"]);
    let wrong = report.lines().find(|line| !line.starts_with("ok") && !line.contains("  site  "));
    assert_eq!(wrong, None, "{report}");
}

#[test]
fn an_imported_token_keeps_its_value_in_either_form() {
    let home = Home::new();
    home.run(&["scope", "create", "ACC"]);
    for (account, value) in [("ACC", TOKEN_HEX), ("OTHER", TOKEN_OUTER)] {
        home.run(&["scope", "create", account]);
        let made = home.run(&["token", "create", "--scope", account, "--name", "t", "--import", value]);
        assert_eq!(made, (0, format!("{TOKEN_OUTER}\n"), String::new()), "{account}");
    }
    let mut child = home
        .command(&["token", "create", "--scope", "ACC", "--name", "u", "--import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("run");
    child.stdin.take().expect("stdin").write_all(b"ffeeddccbbaa99887766554433221100\n").expect("write");
    assert_eq!(told(child.wait_with_output().expect("output")).0, 0, "from standard input");
}

#[test]
fn what_is_refused_says_why_and_exits_with_1() {
    let home = Home::new();
    home.run(&["scope", "create", "acme"]);
    home.run(&["token", "create", "--scope", "acme", "--name", "edge", "--import", TOKEN_HEX]);
    for (arguments, word) in [
        (vec!["token", "create", "--scope", "acme/none", "--name", "x"], "rollcall scope create acme/none"),
        (vec!["token", "create", "--scope", "acme", "--name", "edge"], "exists"),
        (
            vec!["token", "create", "--scope", "acme", "--name", "twin", "--import", TOKEN_OUTER],
            "already exists",
        ),
        (vec!["token", "create", "--scope", "acme", "--name", "x", "--import", "zz"], "32 hexadecimal"),
        (vec!["token", "create", "--scope", "acme", "--name", ""], "name"),
        (vec!["catalog", "import", "none.json"], "none.json"),
        (vec!["setting", "set", "lifecycle.anchor", "eow"], "eos or eol"),
        (vec!["setting", "set", "no.such", "1"], "no such setting"),
        (vec!["serve", "--listen", "0.0.0.0:0"], "nobody can sign in yet"),
        (vec!["user", "create", "--email", "a@b", "--scope", "none", "--role", "admin"], "scope create none"),
        (
            vec!["user", "create", "--email", "a", "--scope", "acme", "--role", "admin", "--no-password"],
            "e-mail",
        ),
        (
            vec!["user", "create", "--email", "a@b", "--scope", "acme", "--role", "king", "--no-password"],
            "role",
        ),
        (vec!["user", "create", "--email", "a@b", "--scope", "acme", "--role", "admin"], "12 characters"),
        (vec!["api-key", "create", "--user", "nobody@b", "--name", "x"], "no user nobody@b"),
        // Ids are random and may begin like an option.
        (vec!["api-key", "revoke", "--user", "nobody@b", "--id", "-x"], "no user nobody@b"),
    ] {
        let (code, out, errors) = home.run(&arguments);
        assert_eq!((code, out.as_str()), (1, ""), "{arguments:?}");
        assert!(errors.contains(word), "{arguments:?}: {errors}");
        assert!(!errors.contains(TOKEN_HEX) && !errors.contains(TOKEN_OUTER), "a token in {errors}");
    }
}

#[test]
fn what_is_not_understood_exits_with_2() {
    let home = Home::new();
    for arguments in [
        vec!["scope", "create", "a/b/c/d"],
        vec!["scope", "create", "a b"],
        vec!["serve", "--listen", "nowhere"],
        vec!["fly"],
        vec!["--config", "missing.toml", "doctor"],
    ] {
        let (code, out, errors) = home.run(&arguments);
        assert_eq!((code, out.as_str(), errors.is_empty()), (2, "", false), "{arguments:?}");
    }
}

#[test]
fn a_catalog_with_errors_is_refused_whole_with_all_of_them() {
    let home = Home::new();
    home.run(&["migrate"]);
    let document = r#"{"schema": 1, "asOf": "2026-11-20", "latest": {}, "versions": [
        {"version": "26.09.89620", "line": "classic", "released": "2026-09-22", "eos": "2027-02-28", "eol": "2026-01-01"},
        {"version": "26.09.89620", "line": "classic", "released": "2026-09-22", "eos": null, "eol": null}]}"#;
    std::fs::write(home.path().join("bad.json"), document).expect("write");
    let (code, out, errors) = home.run(&["catalog", "import", "bad.json"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(errors.lines().count() >= 3, "{errors}");
    let (_, report, _) = home.run(&["doctor"]);
    assert!(report.contains("warning  catalog"), "{report}");
}

#[test]
fn the_doctor_says_what_is_wrong() {
    let home = Home::new();
    let (code, report, _) = home.run(&["doctor"]);
    assert_eq!(code, 1);
    assert!(report.contains("rollcall migrate"), "{report}");
    assert!(!home.path().join("data").exists(), "a look changes nothing");
    home.run(&["scope", "create", "acme"]);
    std::fs::write(home.path().join("data/master.key"), "ab".repeat(32)).expect("another key");
    let (code, report, _) = home.run(&["doctor"]);
    assert_eq!(code, 1);
    assert!(report.contains("1 of 1 cannot be opened"), "{report}");
    std::fs::remove_file(home.path().join("data/master.key")).expect("remove");
    let (code, _, errors) = home.run(&["token", "create", "--scope", "acme", "--name", "x"]);
    assert_eq!(code, 1);
    assert!(errors.contains("restore it"), "{errors}");
    std::fs::write(home.path().join("broken.db"), "this is no database, and must stay as it is")
        .expect("write");
    let (code, report, _) = home.run(&["--database", "sqlite://broken.db", "doctor"]);
    assert_eq!(code, 1, "{report}");
    let kept = std::fs::read_to_string(home.path().join("broken.db")).expect("read");
    assert_eq!(kept, "this is no database, and must stay as it is");
}

#[test]
fn a_delegate_registers_with_a_token_made_beside_the_running_server_and_survives_its_kill() {
    let home = Home::new();
    home.run(&["migrate"]);
    let mut serving = Serving::start(&home);
    home.run(&["scope", "create", "ACC"]);
    home.run(&["token", "create", "--scope", "ACC", "--name", "edge", "--import", TOKEN_HEX]);
    serving.key = home.key("ACC");
    serving.until("/api/v1/accounts/ACC/delegates", |status, _| status == 200);
    let register = "/api/agent/delegates/register?accountId=ACC";
    let body = include_str!("../../../fixtures/agent/go-register.json");
    let end = Instant::now() + Duration::from_secs(20);
    while serving.request("POST", register, body).0 != 200 {
        assert!(Instant::now() < end, "the token never opened");
        std::thread::sleep(Duration::from_millis(100));
    }
    serving.until("/api/v1/accounts/ACC/delegates", |_, answer| answer.contains("\"connected\":1"));
    let key = serving.key.clone();
    drop(serving);
    let mut serving = Serving::start(&home);
    serving.key = key;
    let answer = serving.until("/api/v1/accounts/ACC/delegates", |status, _| status == 200);
    assert!(answer.contains("dlite-build-vm-01") && answer.contains("\"connected\":1"), "{answer}");
}

#[test]
fn a_setting_changes_what_a_running_server_says() {
    let home = Home::new();
    home.run(&["scope", "create", "ACC"]);
    home.run(&["token", "create", "--scope", "ACC", "--name", "edge", "--import", TOKEN_HEX]);
    let mut serving = Serving::start(&home);
    serving.key = home.key("ACC");
    let body = include_str!("../../../fixtures/agent/java-register.json");
    assert_eq!(serving.request("POST", "/api/agent/delegates/register?accountId=ACC", body).0, 200);
    let counts = "/api/v1/accounts/ACC/delegates";
    serving.until(counts, |_, answer| answer.contains("\"unsupported\":0"));
    assert_eq!(home.run(&["setting", "set", "versions.latest", "26.10.90212", "--scope", "ACC"]).0, 0);
    serving.until(counts, |_, answer| answer.contains("\"unsupported\":1"));
    assert_eq!(home.run(&["setting", "list"]).1, "versions.latest=26.10.90212 ACC\n");
    assert_eq!(home.run(&["setting", "unset", "versions.latest", "--scope", "ACC"]).0, 0);
    serving.until(counts, |_, answer| answer.contains("\"unsupported\":0"));
}

#[test]
fn a_terminated_server_drains_and_exits_with_0() {
    let home = Home::new();
    home.run(&["scope", "create", "acme"]);
    let mut serving = Serving::start(&home);
    let killed = Command::new("kill").arg(serving.child.id().to_string()).status().expect("kill");
    assert!(killed.success());
    assert_eq!(serving.child.wait().expect("wait").code(), Some(0));
}

#[test]
fn the_first_start_prints_a_link_that_works_until_somebody_can_sign_in() {
    let home = Home::new();
    let lines = |home: &Home| {
        let (mut child, mut reader, address) = home.serve();
        let stopped = Command::new("kill").arg(child.id().to_string()).status().expect("kill");
        assert!(stopped.success());
        let mut rest = String::new();
        reader.read_to_string(&mut rest).expect("rest");
        child.wait().expect("end");
        (address, rest)
    };
    let (address, rest) = lines(&home);
    let code = rest.trim().strip_prefix(&format!("{address}/setup/")).expect("a link");
    assert_eq!(code.len(), 43);
    home.run(&["scope", "create", "acme"]);
    home.key("acme");
    assert_eq!(lines(&home).1, "", "no link once somebody can sign in");
}

#[test]
fn people_keys_roles_and_the_audit_log_are_scripted() {
    let home = Home::new();
    home.run(&["scope", "create", "acme/payments"]);
    let (code, word, _) = home.run(&[
        "role",
        "create",
        "--scope",
        "acme",
        "--name",
        "Night shift",
        "--permission",
        "core_delegate_delete",
    ]);
    assert_eq!((code, word.trim()), (0, "night-shift@acme"));
    let email = "alex@acme.example";
    let user = ["user", "create", "--email", email, "--scope", "acme/payments", "--role", "night-shift@acme"];
    let (code, id, errors) = home.feed(&user, "correct horse battery");
    assert_eq!((code, id.trim().len(), errors.as_str()), (0, 22, ""));
    let (_, people, _) = home.run(&["user", "list"]);
    assert_eq!(people, "alex@acme.example acme/payments=night-shift@acme\n");
    let (_, key, _) = home.run(&["api-key", "create", "--user", email, "--name", "nightly"]);
    assert!(key.starts_with("pat.acme.") && key.trim().split('.').count() == 4, "{key}");
    let id = key.split('.').nth(2).expect("id");
    assert_eq!(home.run(&["api-key", "list", "--user", email]).1, format!("{id} acme/payments nightly\n"));
    assert_eq!(home.run(&["api-key", "revoke", "--user", email, "--id", id]).0, 0);
    assert_eq!(home.run(&["api-key", "list", "--user", email]).1, "");
    let (code, link, _) = home.run(&["user", "link", "--email", email, "--url", "http://127.0.0.1:3000/"]);
    assert!(code == 0 && link.starts_with("http://127.0.0.1:3000/sign-in/link/"), "{link}");
    let unassign =
        ["role", "unassign", "--email", email, "--scope", "acme/payments", "--role", "night-shift@acme"];
    assert_eq!(home.run(&unassign).0, 0);
    assert_eq!(home.run(&["role", "delete", "--scope", "acme", "--id", "night-shift"]).0, 0);

    let (code, log, _) = home.run(&["audit", "export"]);
    assert_eq!(code, 0);
    let actions: Vec<String> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("json"))
        .filter_map(|line| line["action"].as_str().map(ToOwned::to_owned))
        .collect();
    for action in [
        "scope.create",
        "role.create",
        "user.create",
        "assignment.create",
        "api_key.create",
        "api_key.revoke",
        "link.create",
        "assignment.delete",
        "role.delete",
        "audit.export",
    ] {
        assert!(actions.iter().any(|known| known == action), "{action} in {actions:?}");
    }
    let secret = key.trim().rsplit('.').next().expect("secret");
    assert!(!log.contains(secret) && !log.contains("correct horse"));
    let (_, table, _) = home.run(&["audit", "export", "--format", "csv", "--scope", "acme/payments"]);
    assert!(table.starts_with("time,actor,action,"), "{table}");
}
