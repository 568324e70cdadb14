//! A file or command to copy.

use leptos::prelude::*;

/// The text in a scroller of its own under its name, with a button that copies it; `more` stands beside that.
#[must_use]
pub fn code_block(name: &str, text: String, more: Option<AnyView>) -> AnyView {
    let (label, copy) = (name.to_owned(), format!("Copy {name}"));
    view! {
        <figure class="code" data-key=name.to_owned()>
            <figcaption>
                <span class="grow">{name.to_owned()}</span>
                {more}
                <button type="button" class="btn small js" data-copy=text.clone() aria-label=copy>"Copy"</button>
            </figcaption>
            <pre tabindex="0" role="region" aria-label=label><code>{text}</code></pre>
        </figure>
    }
    .into_any()
}

/// A command without a name of its own; `what` says what it does.
#[must_use]
pub fn command_block(what: &str, text: String) -> AnyView {
    let (label, copy) = (format!("Command: {what}"), format!("Copy command: {what}"));
    view! {
        <div class="code bare">
            <pre tabindex="0" role="region" aria-label=label><code>{text.clone()}</code></pre>
            <button type="button" class="btn small js" data-copy=text aria-label=copy>"Copy"</button>
        </div>
    }
    .into_any()
}
