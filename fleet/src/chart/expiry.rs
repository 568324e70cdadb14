//! When connected instances reach their anchor, week by week.

use std::sync::Arc;

use chrono::{Datelike as _, Days, NaiveDate};

use crate::health::{Standing, Verdict};
use crate::query::{Availability, Filter};
use crate::time::Timestamp;
use crate::view::Member;

/// Weeks that are drawn, the current one included.
pub const WEEKS: usize = 12;

/// Connected instances by the week in which they reach their anchor (`product 5.4`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// From Monday to Sunday in UTC, the current week first.
    pub weeks: Vec<Week>,
    /// Those past their anchor; of no week.
    pub expired: u64,
    /// Those that reach it later.
    pub later: u64,
    /// Those without a date.
    pub undated: u64,
}

/// One week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Week {
    /// Its Monday.
    pub monday: NaiveDate,
    /// Instances near expiry that reach their anchor in it.
    pub near: u64,
    /// Others that do.
    pub rest: u64,
    /// What lists exactly these.
    pub filter: Filter,
}

impl Week {
    /// All that reach their anchor in it.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.near + self.rest
    }
}

impl Expiry {
    /// All that reach their anchor in one of the weeks.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.weeks.iter().map(Week::total).sum()
    }
}

/// Counts weeks.
pub(super) struct Tally {
    expiry: Expiry,
    /// The verdict asked about last, and its week: neighbours mostly share one.
    last: Option<(*const Verdict, Option<i64>)>,
}

impl Tally {
    pub(super) fn new(now: Timestamp) -> Self {
        let today = now.date();
        let monday = today.checked_sub_days(Days::new(today.weekday().num_days_from_monday().into()));
        let mondays = monday.unwrap_or(today).iter_weeks().take(WEEKS).enumerate();
        let weeks = mondays.map(|(number, monday)| Week {
            monday,
            near: 0,
            rest: 0,
            filter: Filter {
                expires: Some(monday),
                // Of the current week some days are over.
                availability: (number == 0).then_some(Availability::Available),
                ..Filter::default()
            },
        });
        Self { expiry: Expiry { weeks: weeks.collect(), expired: 0, later: 0, undated: 0 }, last: None }
    }

    /// Adds a connected instance.
    pub(super) fn add(&mut self, member: &Member) {
        let standing = member.assessment.standing;
        if standing == Standing::Expired {
            self.expiry.expired += 1;
            return;
        }
        let Some(number) = self.week_of(&member.assessment.verdict) else {
            self.expiry.undated += 1;
            return;
        };
        let week = usize::try_from(number).ok().and_then(|number| self.expiry.weeks.get_mut(number));
        match week {
            Some(week) if standing == Standing::NearExpiry => week.near += 1,
            Some(week) => week.rest += 1,
            None => self.expiry.later += 1,
        }
    }

    /// Which week, counted from the current one; none without a date.
    fn week_of(&mut self, verdict: &Arc<Verdict>) -> Option<i64> {
        if let Some((last, number)) = self.last
            && last == Arc::as_ptr(verdict)
        {
            return number;
        }
        let first = self.expiry.weeks.first().map(|week| week.monday);
        let days = |day: NaiveDate| first.map(|first| (day - first).num_days().div_euclid(7));
        let number = verdict.expires_at.and_then(|at| days(at.date()));
        self.last = Some((Arc::as_ptr(verdict), number));
        number
    }

    pub(super) fn finish(self) -> Expiry {
        self.expiry
    }
}
