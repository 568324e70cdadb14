//! What the server knows of a page request beside its URL; pages find it in their context.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use fleet::access::Grants;
use fleet::time::Timestamp;
use leptos::prelude::use_context;

use crate::embed::SharedEmbed;

/// Light, dark, or what the system prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// `prefers-color-scheme` decides.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The word in cookie, form and `data-theme`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Reads the word; anything else is the system's.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }
}

/// Height of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Density {
    /// 44 px.
    #[default]
    Comfortable,
    /// 36 px.
    Compact,
}

impl Density {
    /// The word in cookie, form and `data-density`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comfortable => "comfortable",
            Self::Compact => "compact",
        }
    }

    /// Reads the word; anything else is comfortable.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text == "compact" { Self::Compact } else { Self::Comfortable }
    }
}

/// How instants are shown. Ages and local time need scripts; without them every instant is in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeForm {
    /// `8 s ago`.
    #[default]
    Relative,
    /// On the clock of the browser.
    Local,
    /// In UTC.
    Utc,
}

impl TimeForm {
    /// The word in cookie, form and `data-time`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relative => "relative",
            Self::Local => "local",
            Self::Utc => "utc",
        }
    }

    /// Reads the word; anything else is relative.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text {
            "local" => Self::Local,
            "utc" => Self::Utc,
            _ => Self::Relative,
        }
    }
}

/// Whether single keys are shortcuts (WCAG 2.1.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shortcuts {
    /// They are.
    #[default]
    On,
    /// They are not, so that speech input or a slip does nothing.
    Off,
}

impl Shortcuts {
    /// The word in cookie, form and `data-keys`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }

    /// Reads the word; anything else is on.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text == "off" { Self::Off } else { Self::On }
    }
}

/// The word of a switch in cookie, form and attribute.
#[must_use]
pub const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// What a viewer chose, from the cookies `rollcall_theme`, `rollcall_density`, `rollcall_time`,
/// `rollcall_keys`, `rollcall_announce` and `rollcall_charts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Preferences {
    /// Colours.
    pub theme: Theme,
    /// Row height.
    pub density: Density,
    /// Form of instants.
    pub time: TimeForm,
    /// Single-key shortcuts.
    pub keys: Shortcuts,
    /// Whether changes are told by voice, besides being shown.
    pub announce: bool,
    /// Whether the charts are folded away.
    pub charts_hidden: bool,
}

/// When the viewer's session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// If nothing more is asked for.
    pub idle: Timestamp,
    /// Whatever happens.
    pub latest: Timestamp,
}

impl SessionEnd {
    /// When it ends if nothing more is asked for.
    #[must_use]
    pub fn next(self) -> Timestamp {
        self.idle.min(self.latest)
    }
}

/// Who looks at a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    /// Internal id.
    pub id: Arc<str>,
    /// Empty for service accounts.
    pub email: Arc<str>,
    /// Name for people; the e-mail if none was given.
    pub name: Arc<str>,
    /// What they may do.
    pub grants: Grants,
}

/// What became of a form that was just sent; the page of the form shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormOutcome {
    /// The form, by the last part of its address, such as `password`; empty if the page has one form only.
    pub form: String,
    /// What is wrong: name of the field (empty for the form as a whole) and a sentence.
    pub errors: Vec<(String, String)>,
    /// What was sent, passwords excepted, so that nobody types it again.
    pub values: Vec<(String, String)>,
    /// A secret that is shown once: what it is, and its value.
    pub secret: Option<(String, String)>,
}

impl FormOutcome {
    /// The sentence about a field of a form.
    #[must_use]
    pub fn error(&self, form: &str, field: &str) -> Option<&str> {
        let found = self.errors.iter().find(|(name, _)| self.form == form && name == field);
        found.map(|(_, message)| message.as_str())
    }

    /// What was sent as a field of a form; the first of several.
    #[must_use]
    pub fn value(&self, form: &str, field: &str) -> Option<&str> {
        let found = self.values.iter().find(|(name, _)| self.form == form && name == field);
        found.map(|(_, value)| value.as_str())
    }
}

/// The request that a page answers.
#[derive(Clone, Debug, Default)]
pub struct PageRequest {
    /// What the viewer chose.
    pub preferences: Preferences,
    /// Scheme and host that people reach this server by, such as `https://rollcall.example.com`; may be empty.
    pub origin: String,
    /// Path and query, for links back to exactly this view.
    pub uri: String,
    /// Shown on error pages, so that a person can name the request to an operator.
    pub request_id: String,
    /// Who looks; none before sign-in.
    pub viewer: Option<Viewer>,
    /// When their session ends; none before sign-in and with an API key.
    pub session: Option<SessionEnd>,
    /// What became of a form that was just sent.
    pub outcome: FormOutcome,
    /// Name of the form that was accepted right before.
    pub done: Option<String>,
    /// When the page is made.
    pub now: Timestamp,
    /// Set where a refusal is what the page has to say: the reason.
    pub denied: Option<String>,
    /// Only the live part of the page is asked for, in a form that everybody with the same rights shares: `viewer` then
    /// says what may be done, and not by whom.
    pub part: bool,
    /// Set where a page of another site frames this one.
    pub embed: Option<SharedEmbed>,
}

/// The status code of a page. The page sets it while it renders; the server reads it afterwards.
#[derive(Clone, Debug)]
pub struct PageStatus(Arc<AtomicU16>);

impl Default for PageStatus {
    fn default() -> Self {
        Self(Arc::new(AtomicU16::new(200)))
    }
}

impl PageStatus {
    /// Answers with this code: 404, 400 or 503.
    pub fn set(&self, code: u16) {
        self.0.store(code, Ordering::Release);
    }

    /// The code, 200 unless a page set another one.
    #[must_use]
    pub fn get(&self) -> u16 {
        self.0.load(Ordering::Acquire)
    }
}

/// Whether the page stands in a frame of another site, where nothing leads on: nobody is signed in there.
#[must_use]
pub fn framed() -> bool {
    use_context::<PageRequest>().is_some_and(|request| request.embed.is_some())
}
