//! What a person chose for a new delegate, as the address of the page holds it.

mod network;

use form_urlencoded::Serializer;

use super::{Aws, IMAGE_REPOSITORY, Install, NAMESPACE, Permission, Platform, Upgrades};
use crate::catalog::Latest;
use crate::delegate::{DEFAULT_NAME, MAX_TAG, MAX_TAGS, clean_tags, is_regular_name};
use crate::overrides::is_image_tag;
use crate::scope::Scope;
use crate::time::Timestamp;

/// Every field of an address, the platform excepted. Tokens are named by their internal id, never by their value.
pub const FIELDS: [&str; 22] = [
    "name",
    "tags",
    "description",
    "replicas",
    "token",
    "version",
    "upgrades",
    "permission",
    "namespace",
    "proxy",
    "no_proxy",
    "transport",
    "region",
    "cluster",
    "role",
    "subnets",
    "groups",
    "public_ip",
    "secret",
    "logs",
    "services",
    "since",
];

/// The most replicas that one file asks for.
pub const MAX_REPLICAS: u32 = 100;
/// Longest name of a job in Kubernetes (`product 10.2`).
const MAX_JOB: usize = 52;
/// What the upgrader's job adds to the delegate's name (`product 16.7`).
const JOB_SUFFIX: &str = "-upgrader-job";
/// Longest description, in characters (`agent-protocol 3.2`, A9).
const MAX_DESCRIPTION: usize = 4096;
/// The version of 3.x while the catalog names none (`product 16.6`).
const RUNNER_VERSION: &str = "3.0.0";

/// One thing that is wrong with a choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Wrong {
    /// The field of the address and of the form.
    pub field: &'static str,
    /// A sentence.
    pub message: String,
}

/// What the server knows and nobody chooses.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Where the delegate belongs.
    pub scope: &'a Scope,
    /// Address of this server, as delegates reach it.
    pub manager: &'a str,
    /// What is latest for the scope.
    pub latest: &'a Latest,
    /// Repository of delegate images, if the server names one.
    pub repository: Option<&'a str>,
    /// Outer form of the token; none while it is not shown.
    pub token: Option<&'a str>,
}

/// What was chosen: the platform, and texts by field; what was not given is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What the delegate runs on.
    pub platform: Platform,
    values: Vec<(&'static str, String)>,
}

