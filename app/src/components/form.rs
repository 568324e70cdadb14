//! Forms that work without scripts: what was sent comes back with the sentence about what is wrong.

pub mod field;

use leptos::prelude::*;

use crate::components::icons;
use crate::context::FormOutcome;

/// What became of one form of a page, if it is the one that was just sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a>(Option<&'a FormOutcome>);

impl<'a> Sent<'a> {
    /// The outcome of the form that goes by one of these names.
    #[must_use]
    pub fn of(outcome: &'a FormOutcome, names: &[&str]) -> Self {
        Self(Some(outcome).filter(|outcome| names.contains(&&*outcome.form)))
    }

    /// The form that nobody has sent.
    #[must_use]
    pub const fn never() -> Self {
        Self(None)
    }

    /// The sentence about a field; an empty name means the form as a whole.
    #[must_use]
    pub fn error(self, field: &str) -> Option<&'a str> {
        let found = self.0?.errors.iter().find(|(name, _)| name == field);
        found.map(|(_, message)| message.as_str())
    }

    /// What was sent as a field.
    #[must_use]
    pub fn value(self, field: &str) -> Option<&'a str> {
        self.values(field).next()
    }

    /// Everything that was sent under one name.
    pub fn values(self, field: &str) -> impl Iterator<Item = &'a str> {
        let values = self.0.into_iter().flat_map(|outcome| outcome.values.iter());
        values.filter(move |(name, _)| name == field).map(|(_, value)| value.as_str())
    }

    /// Whether something is wrong with what was sent.
    #[must_use]
    pub fn failed(self) -> bool {
        self.0.is_some_and(|outcome| !outcome.errors.is_empty())
    }

    /// The field that is wrong first; nothing if the form as a whole is.
    #[must_use]
    pub fn first_wrong(self) -> Option<&'a str> {
        let mut wrong = self.0?.errors.iter().map(|(name, _)| name.as_str());
        wrong.find(|name| !name.is_empty())
    }

    /// Says above the form that it was not accepted; what is wrong with a field stands at that field.
    #[must_use]
    pub fn alert(self) -> Option<AnyView> {
        let told = match self.error("") {
            Some(sentence) => sentence.to_owned(),
            None if self.failed() => "Nothing was changed. See what is marked below.".to_owned(),
            None => return None,
        };
        Some(alert(vec![told]))
    }

    /// Says what is wrong with anything but the one field that the form shows.
    #[must_use]
    pub fn alert_beside(self, field: &str) -> Option<AnyView> {
        let errors = self.0.into_iter().flat_map(|outcome| outcome.errors.iter());
        let told: Vec<_> = errors.filter(|(name, _)| name != field).map(|(_, told)| told.clone()).collect();
        (!told.is_empty()).then(|| alert(told))
    }
}

/// The outcome of a form that the page has no room beside: the small ones of rows, or one that has gone since.
#[must_use]
pub fn stray(outcome: &FormOutcome, shown: &[&str]) -> Option<AnyView> {
    if outcome.errors.is_empty() || shown.contains(&&*outcome.form) {
        return None;
    }
    Some(alert(outcome.errors.iter().map(|(_, sentence)| sentence.clone()).collect()))
}

/// Sentences that must not be missed.
#[must_use]
pub fn alert(sentences: Vec<String>) -> AnyView {
    let told: Vec<_> = sentences.into_iter().map(|sentence| view! { <p>{sentence}</p> }).collect();
    view! { <div class="banner danger" role="alert">{icons::icon(icons::EXPIRED)}<div class="told">{told}</div></div> }
        .into_any()
}

/// A form of one button; `told` is what a screen reader says of it and begins with the visible word.
#[must_use]
pub fn press(action: String, fields: &[(&'static str, &str)], word: &'static str, told: String) -> AnyView {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| view! { <input type="hidden" name=*name value=(*value).to_owned()/> })
        .collect();
    view! {
        <form method="post" action=action class="press">
            {fields}
            <button class="btn small" aria-label=told>{word}</button>
        </form>
    }
    .into_any()
}

/// A button that says why it cannot be pressed; `why` names the permission, the scope and the reason.
#[must_use]
pub fn refused(word: &'static str, why: &str) -> AnyView {
    view! {
        <div class="refused">
            <button type="button" class="btn" aria-disabled="true">{word}</button>
            <p class="sub">{why.to_owned()}</p>
        </div>
    }
    .into_any()
}
