//! One field with its label, its hint and the sentence about what is wrong with it.

use leptos::prelude::*;

use super::Sent;

/// A field before it is drawn; the methods that draw it end its making.
pub struct Field<'a> {
    sent: Sent<'a>,
    id: String,
    name: &'static str,
    label: AnyView,
    hint: Option<String>,
    autocomplete: &'static str,
    required: bool,
    focus: bool,
    value: String,
    bounds: Option<(u32, u32)>,
}

impl<'a> Field<'a> {
    /// A field called `name` of the form called `form`, which keeps what was sent.
    #[must_use]
    pub fn new(sent: Sent<'a>, form: &str, name: &'static str, label: &'static str) -> Self {
        Self::labelled(sent, form, name, label.into_any())
    }

    /// The same under a label that is more than a word.
    #[must_use]
    pub fn labelled(sent: Sent<'a>, form: &str, name: &'static str, label: AnyView) -> Self {
        Self {
            sent,
            id: format!("{form}-{name}"),
            name,
            label,
            hint: None,
            autocomplete: "off",
            required: false,
            focus: false,
            value: sent.value(name).unwrap_or_default().to_owned(),
            bounds: None,
        }
    }

    /// A sentence that helps to fill it in.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    /// What a password manager may fill in.
    #[must_use]
    pub const fn autocomplete(mut self, word: &'static str) -> Self {
        self.autocomplete = word;
        self
    }

    /// Must not be empty.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Has the focus when the page opens.
    #[must_use]
    pub const fn focus(mut self) -> Self {
        self.focus = true;
        self
    }

    /// Its value unless another one was sent.
    #[must_use]
    pub fn or(mut self, value: impl Into<String>) -> Self {
        if self.sent.value(self.name).is_none() {
            self.value = value.into();
        }
        self
    }

    /// The smallest and the largest number.
    #[must_use]
    pub const fn between(mut self, least: u32, most: u32) -> Self {
        self.bounds = Some((least, most));
        self
    }

    /// A line of this kind: `text`, `email`, `number`, `date`. Passwords never come back.
    #[must_use]
    pub fn line(self, kind: &'static str) -> AnyView {
        let value = (kind != "password").then(|| self.value.clone());
        let (least, most) = self.bounds.map(|(least, most)| (least.to_string(), most.to_string())).unzip();
        let plain = matches!(self.name, "email" | "password" | "current").then_some("none");
        let input = view! {
            <input
                type=kind
                id=self.id.clone()
                name=self.name
                value=value
                min=least
                max=most
                autocomplete=self.autocomplete
                autocapitalize=plain
                spellcheck="false"
                required=self.required
                autofocus=self.focused()
                aria-invalid=self.wrong()
                aria-describedby=self.described()
            />
        };
        self.around(input.into_any())
    }

    /// Several lines.
    #[must_use]
    pub fn lines(self, rows: u32) -> AnyView {
        // Text inside this element is written as it stands, so it is escaped here.
        let text = self.value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let area = view! {
            <textarea
                id=self.id.clone()
                name=self.name
                rows=rows.to_string()
                autocomplete=self.autocomplete
                spellcheck="false"
                required=self.required
                autofocus=self.focused()
                aria-invalid=self.wrong()
                aria-describedby=self.described()
                inner_html=text
            ></textarea>
        };
        self.around(area.into_any())
    }

    /// One of several values, each with its word.
    #[must_use]
    pub fn choice(self, options: Vec<(String, String)>) -> AnyView {
        let options: Vec<_> = options
            .into_iter()
            .map(|(value, word)| {
                let selected = value == self.value;
                view! { <option value=value selected=selected>{word}</option> }
            })
            .collect();
        let select = view! {
            <select
                id=self.id.clone()
                name=self.name
                autofocus=self.focused()
                aria-invalid=self.wrong()
                aria-describedby=self.described()
            >
                {options}
            </select>
        };
        self.around(select.into_any())
    }

    /// After a failure the first wrong field has the focus.
    fn focused(&self) -> bool {
        self.sent.first_wrong().map_or(self.focus, |wrong| wrong == self.name)
    }

    fn wrong(&self) -> Option<&'static str> {
        self.sent.error(self.name).map(|_| "true")
    }

    fn described(&self) -> Option<String> {
        let hint = self.hint.is_some().then(|| format!("{}-hint", self.id));
        let error = self.wrong().is_some().then(|| format!("{}-error", self.id));
        let both: Vec<_> = [error, hint].into_iter().flatten().collect();
        (!both.is_empty()).then(|| both.join(" "))
    }

    fn around(self, control: AnyView) -> AnyView {
        let id = self.id;
        let hint_id = format!("{id}-hint");
        let error_id = format!("{id}-error");
        let hint = self.hint.map(|text| view! { <p class="sub" id=hint_id>{text}</p> });
        let error = self.sent.error(self.name).map(str::to_owned);
        let error = error.map(|text| view! { <p class="wrong" id=error_id>{text}</p> });
        view! {
            <div class="field">
                <label for=id>{self.label}</label>
                {control}
                {error}
                {hint}
            </div>
        }
        .into_any()
    }
}
