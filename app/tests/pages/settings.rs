//! The Settings page.

use crate::common::*;
use crate::fake::*;
use app::port::access::{Setting, SettingSource};

const PAGE: &str = "/a/acme/o/payments/settings";

fn setting(key: &'static str, source: SettingSource, change: Result<(), String>) -> Setting {
    Setting {
        key,
        meaning: "Whether a new delegate waits for a person.",
        allowed: "true or false",
        value: "false".to_owned(),
        server: source == SettingSource::Server,
        source,
        choices: &["true", "false"],
        change,
    }
}

fn fake() -> Fake {
    let settings = vec![
        setting("approval.required", SettingSource::Here, Ok(())),
        Setting {
            choices: &[],
            allowed: "7, 14, 21 or 28",
            value: "28".to_owned(),
            ..setting("lifecycle.near_expiry_days", SettingSource::Above(scope("acme")), Ok(()))
        },
        setting("server.only", SettingSource::Server, Err("It holds for the whole server.".to_owned())),
    ];
    Fake { settings, ..Fake::default() }
}

#[tokio::test]
async fn every_setting_tells_its_value_its_source_and_what_is_allowed() {
    let html = fake().open(PAGE).await;
    let text = words(&html);
    for told in ["Set here.", "Inherited from acme.", "Set for the whole server.", "Allowed: 7, 14, 21 or 28"]
    {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert_eq!(html.matches(&format!("action=\"{PAGE}\"")).count(), 2, "the third cannot be changed");
    assert!(text.contains("It holds for the whole server."));
    assert_eq!(fields(form(&html, PAGE)), ["key", "value"]);
    assert!(html.contains("<option value=\"false\" selected"));
}

#[tokio::test]
async fn only_what_was_set_here_can_be_reset() {
    let html = fake().open(PAGE).await;
    assert_eq!(html.matches("/settings/reset\"").count(), 1);
    let reset = form(&html, &format!("{PAGE}/reset"));
    assert_eq!(attribute(control(reset, "key"), "value"), Some("approval.required"));
}

#[tokio::test]
async fn a_mistake_is_told_at_its_setting_alone() {
    let values = [("key", "lifecycle.near_expiry_days"), ("value", "9\"<")];
    let html = fake().sent(PAGE, failure("settings", "value", "Choose 7, 14, 21 or 28.", &values)).await;
    assert_eq!(html.matches("aria-invalid").count(), 1);
    let form = part(&html, "value=\"lifecycle.near_expiry_days\"", "</form>");
    let control = control(form, "value");
    assert_eq!(attribute(control, "aria-invalid"), Some("true"));
    assert_eq!(attribute(control, "value"), Some("9&quot;&lt;"));
    assert!(words(form).contains("Choose 7, 14, 21 or 28."));
}

#[tokio::test]
async fn a_mistake_that_belongs_to_no_setting_is_told_above() {
    let html = fake().sent(PAGE, failure("reset", "key", "There is no such setting.", &[])).await;
    assert!(words(part(&html, "role=\"alert\"", "</div>")).contains("There is no such setting."));
}

#[tokio::test]
async fn why_the_settings_of_the_server_stay_as_they_are_is_said_once() {
    let why = "Needs core_setting_manage in the whole server: you have no role there";
    let global = |key| setting(key, SettingSource::Server, Err(why.to_owned()));
    let settings =
        vec![setting("approval.required", SettingSource::Here, Ok(())), global("a.b"), global("c.d")];
    let html = Fake { settings, ..Fake::default() }.open(PAGE).await;
    assert_eq!(words(&html).matches(why).count(), 1);
    assert!(words(&html).contains("Of the whole server"));
}

#[tokio::test]
async fn a_setting_of_the_server_goes_back_to_its_default() {
    let settings = vec![setting("a.b", SettingSource::Server, Ok(()))];
    let html = Fake { settings, ..Fake::default() }.open(PAGE).await;
    assert!(html.contains("/settings/reset"), "{html}");
}
