//! What was sent and how it was answered: counters that all played delegates share.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;

pub use histogram::{Histogram, Latencies};

mod histogram;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Registration.
    Register,
    /// REST heartbeat, or a frame on a stream.
    Heartbeat,
    /// Task events, runner events, reconcile.
    Poll,
    /// Unregister.
    Goodbye,
    /// Everything else: capacity, upgrader, opening a stream.
    Other,
}

/// A change in the life of a played delegate that a person wants to see summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A process has registered, or is known by its first heartbeat.
    Joined,
    /// A process ended or went silent.
    Left,
    /// A Go client used up its attempts to register.
    GaveUp,
    /// The server's words stopped a Java delegate.
    Stopped,
}

/// Counters of one run.
#[derive(Debug, Default)]
pub struct Stats {
    calls: [AtomicU64; 5],
    events: [AtomicU64; 4],
    queued: AtomicU64,
    failures: Mutex<BTreeMap<String, u64>>,
    heartbeats: Histogram,
}

/// The counters at one instant, or the difference of two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Processes that beat at the moment.
    pub playing: u64,
    /// Requests of all kinds, frames included.
    pub requests: u64,
    /// Registrations among them.
    pub registrations: u64,
    /// Heartbeats among them.
    pub heartbeats: u64,
    /// Polls among them.
    pub polls: u64,
    /// Goodbyes among them.
    pub goodbyes: u64,
    /// Requests that waited more than a second for a free connection: the player, not the server, was the limit.
    pub queued: u64,
    /// Go clients that could not register.
    pub gave_up: u64,
    /// Java delegates that the server's words stopped.
    pub stopped: u64,
    /// Failures by HTTP status, or by `timeout`, `connect` and the like.
    pub failures: BTreeMap<String, u64>,
    /// How long answered heartbeats took.
    pub latencies: Latencies,
}

impl Stats {
    /// Counts a request that got an answer.
    pub fn answered(&self, call: Call, status: u16, took: Duration) {
        self.calls[call as usize].fetch_add(1, Relaxed);
        if !(200..300).contains(&status) && status != 101 {
            self.fail(status.to_string());
        } else if call == Call::Heartbeat {
            self.heartbeats.record(took);
        }
    }

    /// Counts a request that got none.
    pub fn unanswered(&self, call: Call, cause: &str) {
        self.calls[call as usize].fetch_add(1, Relaxed);
        self.fail(cause.to_owned());
    }

    /// Counts a request that had to wait for a free connection.
    pub fn waited(&self) {
        self.queued.fetch_add(1, Relaxed);
    }

    /// Counts a change in the life of a delegate.
    pub fn event(&self, event: Event) {
        self.events[event as usize].fetch_add(1, Relaxed);
    }

    fn fail(&self, cause: String) {
        *self.failures.lock().entry(cause).or_default() += 1;
    }

    /// All counters since the start.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let call = |call: Call| self.calls[call as usize].load(Relaxed);
        let event = |event: Event| self.events[event as usize].load(Relaxed);
        Summary {
            playing: event(Event::Joined).saturating_sub(event(Event::Left)),
            requests: self.calls.iter().map(|count| count.load(Relaxed)).sum(),
            registrations: call(Call::Register),
            heartbeats: call(Call::Heartbeat),
            polls: call(Call::Poll),
            goodbyes: call(Call::Goodbye),
            queued: self.queued.load(Relaxed),
            gave_up: event(Event::GaveUp),
            stopped: event(Event::Stopped),
            failures: self.failures.lock().clone(),
            latencies: self.heartbeats.read(),
        }
    }
}

