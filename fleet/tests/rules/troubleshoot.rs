//! Every way through the troubleshooter ends, and no name becomes a command (`product 17`).

use std::collections::BTreeSet;
use std::process::Command;

use fleet::delegate::{Approval, DelegateType, Family};
use fleet::explain::Ground;
use fleet::policy::Policy;
use fleet::time::{DAY, HOUR, MINUTE};
use fleet::troubleshoot::{
    Attempt, Guide, Next, PROBLEMS, Platform, Refused, Step, Subject, TokenState, Weight, guide, quote, signs,
};
use proptest::prelude::*;

use crate::support::{ago, group, instance, now, texts, view};

fn answers(step: &Step) -> Vec<&'static str> {
    match step.next {
        Next::Ask { answers, .. } => answers.iter().map(|answer| answer.to).collect(),
        // Pages offer the wait after a finding, and after the wait the support.
        Next::Finding { .. } => vec!["done"],
        Next::Wait => vec!["support"],
    }
}

fn reached(guide: &Guide, from: impl IntoIterator<Item = &'static str>) -> BTreeSet<&'static str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = from.into_iter().collect();
    while let Some(id) = open.pop() {
        if seen.insert(guide.step(id).unwrap_or_else(|| panic!("there is no step {id}")).id) {
            open.extend(answers(guide.step(id).unwrap()));
        }
    }
    seen
}

#[test]
fn every_answer_leads_to_a_step_and_every_step_ends_somewhere() {
    for platform in Platform::ALL {
        let guide = guide(platform);
        let ids: Vec<_> = guide.steps().map(|step| step.id).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{platform:?}: ids are unique");
        for step in guide.steps() {
            let way = reached(&guide, [step.id]);
            let ends = way.iter().any(|id| !matches!(guide.step(id).unwrap().next, Next::Ask { .. }));
            assert!(ends, "{platform:?}: {} goes round in circles", step.id);
            assert!(
                step.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{} fits an address",
                step.id
            );
            assert!(!step.title.is_empty() && !step.text.is_empty());
        }
    }
}

#[test]
fn every_step_is_reachable_from_the_first_or_from_what_the_server_sees() {
    let mut reachable = BTreeSet::new();
    for platform in Platform::ALL {
        let guide = guide(platform);
        let seen = Refused::ALL.map(Refused::finding);
        let signs = ["pending", "double", "unstable", "clock", "token-revoked"];
        let ways = [guide.first().id].into_iter().chain(guide.main.iter().copied());
        let own = reached(&guide, ways.chain(seen).chain(signs));
        let missing: Vec<_> = guide
            .steps()
            .map(|step| step.id)
            .filter(|id| guide.main.contains(id) && !own.contains(id))
            .collect();
        assert!(missing.is_empty(), "{platform:?}: {missing:?}");
        reachable.extend(own);
        assert_eq!(guide.main.first(), Some(&guide.first().id));
        assert_eq!(guide.main.last(), Some(&"done"));
        for id in guide.main {
            assert!(guide.step(id).is_some(), "{id}");
        }
    }
    for platform in Platform::ALL {
        for step in guide(platform).steps() {
            assert!(reachable.contains(step.id), "{platform:?}: nothing leads to {}", step.id);
        }
    }
}

#[test]
fn the_product_names_these_branches() {
    let has = |platform: Platform, ids: &[&str]| {
        let guide = guide(platform);
        for id in ids {
            assert!(reached(&guide, [guide.first().id]).contains(id), "{platform:?}: {id}");
        }
    };
    has(
        Platform::Kubernetes,
        &[
            "image",
            "resources",
            "crash",
            "forbidden",
            "log",
            "token-unknown",
            "reach",
            "certificate",
            "proxy",
            "firewall",
            "health",
            "websocket",
            "seen",
            "done",
            "support",
        ],
    );
    has(Platform::Docker, &["exit", "log", "values", "clock", "dns", "firewall", "double"]);
    has(Platform::Machine, &["log", "clock", "dns", "firewall", "double"]);
    has(
        Platform::Ecs,
        &["values", "security-group", "role", "subnets", "log-rights", "memory", "unstable", "log-limits"],
    );
    let titles: Vec<_> = PROBLEMS.iter().map(|problem| problem.id).collect();
    for id in
        ["requirements", "not-running", "permissions", "two-clusters", "expired", "upgrade-off", "non-root"]
    {
        assert!(titles.contains(&id), "{id}");
    }
}

#[test]
fn the_type_decides_the_platform_and_a_tag_says_more() {
    let platform = |kind: DelegateType, family: Family, tags: &[&str]| {
        let mut facts = group("edge");
        (facts.kind, facts.family, facts.tags) = (kind, family, texts(tags));
        Platform::of(&facts)
    };
    for kind in [DelegateType::Kubernetes, DelegateType::Helm, DelegateType::CeKubernetes] {
        assert_eq!(platform(kind, Family::Java, &[]), Platform::Kubernetes);
    }
    assert_eq!(platform(DelegateType::Docker, Family::Java, &[]), Platform::Docker);
    assert_eq!(platform(DelegateType::Docker, Family::Java, &["platform:fargate"]), Platform::Ecs);
    assert_eq!(platform(DelegateType::Ecs, Family::Java, &[]), Platform::Ecs);
    assert_eq!(platform(DelegateType::Shell, Family::Java, &[]), Platform::Machine);
    assert_eq!(platform(DelegateType::Docker, Family::Go, &[]), Platform::Machine);
    assert_eq!(platform(DelegateType::from("NOMAD"), Family::Java, &[]), Platform::Docker);
}

