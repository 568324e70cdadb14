//! What another site shows in a frame: cards and list, read only, nothing of the viewer (`product 15.2`).

use fleet::summary::Counts;
use leptos::prelude::*;

use crate::components::cards::cards;
use crate::components::figures::figures;
use crate::components::icons;
use crate::components::list::{Listing, list};
use crate::components::page_title::page_title;
use crate::components::pager::pager;
use crate::components::time;
use crate::components::toolbar::shown;
use crate::context::PageRequest;
use crate::embed::Embed;
use crate::pages::Asked;
use crate::port::{Overview, PortError};
use crate::words;

/// Draws the page that the server found for a key.
#[component]
pub fn EmbedPage() -> impl IntoView {
    let asked = Asked::from_context();
    let page = Suspend::new(async move {
        let found = match (&asked.request.embed, &asked.port) {
            (Some(embed), Some(port)) => match port.overview(&embed.scope, &embed.query).await {
                Ok(overview) => Ok((embed.clone(), overview)),
                Err(error) => Err(error),
            },
            _ => Err(PortError::NotReady),
        };
        provide_context(asked.request.clone());
        match found {
            Ok((embed, overview)) => view! { <EmbedView embed=(*embed).clone() overview/> }.into_any(),
            Err(error) => {
                asked.status.set(if error == PortError::NotReady { 503 } else { 404 });
                view! { <main id="main"><h1>"Delegates"</h1><p>"There is nothing to show for now."</p></main> }
                    .into_any()
            }
        }
    });
    view! { <Suspense>{page}</Suspense> }
}

/// The page itself.
#[component]
pub fn EmbedView(
    /// What the key and the address ask for.
    embed: Embed,
    /// The figures.
    overview: Overview,
) -> impl IntoView {
    let Overview { snapshot, selection, notes, .. } = overview;
    let part = use_context::<PageRequest>().unwrap_or_default().part;
    let listing = Listing {
        shown: embed.look.columns,
        ..Listing::new(&snapshot, &embed.query, &notes.policy, &embed.path, None)
    };
    let rows = if selection.rows.is_empty() {
        view! { <div class="panel blank" data-key="blank"><p>"No delegate matches."</p></div> }.into_any()
    } else {
        let pager = pager(&listing, &selection, selection.groups, "groups");
        view! { <div class="panel" data-key="list">{list(&listing, &selection)}{pager}</div> }.into_any()
    };
    let page = view! {
        <div
            class="page"
            data-live="page"
            data-feed=embed.feed.clone()
            data-as-of=snapshot.as_of.millis().to_string()
        >
            {cards(&listing, &Counts::default())}
            <div class="bar" data-key="bar">
                {figures(&listing)}
                <span class="grow"></span>
                <p role="status" class="sub num" id="shown" data-key="shown">{shown(&listing, &selection)}</p>
            </div>
            {rows}
        </div>
    };
    let title = page_title(&format!("Delegates · {}", snapshot.scope.name()));
    if part {
        return view! { {title}{page} }.into_any();
    }
    let as_of = snapshot.as_of;
    view! {
        {title}
        <main id="main" class="embed" data-embed=embed.sites.join(" ")>
            <div class="head">
                <h1>"Delegates"</h1>
                <p class="sub">{format!("of {}", snapshot.scope)}</p>
                <span class="grow"></span>
                <p class="live" id="live" data-state="still">
                    {icons::icon(icons::RING)}
                    <span class="lt">
                        "As of "<time datetime=time::machine(as_of)>{words::clock(as_of.millis())}</time>
                    </span>
                </p>
                <a class="btn" href=embed.home.clone() target="_blank" rel="noopener noreferrer">"Open in Rollcall"</a>
            </div>
            <div id="note" role="status"></div>
            {page}
        </main>
        <div id="say" class="vh" role="status"></div>
    }
    .into_any()
}
