//! Says that many instances were lost at once (`product 3.8`).

use fleet::history::SLOT;
use fleet::loss::MassLoss;
use fleet::query::Filter;
use fleet::time::Timestamp;
use leptos::prelude::*;

use crate::components::list::Listing;
use crate::components::{icons, links};
use crate::words;

/// One banner in place of many alarms; nothing where nothing of the kind happened.
#[must_use]
pub fn mass_loss(loss: Option<&MassLoss>, listing: &Listing<'_>) -> Option<AnyView> {
    let loss = loss?;
    let what = format!(
        "{} of {} connected instances were lost within a minute at {}. ",
        words::number(loss.lost),
        words::number(loss.connected),
        words::clock_minute(loss.at.millis()),
    );
    let back = match loss.back {
        0 => "None of them is back yet.".to_owned(),
        1 => "1 of them is back.".to_owned(),
        back => format!("{} of them are back.", words::number(back)),
    };
    let start = loss.until.millis().div_euclid(SLOT) * SLOT;
    let silent = Filter { silent: Some(Timestamp::from_millis(start)), ..Filter::default() };
    let query = links::changed(listing.query, |query| {
        query.filter = silent;
        query.open.clear();
    });
    let href = links::href(listing.path, &query);
    Some(
        view! {
            <div class="banner danger" role="status" data-key="loss">
                {icons::icon(icons::EXPIRED)}
                <p>
                    <b>{what}</b>
                    "When so many go silent together, the cause is mostly a network and not the delegates. Look first at \
                     the way to this server itself: its network, proxy and certificate. Delegates keep trying and often \
                     come back by themselves. " {back}
                </p>
                <a href=href data-nav>"Show who was silent then"</a>
            </div>
        }
        .into_any(),
    )
}