fn subject(name: &str) -> Subject {
    Subject {
        name: name.to_owned(),
        namespace: name.to_owned(),
        host: Some(name.to_owned()),
        manager: "https://rollcall.example.com".to_owned(),
        runner: false,
    }
}

#[test]
fn commands_use_the_names_of_the_delegate() {
    let told = subject("edge-a").fill("kubectl logs --namespace={namespace} pod/{pod}; curl {manager}/livez");
    assert_eq!(told, "kubectl logs --namespace=edge-a pod/edge-a; curl https://rollcall.example.com/livez");
    assert_eq!(
        subject("a").fill("docker inspect --format='{{.State.ExitCode}}' -- {name}"),
        "docker inspect --format='{{.State.ExitCode}}' -- a"
    );
    assert_eq!(subject("{manager}").fill("x {name}"), "x '{manager}'", "a name is never filled in itself");
    let mut runner = subject("a");
    runner.runner = true;
    assert_eq!(runner.fill("{health}"), "http://localhost:3000/health");
    assert_eq!(subject("a").fill("{health}"), "http://localhost:3460/api/health");
}

const HOSTILE: [&str; 16] = [
    "",
    "a b",
    "a;rm -rf /",
    "$(id)",
    "`id`",
    "a'b",
    "'; id; '",
    "\"$HOME\"",
    "a\\",
    "*",
    "~root",
    "a\nid",
    "\u{1b}[2Jx",
    "--help",
    "a&&id",
    "#x",
];

#[test]
fn a_shell_reads_every_name_as_one_word() {
    for name in HOSTILE {
        let line = format!("printf '%s|' {} end", quote(name));
        let output = Command::new("sh").arg("-c").arg(&line).output().unwrap();
        let harmless: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{harmless}|end|"), "{line}");
    }
}

#[test]
fn a_name_with_a_leading_dash_is_never_an_option() {
    for platform in Platform::ALL {
        for step in guide(platform).steps() {
            for command in step.commands {
                let line = command.line.replace("=harness.io/name={name}", "").replace("={namespace}", "");
                for place in ["{name}", "{pod}", "{namespace}"] {
                    for (at, _) in line.match_indices(place) {
                        let before = &line[..at];
                        let safe = before.ends_with('/') || before.ends_with('=') || before.contains(" -- ");
                        assert!(safe, "{}: {}", step.id, command.line);
                    }
                }
            }
        }
    }
}

/// The words that a shell makes of a line of plain and quoted parts; none if anything else than words is in it.
fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c if c.is_ascii_alphanumeric() || "-_./:@=+,".contains(c) => word.get_or_insert_default().push(c),
            _ => return None,
        }
    }
    words.extend(word.take());
    Some(words)
}

proptest! {
    #[test]
    fn any_text_is_one_word_without_control_characters(chars in prop::collection::vec(any::<char>(), 0..20)) {
        let text: String = chars.into_iter().collect();
        let quoted = quote(&text);
        prop_assert!(!quoted.chars().any(char::is_control));
        let words = shell_words(&format!("a {quoted} b")).expect("words alone");
        prop_assert_eq!(words.len(), 3);
        let same = text.chars().zip(words[1].chars()).all(|(was, is)| was == is || is == '?');
        prop_assert!(same && text.chars().count() == words[1].chars().count());
    }

    #[test]
    fn plain_names_stay_readable(name in "[a-z][a-z0-9-]{0,40}") {
        prop_assert_eq!(quote(&name), name);
    }
}

fn ground() -> Ground {
    Ground { policy: Policy::default(), now: now(), ..Ground::default() }
}

fn token(active: bool) -> TokenState {
    TokenState { name: "edge".into(), active, revoked_at: None, last_used: None }
}

#[test]
fn what_the_server_sees_points_to_the_finding() {
    let lost = |change: fn(&mut fleet::delegate::GroupFacts)| {
        let mut facts = group("edge");
        change(&mut facts);
        view(facts, vec![instance("edge-1", "26.04.88805").beat(Some(ago(HOUR)))])
    };
    let plain = lost(|_| ());
    let found = signs(&plain, Some(&token(true)), &[], &ground());
    assert_eq!(found.len(), 1);
    assert!(found[0].text.ends_with("That is not why it does not connect."), "{found:?}");

    let found = signs(&plain, Some(&token(false)), &[], &ground());
    assert_eq!((found[0].weight, found[0].step), (Weight::Cause, Some("token-revoked")));
    assert_eq!(found[0].text, "Its token edge was revoked: whoever holds it is shut out.");

    let pending = lost(|facts| facts.approval = Approval::Pending);
    assert_eq!(signs(&pending, None, &[], &ground())[0].step, Some("pending"));

    let call = |refused, at| Attempt { refused, address: None, at, count: 1, token: None };
    let calls = [call(Refused::OutOfDate, ago(MINUTE)), call(Refused::Address, ago(DAY))];
    let steps: Vec<_> = signs(&plain, None, &calls, &ground()).iter().filter_map(|sign| sign.step).collect();
    assert_eq!(steps, ["clock"], "what is older than an hour says little");

    let skewed = view(
        group("edge"),
        vec![instance("edge-1", "26.11.90604").with(|facts| facts.clock_skew = Some(-93_000))],
    );
    let found = signs(&skewed, Some(&token(true)), &calls, &ground());
    assert_eq!(found.len(), 1, "calls of others say nothing of one that is connected");
    assert_eq!((&*found[0].text, found[0].step), ("The clock of edge-1 is 93 s off.", Some("clock")));
}
