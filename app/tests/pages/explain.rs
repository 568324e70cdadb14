//! Every state leads to its explanation, which stands on a page of its own (`product 19`).

use std::sync::Arc;

use app::components::why::Of;
use app::pages::why::{WhyView, WhyViewProps};
use app::port::explain::Dossier;
use fleet::access::BuiltIn;
use fleet::catalog::{Origin, Origins};
use fleet::explain::Ground;
use fleet::time::MINUTE;

use crate::common::*;

/// What is known of a group.
pub(crate) fn dossier(group: Group) -> Dossier {
    let at = group.facts.scope.to_string();
    Dossier {
        snapshot: Arc::new(snapshot(&at, false, vec![group])),
        notes: notes(),
        ground: Ground {
            now: NOW,
            origins: Origins { classic: Origin::Catalog, ..Origins::default() },
            ..Ground::default()
        },
        token: None,
        attempts: Vec::new(),
        addresses: false,
    }
}

fn why(group: Group, of: Of, instance: Option<&str>) -> String {
    let (dossier, instance) = (dossier(group), instance.map(ToOwned::to_owned));
    let html = html(request_of(BuiltIn::Viewer, "acme"), || {
        WhyView(WhyViewProps { dossier, of, instance, scopes: scopes() })
    });
    part(&html, "<section aria-labelledby=\"confirm-title\"", "</section>").to_owned()
}

fn edge() -> Group {
    Group::new("edge-a").instance("edge-a-1", NEAR, 8)
}

#[test]
fn every_state_of_a_row_leads_to_its_explanation() {
    let html = page("open=g-edge-a", vec![edge()]);
    let instance = "&amp;instance=id-edge-a-1";
    for of in ["connectivity", "version", "status"] {
        let path = format!("href=\"/a/acme/delegates/_edge_a/why?of={of}");
        assert_eq!(html.matches(&format!("{path}\"")).count(), 1, "{of} of the group");
        assert_eq!(html.matches(&format!("{path}{instance}\"")).count(), 1, "{of} of the instance: {html}");
    }
    assert_eq!(html.matches("why?of=auto-upgrade\"").count(), 1);
    for name in [
        "Near expiry, Expiring in 10 days (2026-11-30). Explain",
        "Connected, 1 of 1. Explain",
        "On. Explain",
        "26.06.89201. Explain",
    ] {
        assert!(html.contains(&format!("aria-label=\"{name}\"")), "{name}");
    }
    assert!(!html.contains("<div popover id=\"s0\""), "no row carries its explanations any more");
}

#[test]
fn states_that_are_none_are_explained_too() {
    let html = page("open=g-a", vec![Group::new("a").instance("a-1", NEAR, 301).instance("a-2", NEAR, 302)]);
    for name in ["N/A. Explain", "None, not connected. Explain", "Not connected. Explain"] {
        assert!(html.matches(&format!("aria-label=\"{name}\"")).count() >= 2, "{name}");
    }
    let mute = page("", vec![Group::new("a").instance("a-1", "", 5)]);
    assert!(mute.contains("aria-label=\"not reported. Explain\""));
    let head = group_html("", edge());
    assert!(
        head.contains("aria-label=\"Near expiry. Explain\"")
            && head.contains("aria-label=\"Connected, 1 of 1. Explain\"")
    );
}

#[test]
fn a_status_tells_rule_instants_and_what_changes_next() {
    let html = why(edge(), Of::Status, Some("id-edge-a-1"));
    let told = words(&html);
    for text in [
        "Status of edge-a-1 Near expiry The end of support of its version, 2026-11-30, is at most 28 days away.",
        "Version 26.06.89201",
        "End of support 2026-11-30",
        "End of life 2027-01-31",
        "Dates from the version catalog",
        "Near expiry from 2026-11-02 23:59:59 UTC",
        "Expired after 2026-11-30 23:59:59 UTC",
        "Compared at 12:00:00 UTC",
        "Latest 26.11.90604 Latest from the version catalog",
        "setting lifecycle.anchor",
        "Near expiry: now is within 28 days before the end of support, that day included this one decides",
        "2026-11-30 23:59:59 UTC : expired, if it is not upgraded",
        "The status stops nothing",
        "As of 12:00:00 UTC",
    ] {
        assert!(told.contains(text), "{text}\n{told}");
    }
    assert!(html.contains("id=\"confirm-title\"") && html.contains("data-close"), "it fits the dialog");
}

