//! What can be used from a scope, and what a narrowed viewer sees (product 2.1, 2.2, 2.4, 10.4).

use std::sync::Arc;

use fleet::access::{BuiltIn, Grant, Grants, Reach, Resources};
use fleet::catalog::Latest;
use fleet::delegate::Approval;
use fleet::query::{Query, select_all};
use fleet::retention::undoable;
use fleet::time::SECOND;
use fleet::view::{Extent, GroupView, Snapshot};

use crate::support::{ago, group, instance, now, scope, try_view, view};

/// D1 at the account; D2 and D4 on Alex's branch, D3 and D5 on Uri's.
const OWNERS: [(&str, &str); 5] =
    [("D1", "acme"), ("D2", "acme/alex"), ("D3", "acme/uri"), ("D4", "acme/alex/p"), ("D5", "acme/uri/p")];

fn placed(name: &str, owner: &str) -> GroupView {
    let mut facts = group(name);
    facts.scope = Arc::new(scope(owner));
    view(facts, vec![instance(name, "26.11.90604")])
}

fn listed(at: &str, extent: Extent) -> Snapshot {
    let wanted = OWNERS.iter().filter(|(_, owner)| extent.includes(&scope(at), &scope(owner)));
    let groups = wanted.map(|(name, owner)| placed(name, owner)).collect();
    Snapshot::new(scope(at), extent, now(), Latest::default(), groups)
}

fn names(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.groups.iter().map(|group| &*group.facts.name).collect()
}

#[test]
fn alex_can_use_d1_d2_d4_and_uri_d1_d3_d5() {
    for (at, exact, below, usable) in [
        ("acme/alex/p", vec!["D4"], vec!["D4"], vec!["D1", "D2", "D4"]),
        ("acme/uri/p", vec!["D5"], vec!["D5"], vec!["D1", "D3", "D5"]),
        ("acme/alex", vec!["D2"], vec!["D2", "D4"], vec!["D1", "D2"]),
        ("acme", vec!["D1"], vec!["D1", "D2", "D3", "D4", "D5"], vec!["D1"]),
    ] {
        assert_eq!(names(&listed(at, Extent::Exact)), exact, "{at}");
        assert_eq!(names(&listed(at, Extent::Below)), below, "{at}");
        assert_eq!(names(&listed(at, Extent::Usable)), usable, "{at}");
    }
}

#[test]
fn a_snapshot_knows_of_which_scopes_it_is() {
    let told = |extent| {
        let snapshot = listed("acme/alex", extent);
        (snapshot.below, snapshot.usable)
    };
    assert_eq!(told(Extent::Exact), (false, false));
    assert_eq!(told(Extent::Below), (true, false));
    assert_eq!(told(Extent::Usable), (false, true));
    assert_eq!((Extent::from(true), Extent::from(false)), (Extent::Below, Extent::Exact));
}

fn viewer(at: &str, delegates: Option<&[&str]>) -> Grants {
    let resources = delegates.map_or(Resources::All, |delegates| {
        Resources::Named(delegates.iter().map(|&identifier| identifier.into()).collect())
    });
    let permissions = BuiltIn::Viewer.permissions();
    Grants::from_iter([Grant { reach: Reach::Scope(scope(at)), permissions, resources }])
}

#[test]
fn nothing_is_left_out_for_those_who_see_all() {
    for extent in [Extent::Exact, Extent::Below, Extent::Usable] {
        assert!(listed("acme/alex", extent).narrowed(&viewer("acme", None)).is_none());
        assert!(listed("acme/alex", extent).narrowed(&viewer("acme/alex", None)).is_none());
    }
    let all_named = viewer("acme", Some(&["_D1", "_D2", "_D3", "_D4", "_D5"]));
    assert!(listed("acme", Extent::Below).narrowed(&all_named).is_none());
}

