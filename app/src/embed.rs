//! A page that another site shows in a frame (`product 15.2`): what the server knows of it.

use std::sync::Arc;

use fleet::query::{Query, QueryError};
use fleet::scope::Scope;

use crate::components::columns::Columns;
use crate::context::{Density, Theme};

/// What the address chooses: `cols`, `theme`, `density`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Columns of the list.
    pub columns: Columns,
    /// Colours.
    pub theme: Theme,
    /// Row height.
    pub density: Density,
}

impl Look {
    /// Reads it from the parameters of an address; others are left alone.
    ///
    /// # Errors
    /// A parameter has a value that it cannot have.
    pub fn read(parameters: &[(String, String)]) -> Result<Self, QueryError> {
        let all = |name: &'static str| {
            parameters.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
        };
        let theme = all("theme").next_back().filter(|word| !word.is_empty()).unwrap_or("system");
        let density = all("density").next_back().filter(|word| !word.is_empty()).unwrap_or("comfortable");
        let look = Self {
            columns: Columns::parse(all("cols"))?,
            theme: Theme::parse(theme),
            density: Density::parse(density),
        };
        let refused = |field, words: &str| QueryError { field, message: format!("must be one of {words}") };
        if look.theme.as_str() != theme {
            return Err(refused("theme", "system, light, dark"));
        }
        if look.density.as_str() != density {
            return Err(refused("density", "comfortable, compact"));
        }
        Ok(look)
    }

    /// The shortest query string with this meaning; defaults are left out.
    #[must_use]
    pub fn to_url(self) -> String {
        let mut parts = Vec::new();
        if self.columns != Columns::ALL {
            let words: Vec<_> =
                self.columns.iter().map(super::components::columns::Optional::as_str).collect();
            parts.push(format!("cols={}", words.join(",")));
        }
        if self.theme != Theme::System {
            parts.push(format!("theme={}", self.theme.as_str()));
        }
        if self.density != Density::Comfortable {
            parts.push(format!("density={}", self.density.as_str()));
        }
        parts.join("&")
    }
}

/// One embedded page; the server has checked the key.
#[derive(Clone, Debug)]
pub struct Embed {
    /// Whose delegates.
    pub scope: Scope,
    /// Which of them: the question of the address inside that of the key.
    pub query: Query,
    /// How they look.
    pub look: Look,
    /// The path of the page, with the parameters of [`Look`]; links inside the frame begin with it.
    pub path: String,
    /// Where changes are told; none where the page stays as it is, as a preview does.
    pub feed: Option<String>,
    /// The sites that may frame it; they alone are told its height.
    pub sites: Vec<String>,
    /// The whole address of the same list in Rollcall.
    pub home: String,
}

/// As pages find it in their request.
pub type SharedEmbed = Arc<Embed>;
