//! What keeps a server in order: another master key, another database.

use crate::TOKEN_HEX;
use crate::home::{Home, Serving};

const REGISTER: &str = "/api/agent/delegates/register?accountId=ACC";
const BODY: &str = include_str!("../../../fixtures/agent/java-register.json");

fn home() -> Home {
    let home = Home::new();
    home.run(&["scope", "create", "ACC"]);
    home.run(&["token", "create", "--scope", "ACC", "--name", "edge", "--import", TOKEN_HEX]);
    home
}

#[test]
fn the_master_key_is_replaced_while_delegates_go_on() {
    let home = home();
    let file = home.path().join("data/master.key");
    let keys =
        || std::fs::read_to_string(&file).expect("key file").lines().map(str::to_owned).collect::<Vec<_>>();
    let before = keys();
    assert_eq!(home.run(&["key", "add"]), (0, String::new(), String::new()));
    assert_eq!((keys().len(), &keys()[1]), (2, &before[0]));

    let serving = Serving::start(&home);
    assert_eq!(serving.request("POST", REGISTER, BODY).0, 200, "the old key still opens");
    assert_eq!(home.run(&["key", "rotate"]), (0, "2\n".to_owned(), String::new()));
    assert_eq!(serving.request("POST", REGISTER, BODY).0, 200, "both know the new key");
    assert_eq!(home.run(&["key", "rotate", "--drop-old"]), (0, "0\n".to_owned(), String::new()));
    assert_eq!(keys().len(), 1);
    assert_ne!(keys(), before);
    drop(serving);
    let serving = Serving::start(&home);
    assert_eq!(serving.request("POST", REGISTER, BODY).0, 200, "the new key opens alone");
    let (_, log, _) = home.run(&["audit", "export", "--format", "csv"]);
    assert_eq!(log.matches("master_key.rotate").count(), 1, "{log}");
}

#[test]
fn a_token_that_no_key_opens_keeps_all_as_they_are() {
    let home = home();
    let file = home.path().join("data/master.key");
    let foreign = format!("{}\n", "ab".repeat(32));
    std::fs::write(&file, &foreign).expect("write");
    let (code, out, errors) = home.run(&["key", "rotate", "--drop-old"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(errors.contains("of ACC opens with no key"), "{errors}");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), foreign);
}

#[test]
fn a_server_goes_on_with_a_copy_of_its_database() {
    let home = home();
    let serving = Serving::start(&home);
    assert_eq!(serving.request("POST", REGISTER, BODY).0, 200);
    drop(serving);
    let (from, to) = ("sqlite://data/rollcall.db", "sqlite://data/copy.db");
    let (code, tables, errors) = home.run(&["copy", "--from", from, "--to", to]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(tables.contains("instances\t1\n") && tables.contains("tokens\t2\n"), "{tables}");
    std::fs::rename(home.path().join("data/copy.db"), home.path().join("data/rollcall.db")).expect("move");
    let mut serving = Serving::start(&home);
    serving.key = home.key("ACC");
    serving.until("/api/v1/accounts/ACC/delegates", |_, answer| answer.contains("\"instances\":1"));

    let (code, out, errors) =
        home.run(&["copy", "--from", "sqlite://none.db", "--to", "sqlite://data/other.db"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(errors.contains("there is no file none.db"), "{errors}");
}
