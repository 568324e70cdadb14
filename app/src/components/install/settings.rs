//! What can be chosen for the platform: a form whose answer is an address.

use fleet::catalog::Latest;
use fleet::install::choice::MAX_REPLICAS;
use fleet::install::{Choice, NAMESPACE};
use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::components::form::field::Field;
use crate::components::form::{Sent, alert};
use crate::port::access::Token;

/// What the form rests on.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// What was chosen so far.
    pub choice: &'a Choice,
    /// What is wrong with it.
    pub sent: Sent<'a>,
    /// Active tokens of the scope.
    pub tokens: &'a [Token],
    /// The one that is used.
    pub token: Option<&'a Token>,
    /// What is latest for the scope.
    pub latest: &'a Latest,
    /// When the page is made.
    pub now: Timestamp,
}

/// Fields that hide until somebody needs them.
const WAY: [&str; 3] = ["proxy", "no_proxy", "transport"];

/// The form. It stays as it is while the page is live: what is typed there is its writer's.
#[must_use]
pub fn settings(of: &Settings<'_>, path: &str) -> AnyView {
    let platform = of.choice.platform;
    let wrong = of
        .sent
        .failed()
        .then(|| alert(vec!["Correct what is marked below; then the files appear.".to_owned()]));
    let hidden: Vec<_> = of
        .choice
        .with("since", &of.choice.since().unwrap_or(of.now).millis().to_string())
        .pairs()
        .filter(|(field, _)| !platform.asks(field))
        .map(|(field, value)| view! { <input type="hidden" name=field value=value.to_owned()/> })
        .collect();
    let way = platform.is_classic().then(|| way(of));
    view! {
        {wrong}
        <form method="get" action=path.to_owned() class="choice" data-own="settings">
            <input type="hidden" name="platform" value=platform.as_str()/>
            {hidden}
            <div class="grid">
                {common(of)}
                {cluster(of)}
                {ecs(of)}
            </div>
            {way}
            <p class="buttons"><button class="btn primary">"Make the files"</button></p>
        </form>
    }
    .into_any()
}

fn field<'a>(of: &Settings<'a>, name: &'static str, label: &'static str) -> Field<'a> {
    Field::new(of.sent, "new", name, label)
}

fn pairs(words: &[(&str, &str)]) -> Vec<(String, String)> {
    words.iter().map(|(value, word)| ((*value).to_owned(), (*word).to_owned())).collect()
}

fn common(of: &Settings<'_>) -> AnyView {
    let platform = of.choice.platform;
    let tokens = of.tokens.iter().map(|token| (token.id.to_string(), token.name.to_string())).collect();
    let token = (!of.tokens.is_empty()).then(|| {
        let used = of.token.map(|token| token.id.to_string()).unwrap_or_default();
        field(of, "token", "Token").or(used).hint("Active tokens of this scope.").choice(tokens)
    });
    let description = platform.is_classic().then(|| field(of, "description", "Description").line("text"));
    let replicas = platform.has_replicas().then(|| {
        field(of, "replicas", "Replicas")
            .or("1")
            .between(1, MAX_REPLICAS)
            .hint("Two tolerate the loss of one. See the sizes below.")
            .line("number")
    });
    let version = platform.has_image().then(|| {
        let latest = if platform.is_runner() { &of.latest.runner } else { &of.latest.classic };
        let hint = match latest {
            Some(latest) => format!("Empty: the latest, {latest}."),
            None if platform.is_runner() => "Empty: 3.0.0.".to_owned(),
            None => "No catalog is imported, so the latest is not known.".to_owned(),
        };
        field(of, "version", "Version").hint(hint).line("text")
    });
    let upgrades = platform.has_upgrader().then(|| {
        field(of, "upgrades", "Updates")
            .hint("The two make different files that cannot be exchanged later.")
            .choice(pairs(&[("", "Automatic, by an upgrader beside it"), ("hand", "By hand")]))
    });
    view! {
        {field(of, "name", "Name")
            .hint("Lower-case letters, digits and inner dashes. Empty: harness-delegate.")
            .line("text")}
        {field(of, "tags", "Tags").hint("With commas between them.").line("text")}
        {description}
        {token}
        {replicas}
        {version}
        {upgrades}
    }
    .into_any()
}

fn cluster(of: &Settings<'_>) -> AnyView {
    let platform = of.choice.platform;
    let permission = platform.has_permission().then(|| {
        field(of, "permission", "Permissions in the cluster").choice(pairs(&[
            ("", "Cluster admin"),
            ("cluster-viewer", "Cluster viewer"),
            ("namespace-admin", "Namespace admin: one delegate per namespace"),
        ]))
    });
    let namespace = platform
        .is_cluster()
        .then(|| field(of, "namespace", "Namespace").hint(format!("Empty: {NAMESPACE}.")).line("text"));
    view! { {permission}{namespace} }.into_any()
}

fn ecs(of: &Settings<'_>) -> Option<AnyView> {
    if !of.choice.platform.is_ecs() {
        return None;
    }
    let fargate = of.choice.platform.is_fargate().then(|| {
        view! {
            {field(of, "subnets", "Subnets")
                .hint("At least two in different availability zones, each with a way out.")
                .line("text")}
            {field(of, "groups", "Security groups").line("text")}
            {field(of, "public_ip", "Public address")
                .choice(pairs(&[("", "No, the way out is a NAT gateway"), ("yes", "Yes")]))}
        }
    });
    Some(
        view! {
            {field(of, "region", "Region").or("us-east-1").line("text")}
            {field(of, "cluster", "ECS cluster").or("harness-delegate").line("text")}
            {field(of, "role", "Execution role (ARN)").line("text")}
            {fargate}
            {field(of, "secret", "Token from Secrets Manager (ARN)")
                .hint("The task then reads the token from this secret; its value stands in no file.")
                .line("text")}
            {field(of, "logs", "Log group")
                .choice(pairs(&[("", "Shared: /ecs/harness-delegate"), ("own", "One of its own")]))}
        }
        .into_any(),
    )
}

/// How it reaches this server.
fn way(of: &Settings<'_>) -> AnyView {
    let used = WAY.iter().any(|name| !of.choice.get(name).is_empty() || of.sent.error(name).is_some());
    view! {
        <details class="more-settings" open=used>
            <summary>"Proxy and transport"</summary>
            <div class="grid">
                {field(of, "proxy", "Proxy")
                    .hint("Such as http://proxy.example:3128, without user and password.")
                    .line("text")}
                {field(of, "no_proxy", "Not through the proxy")
                    .hint("Names and addresses. Inside a cluster also the address of its master.")
                    .line("text")}
                {field(of, "transport", "Transport")
                    .choice(pairs(&[("", "WebSocket"), ("polling", "Polling, where WebSockets are blocked")]))}
            </div>
        </details>
    }
    .into_any()
}
