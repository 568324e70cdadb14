//! Choices and what the server knows.

use std::sync::Arc;

use fleet::catalog::Latest;
use fleet::install::{Choice, File, Install, Plan, Platform, World, Wrong, plan};
use fleet::scope::Scope;
use fleet::version::Version;

/// The token of `agent-protocol 1.11`.
pub(crate) const OUTER: &str = "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=";
/// The same in hexadecimal form.
pub(crate) const INNER: &str = "00112233445566778899aabbccddeeff";
/// Where delegates call.
pub(crate) const MANAGER: &str = "https://rollcall.example";

/// With 26.11.90604 as the latest classic version and 3.0.0 as that of 3.x.
pub(crate) fn latest() -> Latest {
    let version = |text: &str| Some(Arc::new(Version::parse(text)));
    Latest { classic: version("26.11.90604"), runner: version("3.0.0"), ..Latest::default() }
}

/// What this query makes in this scope, with the token shown.
pub(crate) fn install_in(scope: &str, query: &str) -> Result<Install, Vec<Wrong>> {
    let scope: Scope = scope.parse().expect("a scope");
    let latest = latest();
    let world =
        World { scope: &scope, manager: MANAGER, latest: &latest, repository: None, token: Some(OUTER) };
    Choice::parse(query).expect("a platform").install(&world)
}

/// The same in the account `acme`, for a query without mistakes.
pub(crate) fn install(query: &str) -> Install {
    install_in("acme", query).unwrap_or_else(|wrong| panic!("{query}: {wrong:?}"))
}

/// Its plan.
pub(crate) fn planned(query: &str) -> Plan {
    plan(&install(query))
}

/// The only file, or the one of this name.
pub(crate) fn file<'a>(plan: &'a Plan, name: &str) -> &'a File {
    plan.files
        .iter()
        .find(|file| file.name == name)
        .unwrap_or_else(|| panic!("no {name} in {:?}", plan.files))
}

/// The fields that are wrong.
pub(crate) fn wrong_fields(query: &str) -> Vec<&'static str> {
    install_in("acme", query).err().unwrap_or_default().into_iter().map(|wrong| wrong.field).collect()
}

/// A query of this platform with one more field.
pub(crate) fn query(platform: Platform, rest: &str) -> String {
    format!("platform={}&{rest}", platform.as_str())
}
