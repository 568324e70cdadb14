//! What the server knows of a page request beside its URL; pages find it in their context.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

/// Light, dark, or what the system prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// What a viewer chose, from the cookies `rollcall_theme` and `rollcall_density`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Colours.
    pub theme: Theme,
    /// Row height.
    pub density: Density,
}

/// The request that a page answers.
#[derive(Clone, Debug, Default)]
pub struct PageRequest {
    /// What the viewer chose.
    pub preferences: Preferences,
    /// Path and query, for links back to exactly this view.
    pub uri: String,
    /// Shown on error pages, so that a person can name the request to an operator.
    pub request_id: String,
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