#[test]
fn a_narrowed_viewer_sees_named_delegates_and_counts_of_no_others() {
    let narrowed = listed("acme", Extent::Below).narrowed(&viewer("acme", Some(&["_D2", "_D5"]))).unwrap();
    assert_eq!(names(&narrowed), ["D2", "D5"]);
    assert_eq!((narrowed.counts.groups, narrowed.counts.instances, narrowed.counts.connected), (2, 2, 2));
    assert!(narrowed.group("_D1").is_none());
    assert_eq!(select_all(&narrowed, &Query::parse("search=D1").unwrap()).groups, 0);
}

#[test]
fn members_of_a_project_see_nothing_of_a_sibling_on_the_page_of_the_account() {
    let narrowed = listed("acme", Extent::Below).narrowed(&viewer("acme/uri", None)).unwrap();
    assert_eq!(names(&narrowed), ["D3", "D5"]);
    let stranger = listed("acme", Extent::Below).narrowed(&viewer("beta", None)).unwrap();
    assert_eq!((names(&stranger).len(), stranger.counts.instances), (0, 0));
}

#[test]
fn what_can_be_used_from_home_is_seen_although_it_lies_above() {
    let usable = listed("acme/alex/p", Extent::Usable);
    assert!(usable.narrowed(&viewer("acme/alex/p", None)).is_none(), "nothing is left out");
    let named = usable.narrowed(&viewer("acme/alex/p", Some(&["_other"]))).unwrap();
    assert_eq!(names(&named), [""; 0], "a role on named delegates shows these alone");
    let above = usable.narrowed(&viewer("acme", Some(&["_D1"]))).unwrap();
    assert_eq!(names(&above), ["D1"], "here as there");
    let elsewhere = listed("acme/alex", Extent::Usable).narrowed(&viewer("acme/alex/p", None)).unwrap();
    assert_eq!(names(&elsewhere), [""; 0], "whoever is at home below is no member here");
}

#[test]
fn a_rejected_group_is_hidden_and_a_pending_one_listed_but_not_eligible() {
    let with = |approval| {
        let mut facts = group("edge");
        facts.approval = approval;
        try_view(facts, vec![instance("a", "26.11.90604"), instance("b", "26.11.90604").silent()])
    };
    let eligible =
        |group: &GroupView| group.members.iter().map(|member| group.eligible(member)).collect::<Vec<_>>();
    assert!(with(Approval::Rejected).is_none());
    assert_eq!(eligible(&with(Approval::Approved).unwrap()), [true, false]);
    assert_eq!(eligible(&with(Approval::Pending).unwrap()), [false, false]);
}

#[test]
fn the_status_of_a_filter_follows_the_approval() {
    let mut waits = group("waits");
    waits.approval = Approval::Pending;
    let groups = vec![view(waits, vec![instance("a", "26.11.90604")]), placed("edge", "acme")];
    let snapshot = Snapshot::new(scope("acme"), Extent::Exact, now(), Latest::default(), groups);
    let found = |url: &str| {
        let selection = select_all(&snapshot, &Query::parse(url).unwrap());
        selection.rows.iter().map(|row| &*snapshot.groups[row.group].facts.name).collect::<Vec<_>>()
    };
    assert_eq!(found("status=WAITING_FOR_APPROVAL"), ["waits"]);
    assert_eq!(found("status=ENABLED"), ["edge"]);
    assert_eq!(found("status=DISABLED"), [""; 0]);
    assert_eq!(found("status=CONNECTED"), ["edge", "waits"]);
}

#[test]
fn a_deletion_can_be_taken_back_for_ten_minutes() {
    for (seconds, possible) in [(599, true), (600, true), (601, false)] {
        assert_eq!(undoable(ago(seconds * SECOND), now()), possible, "{seconds} s");
    }
    assert!(undoable(ago(-SECOND), now()), "the clock was set back");
    assert!(!undoable(ago(600 * SECOND + 1), now()));
}
