//! Import of a catalog: all of it, or all its problems (product 5.5).

use fleet::catalog::Catalog;
use fleet::version::Line;

use crate::support::{catalog, date};

/// Where the problems of a document are.
fn problems_at(json: &str) -> Vec<String> {
    Catalog::import(json).unwrap_err().into_iter().map(|problem| problem.at).collect()
}

/// Where the problems of one entry are, with this text in place of the correct one.
fn entry_problems(correct: &str, wrong: &str) -> Vec<String> {
    let entry = r#"{"version":"26.06.89201","line":"classic","variant":null,"released":"2026-06-09","eos":"2026-11-30","eol":"2027-01-31","hotfix":false}"#;
    let document =
        |entry: &str| format!(r#"{{"schema":1,"asOf":"2026-11-20","latest":{{}},"versions":[{entry}]}}"#);
    assert!(Catalog::import(&document(entry)).is_ok());
    assert!(entry.contains(correct));
    problems_at(&document(&entry.replace(correct, wrong)))
}

#[test]
fn the_fixture_is_read_whole() {
    let catalog = catalog();
    assert_eq!(catalog.entries.len(), 42);
    assert_eq!(catalog.as_of, Some(date("2026-11-20")));
    assert_eq!(catalog.rings.len(), 4);
    assert_eq!(catalog.latest.classic_minimal.as_ref().unwrap().as_str(), "26.11.90604.minimal");
    let hotfix = catalog.entry("24.08.83706").unwrap();
    assert!(hotfix.hotfix && hotfix.note.is_some());
    assert_eq!(hotfix.image.as_deref(), Some("harness/delegate:24.08.83706"));
    assert_eq!((hotfix.line, hotfix.released), (Line::Classic, date("2025-02-26")));
    assert_eq!(catalog.entry("3.1.0").unwrap().eos, None);
    assert!(catalog.entry("26.11").is_none());
}

#[test]
fn all_problems_are_reported_at_once() {
    let json = r#"{
        "schema": 2, "asOf": "yesterday",
        "latest": {"classic": "3.1.0", "classicMinimal": "26.11.90604", "runner": 3},
        "rings": {"1": "latest"},
        "versions": [
            {"version": "26.06.89201", "line": "classic", "released": "2026-06-09", "eos": "2026-11-30", "eol": "2026-11-29"},
            {"version": "26.06.89201", "line": "classic", "released": "2026-12-01", "eos": "2026-11-30", "eol": null},
            {"version": "nightly", "line": "classic", "released": "2026-06-09"},
            {"version": "26.07.89303", "line": "runner", "released": "2026-06-09"},
            {"version": "26.07.89304", "line": "modern", "released": "9 June"},
            7
        ]
    }"#;
    assert_eq!(
        problems_at(json),
        [
            "schema",
            "asOf",
            "latest.classic",
            "latest.classicMinimal",
            "latest.runner",
            "rings.1",
            "versions[0].eol",
            "versions[1].version",
            "versions[1].eos",
            "versions[2].version",
            "versions[3].version",
            "versions[4].line",
            "versions[4].released",
            "versions[5]",
        ]
    );
}

#[test]
fn a_document_that_is_none_is_refused() {
    assert_eq!(problems_at("{"), ["document"]);
    assert_eq!(problems_at("[]"), ["document"]);
    assert_eq!(problems_at("{}"), ["schema", "asOf", "versions"]);
}

#[test]
fn an_unknown_schema_is_refused() {
    for schema in ["0", "2", "\"1\"", "null", "1.5"] {
        let json = format!(r#"{{"schema":{schema},"asOf":"2026-11-20","versions":[]}}"#);
        assert_eq!(problems_at(&json), ["schema"], "{schema}");
    }
    assert!(Catalog::import(r#"{"schema":1,"asOf":"2026-11-20","versions":[]}"#).is_ok());
}

#[test]
fn the_end_of_life_may_not_come_before_the_end_of_support() {
    assert_eq!(entry_problems("2027-01-31", "2026-11-29"), ["versions[0].eol"]);
    let same_day = r#"{"schema":1,"asOf":"2026-11-20","versions":[{"version":"1.0.1","line":"legacy","released":"2024-01-31","eos":"2024-01-31","eol":"2024-01-31"}]}"#;
    assert!(Catalog::import(same_day).is_ok());
}

#[test]
fn only_a_hotfix_may_be_published_after_the_end_of_support() {
    assert_eq!(entry_problems("2026-06-09", "2026-12-01"), ["versions[0].eos"]);
    let late = r#"{"schema":1,"asOf":"2026-11-20","versions":[{"version":"26.06.89201","line":"classic","released":"2026-12-01","eos":"2026-11-30","hotfix":true}]}"#;
    assert!(Catalog::import(late).is_ok());
}

#[test]
fn a_version_must_parse_and_fit_its_line_and_variant() {
    assert_eq!(entry_problems("26.06.89201", "26.6.x"), ["versions[0].version"]);
    assert_eq!(entry_problems("26.06.89201", "1.0.89201"), ["versions[0].version"]);
    assert_eq!(entry_problems("26.06.89201", " 26.06.89201"), ["versions[0].version"]);
    assert_eq!(entry_problems("\"variant\":null", "\"variant\":\"minimal\""), ["versions[0].variant"]);
    assert_eq!(entry_problems("26.06.89201", "26.06.89201.minimal"), ["versions[0].variant"]);
    assert_eq!(entry_problems("\"variant\":null", "\"variant\":\"tiny\""), ["versions[0].variant"]);
}

#[test]
fn dates_and_flags_must_be_such() {
    assert_eq!(entry_problems("2026-06-09", "2026-06-31"), ["versions[0].released"]);
    assert_eq!(entry_problems("\"2026-11-30\"", "20261130"), ["versions[0].eos"]);
    assert_eq!(entry_problems("\"hotfix\":false", "\"hotfix\":\"no\""), ["versions[0].hotfix"]);
    assert_eq!(entry_problems("\"released\":\"2026-06-09\",", ""), ["versions[0].released"]);
    assert_eq!(entry_problems("\"version\":\"26.06.89201\",", ""), ["versions[0].version"]);
}

#[test]
fn a_problem_reads_as_a_sentence() {
    let json = r#"{"schema":1,"asOf":"2026-11-20","versions":[{"version":"26.06.89201","line":"classic","released":"2026-06-09","eos":"2026-11-30","eol":"2026-11-29"}]}"#;
    let problems = Catalog::import(json).unwrap_err();
    assert_eq!(
        problems[0].to_string(),
        "versions[0].eol: 2026-11-29 lies before the end of support, 2026-11-30"
    );
}

#[test]
fn the_same_version_in_two_variants_is_no_duplicate() {
    let twice = |second: &str| {
        let entry =
            |version: &str| format!(r#"{{"version":"{version}","line":"classic","released":"2026-06-09"}}"#);
        let versions = format!("{},{}", entry("26.06.89201"), entry(second));
        Catalog::import(&format!(r#"{{"schema":1,"asOf":"2026-11-20","versions":[{versions}]}}"#))
    };
    assert!(twice("26.06.89201.minimal").is_ok());
    assert!(twice("26.06.89201").is_err());
}
