//! What a viewer chose to see and how, each choice kept in a cookie.

use app::context::{Density, Shortcuts, Theme, TimeForm, on_or_off};
use axum::Form;
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;

use super::page::{
    ANNOUNCE_COOKIE, CHARTS_COOKIE, CHARTS_HIDDEN, DENSITY_COOKIE, KEYS_COOKIE, THEME_COOKIE, TIME_COOKIE,
};

/// A year.
const MAX_AGE: u32 = 31_536_000;

/// The form.
#[derive(Debug, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub struct Choice {
    theme: Option<String>,
    density: Option<String>,
    time: Option<String>,
    keys: Option<String>,
    announce: Option<String>,
    charts: Option<String>,
    back: String,
}

/// Sets the cookies and leads back to the page that the form was on.
pub async fn set(Form(choice): Form<Choice>) -> (StatusCode, HeaderMap) {
    let mut headers = HeaderMap::new();
    let mut keep = |name: &str, value: &str| {
        let cookie = format!("{name}={value}; Path=/; Max-Age={MAX_AGE}; SameSite=Lax; HttpOnly");
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            headers.append(SET_COOKIE, cookie);
        }
    };
    if let Some(theme) = &choice.theme {
        keep(THEME_COOKIE, Theme::parse(theme).as_str());
    }
    if let Some(density) = &choice.density {
        keep(DENSITY_COOKIE, Density::parse(density).as_str());
    }
    if let Some(time) = &choice.time {
        keep(TIME_COOKIE, TimeForm::parse(time).as_str());
    }
    if let Some(keys) = &choice.keys {
        keep(KEYS_COOKIE, Shortcuts::parse(keys).as_str());
    }
    if let Some(announce) = &choice.announce {
        keep(ANNOUNCE_COOKIE, on_or_off(announce == on_or_off(true)));
    }
    if let Some(charts) = &choice.charts {
        keep(CHARTS_COOKIE, if charts == CHARTS_HIDDEN { CHARTS_HIDDEN } else { "shown" });
    }
    let back = HeaderValue::try_from(here(&choice.back)).unwrap_or(HeaderValue::from_static("/"));
    headers.insert(LOCATION, back);
    (StatusCode::SEE_OTHER, headers)
}

/// Only a path of this server: a form must not become a way to any other place.
pub fn here(back: &str) -> &str {
    let path = back.starts_with('/') && !back.starts_with("//") && !back.starts_with("/\\");
    if path && !back.chars().any(char::is_control) { back } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::here;

    #[test]
    fn the_way_back_never_leads_elsewhere() {
        assert_eq!(here("/a/acme/delegates?health=expired"), "/a/acme/delegates?health=expired");
        for elsewhere in ["https://evil.example", "//evil.example", "/\\evil.example", "", "a", "/a\r\nb: c"]
        {
            assert_eq!(here(elsewhere), "/", "{elsewhere:?}");
        }
    }
}
