//! Which columns a list shows: all of them on its own page, chosen ones in a frame (`product 15.2`).

use fleet::query::QueryError;

/// A column that can be left out; the name of the delegate is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optional {
    /// `connectivity`.
    Connectivity,
    /// `tags`.
    Tags,
    /// `version`.
    Version,
    /// `status`: status and expiry.
    Status,
    /// `heartbeat`: last heartbeat.
    Heartbeat,
    /// `autoUpgrade`.
    AutoUpgrade,
}

impl Optional {
    /// Every one, in the order of the list.
    pub const ALL: [Self; 6] =
        [Self::Connectivity, Self::Tags, Self::Version, Self::Status, Self::Heartbeat, Self::AutoUpgrade];

    /// The word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connectivity => "connectivity",
            Self::Tags => "tags",
            Self::Version => "version",
            Self::Status => "status",
            Self::Heartbeat => "heartbeat",
            Self::AutoUpgrade => "autoUpgrade",
        }
    }

    /// What stands at its head.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Connectivity => "Connectivity",
            Self::Tags => "Tags",
            Self::Version => "Version",
            Self::Status => "Instance status",
            Self::Heartbeat => "Last heartbeat",
            Self::AutoUpgrade => "Auto-upgrade",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns(u8);

impl Default for Columns {
    fn default() -> Self {
        Self::ALL
    }
}

impl Columns {
    /// Every column.
    pub const ALL: Self = Self(0b11_1111);

    /// Reads the values of `cols`, each one word or several with commas between; without any word all are meant.
    ///
    /// # Errors
    /// A word stands for no column.
    pub fn parse<'a>(values: impl Iterator<Item = &'a str>) -> Result<Self, QueryError> {
        let words = values.flat_map(|value| value.split(',')).map(str::trim).filter(|word| !word.is_empty());
        let mut columns = Self(0);
        for word in words {
            let known = Optional::ALL.into_iter().find(|column| column.as_str() == word);
            columns.0 |= known.ok_or_else(unknown)?.bit();
        }
        Ok(if columns.0 == 0 { Self::ALL } else { columns })
    }

    /// Whether this column is shown.
    #[must_use]
    pub const fn has(self, column: Optional) -> bool {
        self.0 & column.bit() != 0
    }

    /// Those that are shown.
    pub fn iter(self) -> impl Iterator<Item = Optional> {
        Optional::ALL.into_iter().filter(move |column| self.has(*column))
    }
}

fn unknown() -> QueryError {
    let words = Optional::ALL.map(Optional::as_str).join(", ");
    QueryError { field: "cols", message: format!("must be one of {words}") }
}
