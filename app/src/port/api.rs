//! What scripts and tools may call, in words.

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiReference {
    /// In the order of the page.
    pub sections: Vec<Section>,
    /// Where the OpenAPI document stands.
    pub document: &'static str,
}

/// Operations that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// By path.
    pub operations: Vec<Operation>,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Unique, such as `listDelegates`.
    pub id: String,
    /// In capital letters.
    pub method: &'static str,
    /// With its variable parts in braces.
    pub path: String,
    /// What it does, in one sentence.
    pub summary: String,
    /// What it may be given beside its body.
    pub parameters: Vec<Parameter>,
    /// A body that it takes.
    pub body: Option<String>,
    /// An answer.
    pub answer: Option<String>,
    /// Every status that it answers with, and what that means.
    pub statuses: Vec<(String, String)>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// `path` or `query`.
    pub place: &'static str,
    /// Whether the call fails without it.
    pub required: bool,
    /// What it is.
    pub about: String,
}
