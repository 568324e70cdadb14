//! Account, organization, project: the three nested scopes (`product 1.3`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest accepted identifier of an account, organization or project, in characters.
pub const MAX_IDENTIFIER: usize = 128;

/// How deep a scope lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The top.
    Account,
    /// Below an account.
    Organization,
    /// Below an organization.
    Project,
}

/// One account, organization or project, written `acme`, `acme/payments` or `acme/payments/checkout`.
///
/// Each part is an identifier: 1 to 128 letters, digits, `_`, `-`, `$` or `.`, not starting with `.`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scope {
    account: Box<str>,
    organization: Option<Box<str>>,
    project: Option<Box<str>>,
}

/// Why a text is no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// A part is empty, too long, or holds a character that identifiers do not have.
    #[error("{part} identifier must be 1 to 128 letters, digits, '_', '-', '$' or '.'")]
    Identifier {
        /// `account`, `organization` or `project`.
        part: &'static str,
    },
    /// More than three parts.
    #[error("a scope has at most three parts: account/organization/project")]
    TooDeep,
    /// A project without its organization.
    #[error("a project needs its organization")]
    ProjectWithoutOrganization,
}

impl Scope {
    /// The scope of the given identifiers.
    ///
    /// # Errors
    /// A part is no identifier, or a project comes without its organization.
    pub fn new(account: &str, organization: Option<&str>, project: Option<&str>) -> Result<Self, ScopeError> {
        if project.is_some() && organization.is_none() {
            return Err(ScopeError::ProjectWithoutOrganization);
        }
        Ok(Self {
            account: identifier(account, "account")?,
            organization: organization.map(|text| identifier(text, "organization")).transpose()?,
            project: project.map(|text| identifier(text, "project")).transpose()?,
        })
    }

    /// Identifier of the account.
    #[must_use]
    pub fn account(&self) -> &str {
        &self.account
    }

    /// Identifier of the organization, if the scope lies in one.
    #[must_use]
    pub fn organization(&self) -> Option<&str> {
        self.organization.as_deref()
    }

    /// Identifier of the project, if the scope is one.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// Account, organization or project.
    #[must_use]
    pub fn level(&self) -> Level {
        match (&self.organization, &self.project) {
            (None, _) => Level::Account,
            (Some(_), None) => Level::Organization,
            (Some(_), Some(_)) => Level::Project,
        }
    }

    /// The last identifier: what a person calls this scope.
    #[must_use]
    pub fn name(&self) -> &str {
        self.project.as_deref().or(self.organization.as_deref()).unwrap_or(&self.account)
    }

    /// The scope one level up; none for an account.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let mut parent = self.clone();
        if parent.project.take().is_some() || parent.organization.take().is_some() {
            return Some(parent);
        }
        None
    }

    /// This scope and those above it, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self.clone()), Self::parent)
    }

    /// Whether `other` is this scope or lies below it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.account == other.account
            && (self.organization.is_none() || self.organization == other.organization)
            && (self.project.is_none() || self.project == other.project)
    }

    /// Whether a delegate of `owner` can be used from here: own scope and those above (`product 2.2`).
    #[must_use]
    pub fn can_use(&self, owner: &Self) -> bool {
        owner.contains(self)
    }

    /// The path of this scope's pages: `/a/{account}[/o/{organization}[/p/{project}]]`.
    #[must_use]
    pub fn path(&self) -> String {
        self.path_with("/a/", "/o/", "/p/")
    }

    /// The path of this scope in `/api/v1`: `/accounts/{a}[/orgs/{o}[/projects/{p}]]`.
    #[must_use]
    pub fn api_path(&self) -> String {
        self.path_with("/accounts/", "/orgs/", "/projects/")
    }

    fn path_with(&self, account: &str, organization: &str, project: &str) -> String {
        let mut path = format!("{account}{}", self.account);
        for (word, part) in [(organization, &self.organization), (project, &self.project)] {
            if let Some(part) = part {
                path.push_str(word);
                path.push_str(part);
            }
        }
        path
    }
}

fn identifier(text: &str, part: &'static str) -> Result<Box<str>, ScopeError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '.');
    let fits = (1..=MAX_IDENTIFIER).contains(&text.len());
    if fits && !text.starts_with('.') && text.chars().all(allowed) {
        Ok(text.into())
    } else {
        Err(ScopeError::Identifier { part })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.account)?;
        for part in [&self.organization, &self.project].into_iter().flatten() {
            write!(f, "/{part}")?;
        }
        Ok(())
    }
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let mut parts = text.split('/');
        let account = parts.next().unwrap_or_default();
        let (organization, project) = (parts.next(), parts.next());
        if parts.next().is_some() {
            return Err(ScopeError::TooDeep);
        }
        Self::new(account, organization, project)
    }
}

impl TryFrom<String> for Scope {
    type Error = ScopeError;

    fn try_from(text: String) -> Result<Self, ScopeError> {
        text.parse()
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> Self {
        scope.to_string()
    }
}
