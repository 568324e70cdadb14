//! The strip of heartbeats of one instance: a box for each part of a window (`product 3.6`, `ux 1.2`).

use std::fmt::Write as _;

use fleet::history::{Availability, Slot, Span, Window, strip};
use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::words;

/// Width of a box with its gap, in units of the drawing.
const STEP: usize = 4;
/// Height of a full bar.
const FULL: i64 = 20;
/// Height of the smallest bar that can be seen.
const LEAST: i64 = 3;

/// What one instance was within a window.
pub struct Strip {
    window: Window,
    slots: Vec<Slot>,
    /// How much of the time it was there.
    pub availability: Availability,
}

impl Strip {
    /// Of spans in the order of time; `now` is the end of the window.
    #[must_use]
    pub fn new(spans: &[Span], registered_at: Timestamp, window: Window, now: Timestamp) -> Self {
        let slots = strip(spans, registered_at, window.from(now), now, window.slots());
        Self { window, slots, availability: Availability::of(spans) }
    }

    /// `99.8 %`, or that it was never listed.
    #[must_use]
    pub fn percent(&self) -> String {
        self.availability.permille().map_or_else(|| "not listed".to_owned(), percent)
    }

    /// The whole strip as one sentence.
    #[must_use]
    pub fn sentence(&self, host_name: &str) -> String {
        let span = window_words(self.window);
        match self.availability.permille() {
            None => format!("Heartbeats of {host_name} in the past {span}: it was not listed."),
            Some(share) => {
                let losses = match self.availability.losses {
                    0 => "never lost".to_owned(),
                    1 => "lost once".to_owned(),
                    n => format!("lost {} times", words::number(n.into())),
                };
                let share = percent(share);
                format!(
                    "Heartbeats of {host_name} in the past {span}: connected {share} of the time, {losses}."
                )
            }
        }
    }

    /// The drawing. Full bars are connected time, empty frames lost time, a line hidden time, a dot no knowledge: so
    /// heights and shapes tell them apart without colour.
    #[must_use]
    pub fn drawing(&self, host_name: &str) -> AnyView {
        let (mut up, mut lost, mut hidden, mut none) =
            (String::new(), String::new(), String::new(), String::new());
        for (place, slot) in self.slots.iter().enumerate() {
            let x = place * STEP;
            let length = slot.from.age(slot.until).max(1);
            // Writing to a text cannot fail.
            let _ = match slot {
                Slot { connected: 1.., .. } => {
                    let height = (slot.connected.saturating_mul(FULL) / length).max(LEAST);
                    write!(up, "M{x} 22v-{height}h3v{height}z")
                }
                Slot { not_connected: 1.., .. } => Ok(()),
                Slot { hidden: 1.., .. } => write!(hidden, "M{x} 20h3v2h-3z"),
                _ => write!(none, "M{} 20h1v2h-1z", x + 1),
            };
            if slot.not_connected > 0 {
                let _ = write!(lost, "M{x} 2h3v20h-3z");
            }
        }
        let size = format!("0 0 {} 24", self.slots.len() * STEP);
        view! {
            <svg class="strip" viewBox=size preserveAspectRatio="none" role="img" aria-label=self.sentence(host_name)>
                <path class="s-lost" d=lost vector-effect="non-scaling-stroke"></path>
                <path class="s-up" d=up></path>
                <path class="s-hid" d=hidden></path>
                <path class="s-none" d=none></path>
            </svg>
        }
        .into_any()
    }
}

fn percent(permille: i64) -> String {
    if permille % 10 == 0 {
        format!("{} %", permille / 10)
    } else {
        format!("{}.{} %", permille / 10, permille % 10)
    }
}

/// `24 hours`, `7 days`, `30 days`.
#[must_use]
pub const fn window_words(window: Window) -> &'static str {
    match window {
        Window::Day => "24 hours",
        Window::Week => "7 days",
        Window::Month => "30 days",
    }
}

/// Links to the same page with another window.
#[must_use]
pub fn windows(path: &str, current: Window) -> AnyView {
    let links: Vec<_> = Window::ALL
        .into_iter()
        .map(|window| {
            let href = if window == Window::Day {
                path.to_owned()
            } else {
                format!("{path}?window={}", window.as_str())
            };
            let here = (window == current).then_some("true");
            view! {
                <li>
                    <a href=href aria-current=here data-nav>
                        <span class="vh">"Heartbeats of the past "</span>{window_words(window)}
                    </a>
                </li>
            }
        })
        .collect();
    view! { <ul class="sizes" aria-label="Window">{links}</ul> }.into_any()
}

/// What the shapes mean.
#[must_use]
pub fn legend() -> AnyView {
    view! {
        <p class="sub legend">
            "Full bar: connected. Frame: lost, the bar in it is the part that was connected. Line: hidden. Dot: not registered yet, or not known."
        </p>
    }
    .into_any()
}
