//! The three charts (ux 5.6): versions, expiry over 12 weeks, heartbeats over 24 h. Today is Friday 2026-11-20, 12:00.

use fleet::catalog::Latest;
use fleet::chart::{Charts, Expiry, Heartbeats, Versions};
use fleet::health::Judge;
use fleet::history::State::{Connected, Hidden, NotConnected};
use fleet::policy::Policy;
use fleet::query::{Query, select_all};
use fleet::time::{HOUR, MINUTE, SECOND};
use fleet::view::Snapshot;

use crate::support::{Seen, ago, at, catalog, date, group, instance, now, scope, snapshot, view, view_by};

fn fleet(members: Vec<Seen>) -> Snapshot {
    snapshot(vec![view(group("edge"), members)])
}

fn versions(texts: &[&str]) -> Versions {
    let members = texts.iter().enumerate().map(|(number, text)| instance(&format!("edge-{number}"), text));
    Charts::of(&fleet(members.collect())).versions
}

fn told(versions: &Versions) -> Vec<(&str, u64)> {
    versions.rows.iter().map(|row| (row.label.as_str(), row.stack.total())).collect()
}

#[test]
fn versions_of_one_month_or_minor_release_are_one_series_newest_first() {
    let told_of =
        |texts| told(&versions(texts)).iter().map(|row| format!("{} {}", row.0, row.1)).collect::<Vec<_>>();
    assert_eq!(
        told_of(&["26.09.89620", "26.11.90604.minimal", "26.11.90604", "26.09.89621-ubi9"]),
        ["26.11 2", "26.09 2"]
    );
    assert_eq!(told_of(&["3.0.0", "v3.0.1", "3.1.0", "1.0.82007", "latest"]), ["3.1 1", "3.0 2", "1.0 2"]);
    assert_eq!(told_of(&["our-own", "nightly", ""]), ["custom 2", "not reported 1"]);
}

#[test]
fn only_connected_instances_run_a_version() {
    let fleet = fleet(vec![instance("a", "26.11.90604"), instance("b", "26.11.90604").silent()]);
    let charts = Charts::of(&fleet);
    assert_eq!((told(&charts.versions), charts.versions.total), (vec![("26.11", 1)], 1));
}

#[test]
fn beyond_eight_series_the_smallest_are_one_bar_that_lists_them_all() {
    let months =
        ["26.11.1000", "26.10.1000", "26.09.1000", "26.08.1000", "26.07.1000", "26.06.1000", "26.05.1000"];
    let mut texts = [&months[..], &months, &["26.04.1000"]].concat();
    assert_eq!((versions(&texts).rows.len(), versions(&texts).folded), (8, 0));
    texts.push("26.03.1000");
    let folded = versions(&texts);
    assert_eq!((folded.rows.len(), folded.folded, told(&folded)[7]), (8, 2, ("other", 2)));
    assert_eq!(folded.rows[7].filter.as_ref().unwrap().versions, ["26.04", "26.03"]);
}

