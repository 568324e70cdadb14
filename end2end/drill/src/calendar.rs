//! A plausible catalog of releases for any day, so that a demo has every lifecycle state years from now
//! (`product 5.4`, `5.5`).

use chrono::{Datelike as _, Days, Months, NaiveDate, Weekday};
use serde::Serialize;

/// Months of classic releases before the day.
const MONTHS: u32 = 26;
/// The latest releases come twice a month, from so many months ago on.
const TWICE_SINCE: u32 = 6;
/// The build numbers of January 2024 start here ...
const FIRST_BUILD: i32 = 82_000;
/// ... and grow by this in a month.
const BUILDS_PER_MONTH: i32 = 253;
/// Until this day of a month the formula has no version near its end of support in a window of 28 days.
const QUIET_DAYS: u32 = 3;

/// A day outside the range that two-digit years can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the day must lie between 2024-01-01 and 2098-12-31")]
pub struct DayError;

/// The document of `product 5.5`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    schema: u32,
    as_of: NaiveDate,
    note: &'static str,
    latest: Latest,
    versions: Vec<Entry>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Latest {
    classic: String,
    classic_minimal: String,
    runner: &'static str,
    legacy: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Entry {
    version: String,
    line: &'static str,
    variant: Option<&'static str>,
    released: NaiveDate,
    eos: Option<NaiveDate>,
    eol: Option<NaiveDate>,
    hotfix: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// The catalog document as JSON text, as it could have been published on `today`.
///
/// # Errors
/// A day that cannot be written with two-digit years.
pub fn catalog(today: NaiveDate) -> Result<String, DayError> {
    if !(2024..=2098).contains(&today.year()) {
        return Err(DayError);
    }
    let classic = classic(today);
    let newest = |minimal: bool| {
        let fitting = classic.iter().filter(|entry| entry.variant.is_some() == minimal && !entry.hotfix);
        fitting.max_by_key(|entry| entry.released).map(|entry| entry.version.clone()).unwrap_or_default()
    };
    let latest =
        Latest { classic: newest(false), classic_minimal: newest(true), runner: "3.1.0", legacy: None };
    let versions = classic.iter().cloned().chain(legacy()).chain(runner(today)).collect();
    let note = "Sample data for demonstrations; not the vendor's calendar.";
    let document = Document { schema: 1, as_of: today, note, latest, versions };
    serde_json::to_string_pretty(&document).map_err(|_| DayError)
}

/// Releases of the months up to `today`, oldest first.
fn classic(today: NaiveDate) -> Vec<Entry> {
    let mut entries = Vec::new();
    for ago in (0..=MONTHS).rev() {
        let Some(month) = first_of(today).checked_sub_months(Months::new(ago)) else { continue };
        let lately = ago <= TWICE_SINCE;
        let tuesdays = if lately { &[2, 4][..] } else { &[3][..] };
        for (step, week) in (0..).zip(tuesdays) {
            let Some(released) = tuesday(month, *week).filter(|day| *day <= today) else { continue };
            let entry = release(month, step, released, today);
            let minimal = Entry {
                version: format!("{}.minimal", entry.version),
                variant: Some("minimal"),
                image: entry.image.as_ref().map(|image| format!("{image}.minimal")),
                ..entry.clone()
            };
            entries.push(entry);
            entries.extend(lately.then_some(minimal));
        }
    }
    entries.extend(hotfix(today));
    entries
}

/// One release of a month; `step` counts inside the month.
fn release(month: NaiveDate, step: i32, released: NaiveDate, today: NaiveDate) -> Entry {
    let since_first = (month.year() - 2024) * 12 + month.month0().cast_signed();
    // Uneven steps, as real build numbers have.
    let build = FIRST_BUILD + since_first * BUILDS_PER_MONTH + step * 105 + since_first * 7 % 10;
    let version = format!("{:02}.{:02}.{build}", month.year() % 100, month.month());
    let image = Some(format!("harness/delegate:{version}"));
    let (eos, eol, note) = support(month, today);
    Entry { version, line: "classic", variant: None, released, eos, eol, hotfix: false, image, note }
}

/// Last day of month + 5 and + 7; one release month gets two weeks more where no version would be near its end.
fn support(
    month: NaiveDate,
    today: NaiveDate,
) -> (Option<NaiveDate>, Option<NaiveDate>, Option<&'static str>) {
    let (eos, eol) = (last_of(month, 5), last_of(month, 7));
    let ended_last_month = eos.is_some_and(|end| end < today && first_of(today).pred_opt() == Some(end));
    if today.day() <= QUIET_DAYS && ended_last_month {
        let extended = eos.and_then(|end| end.checked_add_days(Days::new(14)));
        return (extended, eol, Some("support extended by two weeks"));
    }
    (eos, eol, None)
}

/// A correction of an older release, published after newer ones.
fn hotfix(today: NaiveDate) -> Option<Entry> {
    let month = first_of(today).checked_sub_months(Months::new(3))?;
    let released = today.checked_sub_days(Days::new(20))?;
    let mut entry = release(month, 2, released, today);
    entry.hotfix = true;
    entry.note = Some("hotfix; lower build number than versions published before it");
    Some(entry)
}

/// The legacy line has one fixed end.
fn legacy() -> Vec<Entry> {
    let end = NaiveDate::from_ymd_opt(2024, 1, 31);
    [("1.0.80104", (2023, 7, 11)), ("1.0.82007", (2024, 1, 9))]
        .into_iter()
        .filter_map(|(version, (year, month, day))| {
            let released = NaiveDate::from_ymd_opt(year, month, day)?;
            let note = Some("legacy image; one fixed end date");
            Some(Entry { eos: end, eol: end, note, ..plain("legacy", version, released) })
        })
        .collect()
}

/// The runner line has no published lifecycle.
fn runner(today: NaiveDate) -> Vec<Entry> {
    [("1.35.0", 190), ("3.0.0", 108), ("3.1.0", 38)]
        .into_iter()
        .filter_map(|(version, days)| {
            let released = today.checked_sub_days(Days::new(days))?;
            Some(Entry { note: Some("no published lifecycle"), ..plain("runner", version, released) })
        })
        .collect()
}

fn plain(line: &'static str, version: &str, released: NaiveDate) -> Entry {
    let version = version.to_owned();
    Entry {
        version,
        line,
        variant: None,
        released,
        eos: None,
        eol: None,
        hotfix: false,
        image: None,
        note: None,
    }
}

fn first_of(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}

/// The last day of the month that lies `months` after that of `day`.
pub(crate) fn last_of(day: NaiveDate, months: u32) -> Option<NaiveDate> {
    first_of(day).checked_add_months(Months::new(months + 1))?.pred_opt()
}

/// The nth Tuesday of a month.
fn tuesday(month: NaiveDate, nth: u8) -> Option<NaiveDate> {
    NaiveDate::from_weekday_of_month_opt(month.year(), month.month(), Weekday::Tue, nth)
}

#[cfg(test)]
mod tests;
