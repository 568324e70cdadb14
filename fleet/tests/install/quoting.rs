//! Whatever text is put into a file, it stays one value and means itself.

use std::process::Command;

use fleet::install::quote::{env_file, hcl, json, shell, yaml};
use fleet::install::{Choice, Platform, World, plan};
use fleet::scope::Scope;
use proptest::prelude::*;

use crate::common::*;

/// Texts that try to get out.
pub(crate) const HOSTILE: [&str; 40] = [
    "",
    " ",
    "true",
    "No",
    "null",
    "~",
    "y",
    "1",
    "1e3",
    "0x1f",
    "12:30:45",
    "- a",
    "a: b",
    "a #b",
    "# a",
    "&a *b !c",
    "|",
    "> x",
    "%a",
    "@a",
    "`id`",
    "$(id)",
    "${HOME}",
    "%{if true}",
    "$HOME",
    "it's",
    "\"quoted\"",
    "back\\slash",
    "\\n",
    "a\"; rm -rf / #",
    "'; id; '",
    "{\"a\": [1]}",
    "[a, b]",
    "---",
    "...",
    "=a",
    "~root",
    "-n",
    "ä \u{1f980} \u{2028}\u{85}\u{feff}",
    "  spaces  ",
];

/// What the Terraform language reads in a string literal.
fn read_hcl(literal: &str) -> Option<String> {
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                c @ ('"' | '\\') => text.push(c),
                _ => return None,
            },
            '"' | '\n' => return None,
            '$' | '%' => {
                let rest = chars.as_str();
                text.push(c);
                if rest.starts_with('{') {
                    return None;
                }
                if rest.strip_prefix(c).is_some_and(|rest| rest.starts_with('{')) {
                    chars.next();
                    text.push('{');
                    chars.next();
                }
            }
            c => text.push(c),
        }
    }
    Some(text)
}

/// The words that a shell reads in a command of these words.
fn read_shell(words: &[String]) -> Vec<String> {
    let script = format!("printf '%s\\0' {}", words.join(" "));
    let output = Command::new("bash").args(["-c", &script]).output().expect("bash");
    let text = String::from_utf8(output.stdout).expect("text");
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn hostile_texts_stay_themselves() {
    for text in HOSTILE {
        assert_eq!(serde_json::from_str::<String>(&json(text)).ok().as_deref(), Some(text));
        assert_eq!(read_hcl(&hcl(text)).as_deref(), Some(text), "{}", hcl(text));
    }
    let words: Vec<String> = HOSTILE.iter().map(|text| shell(text)).collect();
    assert_eq!(read_shell(&words), HOSTILE);
}

#[test]
fn words_that_yaml_reads_as_something_else_are_quoted_and_plain_ones_are_not() {
    for text in ["true", "No", "ON", "null", "y", "N", "1", "", "~", "a: b", "a b"] {
        assert!(yaml(text).starts_with('"'), "{text}");
    }
    for text in ["edge-eu", "us-docker.pkg.dev/a/b", "apps/v1"] {
        assert_eq!(yaml(text), text);
    }
    assert_eq!(yaml("a\u{7}\u{85}\n"), "\"a\\u0007\\u0085\\n\"");
}

#[test]
fn a_line_of_an_environment_file_stays_one_line_that_means_itself() {
    let lines: Vec<String> =
        HOSTILE.iter().map(|text| format!("A={}\nprintf '%s\\0' \"$A\"\n", env_file(text))).collect();
    let output = Command::new("bash").args(["-c", &lines.concat()]).output().expect("bash");
    let read = String::from_utf8(output.stdout).expect("text");
    let expected: Vec<String> = HOSTILE
        .iter()
        .map(|text| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
        .collect();
    assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), expected);
    assert_eq!(env_file("a\nB=c"), "'a B=c'");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_one_value(texts in prop::collection::vec("[^\\x00]{0,24}", 1..40)) {
        for text in &texts {
            let read: String = serde_json::from_str(&json(text)).expect("JSON");
            prop_assert_eq!(&read, text);
            let read = read_hcl(&hcl(text));
            prop_assert_eq!(read.as_ref(), Some(text));
            prop_assert!(!yaml(text).contains('\n'), "a YAML value stays on its line");
            prop_assert!(!env_file(text).contains('\n'));
        }
        let words: Vec<String> = texts.iter().map(|text| shell(text)).collect();
        prop_assert_eq!(read_shell(&words), texts);
    }

    /// Any name, tag and description: either the field is refused, or every file holds it as one value.
    #[test]
    fn any_input_is_refused_or_kept(name in "\\PC{0,20}", tags in "\\PC{0,40}", description in "\\PC{0,60}") {
        let scope: Scope = "acme".parse().expect("a scope");
        let latest = latest();
        let world = World { scope: &scope, manager: MANAGER, latest: &latest, repository: None, token: Some(OUTER) };
        for platform in Platform::ALL {
            let choice = Choice::default().on(platform).with("name", &name).with("tags", &tags)
                .with("description", &description);
            let Ok(install) = choice.install(&world) else { continue };
            prop_assert!(fleet::delegate::is_regular_name(&install.name));
            let plan = plan(&install);
            for file in plan.files.iter().filter(|file| file.language == "json") {
                let read: serde_json::Value = serde_json::from_str(&file.text).expect("JSON");
                prop_assert!(read.is_object());
            }
        }
    }
}
