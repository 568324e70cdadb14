//! The environment of a delegate's container, read as the delegate itself reads it: classic names, and those of 3.x on
//! its different pages (`product 16.1`, `16.6`).

use std::collections::BTreeMap;

use fleet::delegate::{clean_tags, group_name};
use fleet::scope::Scope;

use crate::client::Kind;
use crate::scenario::{Group, Scenario, ScopePlan};
use crate::token::Token;
use crate::tokens::Tokens;

/// Names of 3.x for one value, the first that is set counts; the last ones are its fall-backs to classic names.
const ACCOUNT: [&str; 2] = ["HARNESS_ACCOUNT_ID", "ACCOUNT_ID"];
const TOKEN: [&str; 4] = ["HARNESS_TOKEN", "HARNESS_DELEGATE_TOKEN", "TOKEN", "DELEGATE_TOKEN"];
const URL: [&str; 4] = ["HARNESS_URL", "HARNESS_MANAGER_HOST_AND_PORT", "URL", "MANAGER_HOST_AND_PORT"];
const NAME: [&str; 4] = ["HARNESS_NAME", "HARNESS_DELEGATE_NAME", "NAME", "DELEGATE_NAME"];
const TAGS: [&str; 4] = ["HARNESS_TAGS", "HARNESS_DELEGATE_TAGS", "TAGS", "DELEGATE_TAGS"];

/// A delegate that an environment describes.
#[derive(Clone, Debug)]
pub struct Container {
    /// Where it reports to.
    pub url: String,
    /// One group with one replica, in the account; the token decides the scope.
    pub scenario: Scenario,
    /// What it authenticates with.
    pub tokens: Tokens,
}

/// Why no delegate starts in an environment. Never holds a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// None of these is set.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// A value that cannot be used.
    #[error("{0} cannot be used")]
    Unusable(&'static str),
}

impl Container {
    /// Reads an environment; `version` is what the image would report.
    ///
    /// # Errors
    /// Account, token or address is missing or cannot be used.
    pub fn read(
        variables: &BTreeMap<String, String>,
        version: Option<&str>,
    ) -> Result<Self, EnvironmentError> {
        let set = |name: &str| variables.get(name).map(String::as_str).filter(|text| !text.is_empty());
        let runner = set("HARNESS_ACCOUNT_ID").is_some();
        // A classic delegate knows the last names only.
        let value = |names: &[&'static str]| {
            let known = if runner { names } else { names.get(names.len() - 1..).unwrap_or_default() };
            known.iter().find_map(|name| set(name))
        };
        let needed = |names: &[&'static str]| {
            let name = if runner { names.first() } else { names.last() };
            value(names).ok_or(EnvironmentError::Missing(name.copied().unwrap_or_default()))
        };
        let account = needed(&ACCOUNT)?;
        let scope =
            Scope::new(account, None, None).map_err(|_| EnvironmentError::Unusable("the account id"))?;
        let token = needed(&TOKEN)?;
        Token::parse(token).map_err(|_| EnvironmentError::Unusable("the token"))?;
        let mut tokens = Tokens::default();
        tokens.add_pair(&format!("{scope}={token}")).map_err(|_| EnvironmentError::Unusable("the token"))?;
        let url = needed(&URL)?.to_owned();
        let client = match (runner, set("POLL_FOR_TASKS")) {
            (true, _) => Kind::Runner,
            (false, Some("true")) => Kind::JavaRest,
            (false, _) => Kind::JavaStream,
        };
        let kind = set("DELEGATE_TYPE").filter(|_| !runner).map(str::to_owned);
        let group = Group {
            kind,
            tags: clean_tags(value(&TAGS).unwrap_or_default().split(',')),
            versions: version.map(str::to_owned).into_iter().collect(),
            description: set("DELEGATE_DESCRIPTION").map(str::to_owned),
            capacity: set("MAX_STAGES").and_then(|text| text.parse().ok()),
            ..Group::new(&group_name(value(&NAME)), client)
        };
        let scenario = Scenario { seed: 0, scopes: vec![ScopePlan { path: scope, groups: vec![group] }] };
        Ok(Self { url, scenario, tokens })
    }
}