#[test]
fn too_many_series_to_name_in_an_address_are_counted_all_the_same() {
    let texts: Vec<String> = (0..18).map(|minor| format!("3.{minor}.0")).collect();
    let folded = versions(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((folded.folded, folded.rows[7].stack.total()), (11, 11));
    assert!(folded.rows[7].filter.is_none());
    let texts: Vec<String> = (0..300).map(|minor| format!("3.{minor}.0")).collect();
    let endless = versions(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((endless.rows.len(), endless.rows[7].stack.total()), (8, 293));
}

#[test]
fn a_bar_is_parted_by_standing_worst_first() {
    let row = &versions(&["26.06.89201", "26.11.90604", "26.06.89201"]).rows[1];
    assert_eq!(row.stack.parts().collect::<Vec<_>>(), [(fleet::health::Standing::NearExpiry, 2)]);
}

fn expiry(members: Vec<Seen>) -> Expiry {
    Charts::of(&fleet(members)).expiry
}

#[test]
fn weeks_begin_on_monday_with_the_current_one() {
    let weeks = expiry(vec![instance("a", "26.06.89201")]).weeks;
    assert_eq!(
        (weeks.len(), weeks[0].monday, weeks[11].monday),
        (12, date("2026-11-16"), date("2027-02-01"))
    );
    // Support of 26.06 ends on Monday 2026-11-30.
    let found: Vec<_> = weeks.iter().filter(|week| week.total() > 0).collect();
    assert_eq!((found.len(), found[0].monday, found[0].near), (1, date("2026-11-30"), 1));
}

#[test]
fn what_is_near_expiry_is_told_from_what_follows() {
    // 26.07: 2026-12-31, 41 days away; 26.11: 2027-04-30; 26.04: over.
    let texts = ["26.07.89401", "26.06.89201", "26.11.90604", "26.04.88805", "", "3.0.0"];
    let members = texts.iter().enumerate().map(|(n, text)| instance(&format!("edge-{n}"), text));
    let expiry = expiry(members.chain([instance("lost", "26.06.89201").silent()]).collect());
    let near: u64 = expiry.weeks.iter().map(|week| week.near).sum();
    let rest: u64 = expiry.weeks.iter().map(|week| week.rest).sum();
    assert_eq!((near, rest, expiry.expired, expiry.later, expiry.undated), (1, 1, 1, 1, 2));
}

#[test]
fn of_the_current_week_the_days_that_are_over_are_left_out() {
    let (catalog, policy) = (catalog(), Policy::default());
    let drawn = |moment: &str| {
        let now = at(moment);
        let mut judge = Judge::new(&catalog, Latest::default(), &policy, now);
        let seen = instance("a", "26.06.89201").beat(Some(now));
        let mut facts = group("edge");
        facts.last_active = now;
        let view = view_by(&mut judge, facts, vec![seen]).unwrap();
        let fleet = Snapshot::new(scope("acme"), true, now, Latest::default(), vec![view]);
        let expiry = Charts::of(&fleet).expiry;
        let query = Query { filter: expiry.weeks[0].filter.clone(), ..Query::default() };
        assert_eq!(select_all(&fleet, &query).instances as u64, expiry.weeks[0].total());
        (expiry.weeks[0].total(), expiry.expired)
    };
    assert_eq!(drawn("2026-11-29 23:59:59"), (0, 0));
    assert_eq!(drawn("2026-11-30 00:00:00"), (1, 0));
    assert_eq!(drawn("2026-11-30 23:59:59"), (1, 0));
    assert_eq!(drawn("2026-11-30 23:59:59.001"), (0, 1));
    assert_eq!(drawn("2026-12-02 08:00:00"), (0, 1));
}

fn day(members: Vec<Seen>) -> Heartbeats {
    Charts::of(&fleet(members)).heartbeats
}

fn steady(name: &str) -> Seen {
    instance(name, "26.11.90604")
}

#[test]
fn the_day_is_48_half_hours_up_to_the_current_one() {
    let day = day(vec![steady("a")]);
    assert_eq!(
        (day.slots.len(), day.slots[0].from, day.slots[47].from),
        (48, at("2026-11-19 12:30:00"), now())
    );
    assert_eq!((day.share(), day.slots[46].expected, day.slots[47].expected), (Some(1_000), 30 * MINUTE, 0));
    assert_eq!((day.slots[47].share(), day.gaps().len()), (None, 0));
}

#[test]
fn a_loss_takes_its_time_out_of_each_half_hour() {
    let lost = steady("b").turned(&[(2 * HOUR, NotConnected), (75 * MINUTE, Connected)]);
    let day = day(vec![steady("a"), lost]);
    let slots: Vec<_> = day.slots[42..46].iter().map(|slot| (slot.silent, slot.share().unwrap())).collect();
    assert_eq!(slots, [(0, 1_000), (1, 500), (1, 750), (0, 1_000)]);
    let gaps = day.gaps();
    assert_eq!((gaps.len(), gaps[0].from, gaps[0].until), (1, ago(2 * HOUR), ago(HOUR)));
    // 45 minutes of two times 23.5 hours.
    assert_eq!(day.share(), Some(984));
}

#[test]
fn an_instance_that_is_lost_twice_in_a_half_hour_counts_once() {
    let turns = [(59, NotConnected), (55, Connected), (50, NotConnected), (20, Connected)];
    let turns = turns.map(|(minutes, state)| (minutes * MINUTE, state));
    let day = day(vec![steady("a").turned(&turns)]);
    assert_eq!((day.slots[45].silent, day.slots[46].silent), (1, 1));
    assert_eq!((day.slots[45].connected, day.slots[46].connected), (6 * MINUTE, 20 * MINUTE));
}

#[test]
fn planned_stops_and_the_time_before_the_registration_are_not_expected() {
    let planned = steady("a").turned(&[(3 * HOUR, Hidden), (2 * HOUR, Connected)]);
    let young = steady("b").with(|facts| facts.registered_at = ago(45 * MINUTE));
    let day = day(vec![planned, young]);
    let hours: i64 = day.slots.iter().map(|slot| slot.expected).sum();
    assert_eq!((hours, day.share()), (22 * HOUR + 30 * MINUTE + 45 * MINUTE, Some(1_000)));
    assert_eq!(day.slots[45].expected, 45 * MINUTE);
}

#[test]
fn a_share_is_rounded_down_so_that_a_loss_is_never_called_whole() {
    let lost = steady("a").turned(&[(HOUR, NotConnected), (HOUR - SECOND, Connected)]);
    assert_eq!(day(vec![lost]).share(), Some(999));
}

#[test]
fn who_was_never_heard_was_never_connected() {
    let never = steady("a").beat(None).with(|facts| facts.registered_at = ago(HOUR));
    let day = day(vec![never, steady("b")]);
    assert_eq!((day.slots[46].share(), day.slots[46].silent), (Some(500), 1));
}

#[test]
fn nothing_is_called_lost_while_the_server_itself_was_away() {
    let (catalog, policy) = (catalog(), Policy::default());
    let drawn = |beat: i64, restarted: Option<i64>| {
        let mut judge =
            Judge::new(&catalog, Latest::default(), &policy, now()).after_restart(restarted.map(ago));
        let lost_before =
            steady("b").beat(Some(ago(2 * HOUR))).turned(&[(2 * HOUR - 5 * MINUTE, NotConnected)]);
        let seen = vec![steady("a").beat(Some(ago(beat))), lost_before];
        let fleet = snapshot(vec![view_by(&mut judge, group("edge"), seen).unwrap()]);
        let day = Charts::of(&fleet).heartbeats;
        for slot in &day.slots {
            let query = Query { filter: slot.filter.clone(), ..Query::default() };
            assert_eq!(select_all(&fleet, &query).instances as u64, slot.silent);
        }
        day.slots[46].silent
    };
    assert_eq!(drawn(HOUR, None), 2);
    assert_eq!(drawn(HOUR, Some(MINUTE)), 1, "only who was lost before the server went away");
    assert_eq!(drawn(20 * MINUTE, Some(30 * MINUTE)), 2, "heard since, and lost again");
}

#[test]
fn a_scope_without_delegates_has_empty_charts() {
    let charts = Charts::of(&snapshot(Vec::new()));
    assert_eq!((charts.versions.rows.len(), charts.expiry.total(), charts.heartbeats.share()), (0, 0, None));
    assert!(charts.loss.is_none());
}