#[test]
fn connectivity_tells_when_silence_counts_and_leads_to_the_troubleshooter() {
    let late = words(&why(Group::new("a").instance("a-1", LATEST, 200), Of::Connectivity, Some("id-a-1")));
    assert!(
        late.contains(
            "Connected late The last heartbeat is 200 s old: at least 180 s, but not more than 300 s."
        ),
        "{late}"
    );
    assert!(late.contains("12:01:40 UTC : not connected, unless a heartbeat arrives"), "{late}");
    let lost = why(Group::new("a").instance("a-1", LATEST, 301), Of::Connectivity, None);
    assert!(lost.contains("href=\"/a/acme/delegates/_a/troubleshoot\""));
    assert!(words(&lost).contains("Expired is not why: the flag stops no delegate."));
    assert!(!why(edge(), Of::Connectivity, None).contains("/troubleshoot\""), "all is well");
}

#[test]
fn auto_upgrade_tells_reason_last_call_and_the_90_minutes() {
    let off = edge().with(|facts| facts.upgrader_seen = Some(NOW.plus(-91 * MINUTE)));
    let told = words(&why(off, Of::AutoUpgrade, None));
    for text in [
        "Off The upgrader called last 91 min ago, more than 90 minutes.",
        "Last upgrader call 10:29:00 UTC",
        "A schedule of more than 90 minutes flips between on and off",
        "Upgrades lead to 26.11.90604 Set by the version catalog",
    ] {
        assert!(told.contains(text), "{text}\n{told}");
    }
}

#[test]
fn a_version_names_the_command_that_checks_its_signature() {
    let html = why(edge(), Of::Version, None);
    assert!(words(&html).contains("docker trust inspect --pretty -- harness/delegate:26.06.89201"), "{html}");
    let hostile = why(Group::new("a").instance("a-1", "26.06.89201-$(id)", 5), Of::Version, None);
    assert!(words(&hostile).contains("-- 'harness/delegate:26.06.89201-$(id)'"), "{}", words(&hostile));
}

#[test]
fn a_group_links_to_the_same_of_its_instances() {
    let group = edge().instance("edge-a-2", LATEST, 9);
    let html = why(group, Of::Status, None);
    assert!(html.contains("why?of=status&amp;instance=id-edge-a-2\""), "{html}");
    assert!(words(&html).contains("Decided by edge-a-1"));
    let alone = why(edge(), Of::Status, None);
    assert!(!alone.contains("instance="));
}

#[test]
fn what_is_behind_comes_with_the_commands_that_update_it() {
    for of in [Of::Status, Of::AutoUpgrade] {
        let text = words(&why(edge(), of, None));
        assert!(text.contains("How to update it Its upgrader calls"), "{text}");
        assert!(text.contains("kubectl set image deployment/edge-a delegate="), "{text}");
        let new = words(&why(Group::new("new").instance("new-1", LATEST, 8), of, None));
        assert!(!new.contains("How to update it"), "{new}");
    }
    let alone = Group::new("alone").with(|facts| facts.upgrader_seen = None).instance("alone-1", EXPIRED, 8);
    assert!(words(&why(alone, Of::Status, None)).contains("Nothing upgrades it by itself."));
}

#[test]
fn a_current_member_of_a_group_that_is_behind_needs_no_update() {
    let mixed = || Group::new("mixed").instance("mixed-1", EXPIRED, 8).instance("mixed-2", LATEST, 8);
    assert!(words(&why(mixed(), Of::Status, Some("id-mixed-1"))).contains("How to update it"));
    let current = words(&why(mixed(), Of::Status, Some("id-mixed-2")));
    assert!(!current.contains("How to update it"), "{current}");
}