impl Choice {
    /// Reads the query of an address. Parameters of other pages are ignored; the first value of a field counts.
    ///
    /// # Errors
    /// The platform is none.
    pub fn parse(query: &str) -> Result<Self, Wrong> {
        let mut choice = Self::default();
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            if key == "platform" {
                choice.platform = Platform::parse(&value).ok_or_else(|| {
                    let words: Vec<&str> = Platform::ALL.into_iter().map(Platform::as_str).collect();
                    wrong("platform", format!("It is one of {}.", words.join(", ")))
                })?;
            } else if let Some(field) = FIELDS.into_iter().find(|field| *field == key)
                && choice.get(field).is_empty()
                && !value.trim().is_empty()
            {
                choice.values.push((field, value.trim().to_owned()));
            }
        }
        Ok(choice)
    }

    /// The query that says exactly this.
    #[must_use]
    pub fn to_url(&self) -> String {
        let mut query = Serializer::new(String::new());
        query.append_pair("platform", self.platform.as_str());
        for (field, value) in &self.values {
            query.append_pair(field, value);
        }
        query.finish()
    }

    /// The text of a field; empty if it was not given.
    #[must_use]
    pub fn get(&self, field: &str) -> &str {
        self.values.iter().find(|(known, _)| *known == field).map_or("", |(_, value)| value)
    }

    /// Every field that was given, with its text.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(field, value)| (*field, value.as_str()))
    }

    /// The same for another platform.
    #[must_use]
    pub fn on(&self, platform: Platform) -> Self {
        Self { platform, ..self.clone() }
    }

    /// The same with another text in a field of [`FIELDS`].
    #[must_use]
    pub fn with(&self, field: &'static str, value: &str) -> Self {
        let mut choice = self.clone();
        choice.values.retain(|(known, _)| *known != field);
        if !value.trim().is_empty() {
            choice.values.push((field, value.trim().to_owned()));
        }
        choice
    }

    /// The delegate name: the default one if none was given (`product 10.2`).
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.get("name");
        if name.is_empty() { DEFAULT_NAME } else { name }
    }

    /// Since when somebody waits for the delegate.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        self.get("since").parse().ok().map(Timestamp::from_millis)
    }

    /// What the files are made from.
    ///
    /// # Errors
    /// Everything that is wrong, at once, in the order of the fields.
    pub fn install(&self, world: &World<'_>) -> Result<Install, Vec<Wrong>> {
        let platform = self.platform;
        // What another platform asks for may wait in the address; it is neither used nor found fault with.
        let values = self.values.iter().filter(|(field, _)| platform.asks(field));
        Self { platform, values: values.cloned().collect() }.checked(world)
    }

    fn checked(&self, world: &World<'_>) -> Result<Install, Vec<Wrong>> {
        let mut errors = Vec::new();
        for (field, value) in &self.values {
            if value.chars().any(char::is_control) {
                errors.push(wrong(field, "Leave out line breaks and other control characters."));
            }
        }
        let mut keep = |result: Result<(), Wrong>| errors.extend(result.err());
        let platform = self.platform;
        let upgrades =
            one(self, "upgrades", [("", Upgrades::Automatic), ("hand", Upgrades::ByHand)], &mut keep);
        keep(self.check_name(upgrades));
        let tags = self.tags(&mut keep);
        if self.get("description").chars().count() > MAX_DESCRIPTION {
            keep(Err(wrong("description", format!("Give at most {MAX_DESCRIPTION} characters."))));
        }
        let permissions = [
            ("", Permission::ClusterAdmin),
            ("cluster-viewer", Permission::ClusterViewer),
            ("namespace-admin", Permission::NamespaceAdmin),
        ];
        let permission = one(self, "permission", permissions, &mut keep);
        let replicas = self.replicas(&mut keep);
        let image = self.image(world, &mut keep);
        let namespace = self.namespace(&mut keep);
        let proxy = self.proxy(&mut keep);
        let polling = one(self, "transport", [("", false), ("polling", true)], &mut keep);
        let aws = if platform.is_ecs() { self.aws(&mut keep) } else { Aws::default() };
        if !errors.is_empty() {
            let place = |wrong: &Wrong| FIELDS.iter().position(|field| *field == wrong.field);
            errors.sort_by_key(place);
            errors.dedup_by(|a, b| a.field == b.field);
            return Err(errors);
        }
        Ok(Install {
            platform,
            account: world.scope.account().to_owned(),
            organization: world.scope.organization().map(str::to_owned),
            project: world.scope.project().map(str::to_owned),
            manager: world.manager.to_owned(),
            name: self.name().to_owned(),
            tags,
            description: self.get("description").to_owned(),
            replicas,
            token: world.token.map(str::to_owned),
            image,
            permission,
            namespace,
            upgrades,
            proxy,
            polling,
            aws,
        })
    }

    /// The rule of `product 10.2`.
    fn check_name(&self, upgrades: Upgrades) -> Result<(), Wrong> {
        let name = self.name();
        if !is_regular_name(name) {
            let rule =
                "Give lower-case letters, digits and inner dashes, 63 at most; begin and end with a letter.";
            return Err(wrong("name", rule));
        }
        let job =
            upgrades == Upgrades::Automatic && self.platform.has_upgrader() && self.platform.is_cluster();
        let most = MAX_JOB - JOB_SUFFIX.len();
        if job && name.len() > most {
            let message =
                format!("Give at most {most} characters, so that the upgrader's job has room for its own.");
            return Err(wrong("name", message));
        }
        Ok(())
    }

    /// Custom tags; on ECS with the hint that tells what the type does not (`agent-protocol 8.5`).
    fn tags(&self, keep: &mut impl FnMut(Result<(), Wrong>)) -> Vec<String> {
        let given: Vec<&str> = self.get("tags").split(',').collect();
        if given.len() > MAX_TAGS || given.iter().any(|tag| tag.trim().chars().count() > MAX_TAG) {
            keep(Err(wrong(
                "tags",
                format!("Give at most {MAX_TAGS} tags of at most {MAX_TAG} characters."),
            )));
        }
        let hint = match self.platform {
            platform if platform.is_fargate() => Some("platform:fargate"),
            platform if platform.is_ecs() => Some("platform:ecs"),
            _ => None,
        };
        // The first hint of a kind counts.
        clean_tags(hint.into_iter().chain(given))
    }

    fn replicas(&self, keep: &mut impl FnMut(Result<(), Wrong>)) -> u32 {
        match self.get("replicas") {
            "" => 1,
            text => {
                let number = text.parse().ok().filter(|number| (1..=MAX_REPLICAS).contains(number));
                number.unwrap_or_else(|| {
                    keep(Err(wrong("replicas", format!("Give a whole number from 1 to {MAX_REPLICAS}."))));
                    1
                })
            }
        }
    }

    fn image(&self, world: &World<'_>, keep: &mut impl FnMut(Result<(), Wrong>)) -> String {
        let latest = if self.platform.is_runner() { &world.latest.runner } else { &world.latest.classic };
        let known = latest.as_ref().map(ToString::to_string);
        let fallback = self.platform.is_runner().then(|| RUNNER_VERSION.to_owned());
        let given = Some(self.get("version")).filter(|text| !text.is_empty()).map(str::to_owned);
        let version = given.or(known).or(fallback).unwrap_or_default();
        if self.platform.has_image() && version.is_empty() {
            keep(Err(wrong("version", "No version catalog is imported, so give the version of the image.")));
        } else if !version.is_empty() && !is_image_tag(&version) {
            keep(Err(wrong("version", "Give the tag of an image, such as 26.11.90604.")));
        }
        format!("{}:{version}", world.repository.unwrap_or(IMAGE_REPOSITORY))
    }

    fn namespace(&self, keep: &mut impl FnMut(Result<(), Wrong>)) -> String {
        let given = self.get("namespace");
        let namespace = if given.is_empty() { NAMESPACE } else { given };
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let fits = namespace.len() <= 63 && namespace.bytes().all(inner);
        if !fits || namespace.starts_with('-') || namespace.ends_with('-') {
            let rule = "Give lower-case letters, digits and inner dashes, 63 at most.";
            keep(Err(wrong("namespace", rule)));
        }
        namespace.to_owned()
    }
}

/// The meaning of one word of a few; an empty text means the first.
fn one<T: Copy + Default, const N: usize>(
    choice: &Choice,
    field: &'static str,
    words: [(&'static str, T); N],
    keep: &mut impl FnMut(Result<(), Wrong>),
) -> T {
    let given = choice.get(field);
    let found = words.iter().find(|(word, _)| *word == given).map(|(_, meaning)| *meaning);
    found.unwrap_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).filter(|word| !word.is_empty()).collect();
        keep(Err(wrong(field, format!("Give {}, or leave it out.", words.join(" or ")))));
        T::default()
    })
}

fn wrong(field: &'static str, message: impl Into<String>) -> Wrong {
    Wrong { field, message: message.into() }
}
