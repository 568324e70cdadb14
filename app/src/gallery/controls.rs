//! Controls and small marks.

use fleet::health::Standing;
use leptos::prelude::*;

use super::fleet::NOW;
use crate::components::empty::command_line;
use crate::components::form::field::Field;
use crate::components::form::{Sent, press, refused};
use crate::components::secret::{GONE, secret_once};
use crate::components::status::{CONNECTED, Mark, NOT_CONNECTED, PARTIAL, standing};
use crate::components::{icons, time};
use crate::context::{FormOutcome, PageRequest};

pub(super) fn buttons(_: &PageRequest) -> AnyView {
    view! {
        <div class="panel sheet">
            <p class="buttons">
                <button type="button" class="btn primary">"Primary"</button>
                <button type="button" class="btn">"Default"</button>
                <button type="button" class="btn small">"Small"</button>
                <button type="button" class="btn danger">"Delete"</button>
                <button type="button" class="btn icon" aria-label="More">{icons::icon(icons::DOTS)}</button>
            </p>
            <p class="buttons">
                <a class="btn switch" href="#off"><span class="knob" aria-hidden="true"></span>"Switch off"</a>
                <a class="btn switch on" href="#on"><span class="knob" aria-hidden="true"></span>"Switch on"</a>
            </p>
            {press("/dev/gallery".to_owned(), &[], "Press", "Press once".to_owned())}
            {refused("Delete…", "Needs core_delegate_delete in acme")}
        </div>
    }
    .into_any()
}

pub(super) fn links(_: &PageRequest) -> AnyView {
    view! {
        <div class="panel sheet">
            <p>"A "<a href="/dev/gallery">"link"</a>" in a sentence, and "<a class="quietlink" href="/dev/gallery">"a quiet one"</a>"."</p>
            <nav aria-label="Tabs">
                <ul class="tabs">
                    <li><a href="/dev/gallery/links" aria-current="page">"Current"</a></li>
                    <li><a href="/dev/gallery">"Other"</a></li>
                </ul>
            </nav>
        </div>
    }
    .into_any()
}

pub(super) fn fields(_: &PageRequest) -> AnyView {
    form(Sent::never())
}

pub(super) fn wrong_fields(_: &PageRequest) -> AnyView {
    let text = |text: &str| text.to_owned();
    let outcome = FormOutcome {
        form: text("gallery"),
        errors: vec![
            (text("email"), text("Give an e-mail address, such as name@company.example.")),
            (text("days"), text("Give a whole number of days from 1 to 365.")),
        ],
        values: vec![(text("email"), text("name@")), (text("days"), text("0"))],
        secret: None,
    };
    form(Sent::of(&outcome, &["gallery"]))
}

fn form(sent: Sent<'_>) -> AnyView {
    let roles = ["Viewer", "Operator"].map(|word| (word.to_lowercase(), word.to_owned()));
    view! {
        <form class="panel sheet fields" method="get" action="/dev/gallery">
            {sent.alert()}
            {Field::new(sent, "g", "email", "E-mail").required().hint("Somebody new is added.").line("email")}
            {Field::new(sent, "g", "password", "Password").autocomplete("new-password").line("password")}
            {Field::new(sent, "g", "days", "Days").between(1, 365).or("90").line("number")}
            {Field::new(sent, "g", "role", "Role").choice(roles.into())}
            {Field::new(sent, "g", "origins", "Sites").or("https://portal.example.com").lines(3)}
            <p class="buttons"><button class="btn primary">"Send"</button></p>
        </form>
    }
    .into_any()
}

pub(super) fn choices(_: &PageRequest) -> AnyView {
    view! {
        <form class="panel sheet fields" method="get" action="/dev/gallery">
            <label class="check"><input type="checkbox" name="a"/><span>"Not chosen"</span></label>
            <label class="check"><input type="checkbox" name="b" checked/><span>"Chosen"</span></label>
            <fieldset>
                <legend>"One of these"</legend>
                <label class="radio"><input type="radio" name="c" value="1" checked/>"First"</label>
                <label class="radio"><input type="radio" name="c" value="2"/>"Second"</label>
            </fieldset>
            <label class="search">
                {icons::icon(icons::SEARCH)}
                <span class="vh">"Search"</span>
                <input type="search" name="q" placeholder="Name, tag or host"/>
            </label>
        </form>
    }
    .into_any()
}

pub(super) fn command(_: &PageRequest) -> AnyView {
    let long = "kubectl logs -n harness-delegate-ng deployment/payments-eu-west --since 10m --timestamps";
    view! {
        <div class="panel sheet">
            {command_line("rollcall scope create acme".to_owned())}
            {command_line(long.to_owned())}
        </div>
    }
    .into_any()
}

pub(super) fn secret(_: &PageRequest) -> AnyView {
    let more = view! { <p class="sub">"It is put into the header "<code>"x-api-key"</code>"."</p> };
    secret_once("API key night-shift", "example-value-that-opens-nothing", GONE, more.into_any())
}

pub(super) fn statuses(_: &PageRequest) -> AnyView {
    let standings =
        [Standing::Expired, Standing::NearExpiry, Standing::Unsupported, Standing::Active, Standing::Unknown];
    let marks = standings.into_iter().filter_map(standing).chain([
        CONNECTED,
        PARTIAL,
        NOT_CONNECTED,
        Mark { tone: "ok", icon: icons::OK, word: "On" },
        Mark { tone: "mut", icon: icons::HALF, word: "Detecting" },
        Mark { tone: "mut", icon: icons::OFF, word: "Off" },
    ]);
    let rows: Vec<_> = marks.map(|mark| view! { <li>{mark.view()}</li> }).collect();
    view! { <ul class="panel sheet" aria-label="Statuses">{rows}</ul> }.into_any()
}

pub(super) fn times(request: &PageRequest) -> AnyView {
    let now = request.now;
    let ago = |millis: i64| now.plus(-millis);
    view! {
        <ul class="panel sheet">
            <li>"Age: "{time::age(ago(8_000), now)}</li>
            <li>"Age in seconds: "{time::age_in_seconds(ago(215_000), now)}</li>
            <li>"Today: "{time::instant(now, now)}</li>
            <li>"Another day: "{time::instant(NOW, now)}</li>
        </ul>
    }
    .into_any()
}

/// The drawings of the browser, in its words.
pub(super) fn live(_: &PageRequest) -> AnyView {
    let states = [
        ("still", icons::RING, "As of 12:00:00 UTC"),
        ("live", icons::OK, "Live · 12:00:00 UTC"),
        ("paused", icons::PAUSE, "Paused · 12:00:00 UTC"),
        ("stale", icons::NEAR, "Updated 3 min ago"),
        ("offline", icons::EXPIRED, "Disconnected"),
    ];
    let chips: Vec<_> = states
        .into_iter()
        .map(|(state, icon, text)| {
            view! { <li><p class="live" data-state=state>{icons::icon(icon)}<span class="lt">{text}</span></p></li> }
        })
        .collect();
    view! { <ul class="panel sheet">{chips}</ul> }.into_any()
}