/// The version in an image reference: its tag, none without one.
#[must_use]
pub fn image_tag(image: &str) -> Option<&str> {
    let (_, tag) = image.rsplit_once(':')?;
    (!tag.is_empty() && !tag.contains('/')).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTER: &str = "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=";

    fn read(pairs: &[(&str, &str)]) -> Result<Container, EnvironmentError> {
        let variables = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Container::read(&variables, Some("26.11.90604"))
    }

    fn group(container: &Container) -> &Group {
        &container.scenario.scopes[0].groups[0]
    }

    const CLASSIC: [(&str, &str); 6] = [
        ("ACCOUNT_ID", "acme"),
        ("DELEGATE_TOKEN", OUTER),
        ("MANAGER_HOST_AND_PORT", "http://127.0.0.1:1"),
        ("DELEGATE_NAME", "edge"),
        ("DELEGATE_TYPE", "DOCKER"),
        ("DELEGATE_TAGS", "eu, ,linux,eu"),
    ];

    #[test]
    fn classic_names_make_a_java_delegate_of_their_type() {
        let container = read(&CLASSIC).unwrap();
        assert_eq!(container.url, "http://127.0.0.1:1");
        let group = group(&container);
        assert_eq!((&*group.name, group.kind(), group.client), ("edge", "DOCKER", Kind::JavaStream));
        assert_eq!(group.tags, ["eu", "linux"]);
        assert_eq!(group.version(0), Some("26.11.90604"));
        let polling = [&CLASSIC[..], &[("POLL_FOR_TASKS", "true")]].concat();
        assert_eq!(super::tests::group(&read(&polling).unwrap()).client, Kind::JavaRest);
    }

    #[test]
    fn the_names_of_3x_make_a_runner_on_each_of_its_pages() {
        for [token, url, name, tags] in [
            ["HARNESS_TOKEN", "HARNESS_URL", "HARNESS_NAME", "HARNESS_TAGS"],
            [
                "HARNESS_DELEGATE_TOKEN",
                "HARNESS_MANAGER_HOST_AND_PORT",
                "HARNESS_DELEGATE_NAME",
                "HARNESS_DELEGATE_TAGS",
            ],
            ["DELEGATE_TOKEN", "MANAGER_HOST_AND_PORT", "DELEGATE_NAME", "DELEGATE_TAGS"],
        ] {
            let pairs = [
                ("HARNESS_ACCOUNT_ID", "acme"),
                (token, OUTER),
                (url, "http://h"),
                (name, "edge"),
                (tags, "a,b"),
            ];
            let container = read(&pairs).unwrap();
            let group = group(&container);
            assert_eq!((&*group.name, group.client, group.kind()), ("edge", Kind::Runner, "DOCKER"));
            assert_eq!(group.tags, ["a", "b"]);
        }
    }

    #[test]
    fn without_a_name_it_is_the_default_one_and_without_the_rest_nothing_starts() {
        let without = |name: &str| {
            let pairs: Vec<_> = CLASSIC.into_iter().filter(|(known, _)| *known != name).collect();
            read(&pairs)
        };
        assert_eq!(group(&without("DELEGATE_NAME").unwrap()).name, "harness-delegate");
        for name in ["ACCOUNT_ID", "DELEGATE_TOKEN", "MANAGER_HOST_AND_PORT"] {
            assert_eq!(without(name).unwrap_err(), EnvironmentError::Missing(name));
        }
        let masked =
            [("ACCOUNT_ID", "acme"), ("DELEGATE_TOKEN", "<DELEGATE_TOKEN>"), ("MANAGER_HOST_AND_PORT", "u")];
        assert_eq!(read(&masked).unwrap_err(), EnvironmentError::Unusable("the token"));
    }

    #[test]
    fn the_version_is_the_tag_of_the_image() {
        assert_eq!(image_tag("mine.example:5000/delegate:26.11.90604"), Some("26.11.90604"));
        assert_eq!(image_tag("mine.example:5000/delegate"), None);
    }
}
