use std::collections::BTreeMap;
use std::sync::Arc;

use fleet::catalog::Catalog;
use fleet::health::{Status, judge};
use fleet::policy::Policy;
use fleet::time::{DAY, HOUR, Timestamp};
use fleet::version::Line;

use super::*;

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn states(today: NaiveDate) -> BTreeMap<String, usize> {
    let catalog = Catalog::import(&catalog(today).unwrap()).unwrap();
    let now = Timestamp::start_of_day(today).plus(12 * HOUR);
    let latest = catalog.latest(None, None, now);
    let mut states = BTreeMap::new();
    for entry in catalog.entries.iter().filter(|entry| entry.line == Line::Classic) {
        let verdict = judge(Some(&entry.version), &catalog, &latest, &Policy::default(), now);
        *states.entry(format!("{:?}", verdict.status.unwrap())).or_default() += 1;
    }
    states
}

#[test]
fn every_day_of_two_years_has_versions_in_every_state() {
    for offset in 0..731 {
        let today = day("2026-11-20").checked_add_days(Days::new(offset)).unwrap();
        let states = states(today);
        for status in [Status::Expired, Status::Expiring, Status::Unsupported, Status::Active] {
            let count = states.get(&format!("{status:?}")).copied().unwrap_or_default();
            assert!(count > 0, "{today} has no {status:?}: {states:?}");
        }
    }
}

#[test]
fn the_first_and_the_last_day_make_catalogs_that_can_be_imported() {
    for today in ["2024-01-01", "2026-11-20", "2028-02-29", "2098-12-31"] {
        let catalog = Catalog::import(&catalog(day(today)).unwrap()).unwrap();
        assert_eq!(catalog.as_of, Some(day(today)));
        assert!(catalog.latest.classic.is_some() && catalog.latest.classic_minimal.is_some(), "{today}");
    }
}

#[test]
fn days_without_two_digit_years_are_refused() {
    assert_eq!(catalog(day("2023-12-31")).unwrap_err(), DayError);
    assert_eq!(catalog(day("2099-01-01")).unwrap_err(), DayError);
}

#[test]
fn the_latest_is_the_newest_release_and_nothing_comes_from_the_future() {
    let today = day("2026-11-20");
    let catalog = Catalog::import(&catalog(today).unwrap()).unwrap();
    assert!(catalog.entries.iter().all(|entry| entry.released <= today));
    let latest = Arc::clone(catalog.latest.classic.as_ref().unwrap());
    let newest = catalog
        .entries
        .iter()
        .filter(|entry| entry.line == Line::Classic)
        .map(|entry| entry.version.numbers());
    assert_eq!(newest.max(), Some(latest.numbers()));
    assert!(!catalog.is_stale(Timestamp::start_of_day(today).plus(DAY)));
}

#[test]
fn dates_follow_the_months_of_the_version() {
    let today = day("2026-11-20");
    let catalog = Catalog::import(&catalog(today).unwrap()).unwrap();
    for entry in catalog.entries.iter().filter(|entry| entry.line == Line::Classic) {
        let (year, month, _) = entry.version.numbers();
        let start = NaiveDate::from_ymd_opt(2000 + i32::try_from(year).unwrap(), month, 1).unwrap();
        assert_eq!((entry.eos, entry.eol), (last_of(start, 5), last_of(start, 7)), "{}", entry.version);
    }
}