impl Summary {
    /// What happened since `earlier`; the number of players stays that of now.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut failures = self.failures.clone();
        for (cause, count) in &earlier.failures {
            if let Some(now) = failures.get_mut(cause) {
                *now = now.saturating_sub(*count);
            }
        }
        failures.retain(|_, count| *count > 0);
        Self {
            playing: self.playing,
            requests: self.requests.saturating_sub(earlier.requests),
            registrations: self.registrations.saturating_sub(earlier.registrations),
            heartbeats: self.heartbeats.saturating_sub(earlier.heartbeats),
            polls: self.polls.saturating_sub(earlier.polls),
            goodbyes: self.goodbyes.saturating_sub(earlier.goodbyes),
            queued: self.queued.saturating_sub(earlier.queued),
            gave_up: self.gave_up.saturating_sub(earlier.gave_up),
            stopped: self.stopped.saturating_sub(earlier.stopped),
            failures,
            latencies: self.latencies.since(&earlier.latencies),
        }
    }

    /// Failed requests of all causes.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    /// One line for people; `over` is the time that the counters cover.
    #[must_use]
    pub fn line(&self, over: Duration) -> impl fmt::Display + '_ {
        Line { summary: self, over }
    }
}

struct Line<'a> {
    summary: &'a Summary,
    over: Duration,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        let millis = self.over.as_millis().max(1);
        let tenths = u128::from(summary.requests) * 10_000 / millis;
        write!(
            f,
            "playing {}, {} requests ({}.{}/s)",
            summary.playing,
            summary.requests,
            tenths / 10,
            tenths % 10
        )?;
        write!(f, ", {} heartbeats", summary.heartbeats)?;
        if let (Some(half), Some(most)) = (summary.latencies.quantile(50), summary.latencies.quantile(99)) {
            write!(f, " (p50 {half:.1?}, p99 {most:.1?})")?;
        }
        write!(f, ", {} registrations, {} goodbyes", summary.registrations, summary.goodbyes)?;
        for (count, what) in [
            (summary.queued, "waited for a connection"),
            (summary.gave_up, "gave up"),
            (summary.stopped, "stopped by the server"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        if summary.failures.is_empty() {
            return f.write_str(", no failures");
        }
        write!(f, ", {} failures:", summary.failed())?;
        summary.failures.iter().try_for_each(|(cause, count)| write!(f, " {cause} x{count}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Stats {
        let stats = Stats::default();
        stats.answered(Call::Register, 200, Duration::from_millis(5));
        stats.event(Event::Joined);
        for _ in 0..4 {
            stats.answered(Call::Heartbeat, 200, Duration::from_millis(2));
        }
        stats.answered(Call::Poll, 401, Duration::from_millis(1));
        stats.unanswered(Call::Goodbye, "timeout");
        stats
    }

    #[test]
    fn every_request_is_counted_once_by_what_it_is_for() {
        let summary = sample().summary();
        assert_eq!((summary.requests, summary.registrations, summary.heartbeats), (7, 1, 4));
        assert_eq!((summary.polls, summary.goodbyes, summary.playing), (1, 1, 1));
        assert_eq!(summary.failures, BTreeMap::from([("401".to_owned(), 1), ("timeout".to_owned(), 1)]));
        assert_eq!(summary.failed(), 2);
    }

    #[test]
    fn the_difference_holds_what_happened_between() {
        let stats = sample();
        let before = stats.summary();
        stats.answered(Call::Heartbeat, 503, Duration::from_millis(1));
        stats.event(Event::Left);
        let between = stats.summary().since(&before);
        assert_eq!((between.requests, between.heartbeats, between.playing), (1, 1, 0));
        assert_eq!(between.failures, BTreeMap::from([("503".to_owned(), 1)]));
        assert_eq!(between.latencies.quantile(50), None);
    }

    #[test]
    fn the_line_names_rates_latencies_and_causes() {
        let line = sample().summary().line(Duration::from_secs(10)).to_string();
        for part in
            ["playing 1", "7 requests (0.7/s)", "4 heartbeats (p50 2.", "2 failures: 401 x1 timeout x1"]
        {
            assert!(line.contains(part), "{part} in {line}");
        }
    }
}
