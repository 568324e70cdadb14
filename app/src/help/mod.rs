//! The help pages (`product 11.8`): short texts in own words, as data.

mod basics;
mod operating;
mod reference;
mod table;
mod trust;

use leptos::prelude::*;

pub use operating::PORTS;
pub use reference::{COMPARED, EFS, LOGS, NETWORK, ROLE, SECURITY, VOLUMES, WHERE_SET};
pub use table::{sizes, table};

/// One page.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// Its address below `/help/`.
    pub slug: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What it answers, in one sentence.
    pub summary: &'static str,
    /// Its content in order.
    pub blocks: &'static [Block],
}

/// A piece of a page. Words between backquotes are code.
#[derive(Clone, Copy, Debug)]
pub enum Block {
    /// A heading with an id for addresses.
    Heading(&'static str, &'static str),
    /// A paragraph.
    Text(&'static str),
    /// A list.
    List(&'static [&'static str]),
    /// A list in an order.
    Steps(&'static [&'static str]),
    /// A table: caption, column heads, rows that begin with their head.
    Table(&'static str, &'static [&'static str], &'static [&'static [&'static str]]),
    /// The size classes.
    Sizes,
    /// Links to own pages: words and address.
    Links(&'static [(&'static str, &'static str)]),
    /// The two components.
    Picture,
}

/// Every page in the order of the overview.
pub const TOPICS: &[&[Topic]] = &[basics::TOPICS, operating::TOPICS, trust::TOPICS, reference::TOPICS];

/// Every page.
pub fn topics() -> impl Iterator<Item = &'static Topic> {
    TOPICS.iter().copied().flatten()
}

/// The page of this address.
#[must_use]
pub fn topic(slug: &str) -> Option<&'static Topic> {
    topics().find(|topic| topic.slug == slug)
}

/// The heading of a page; its address where there is none.
#[must_use]
pub fn title(slug: &'static str) -> &'static str {
    topic(slug).map_or(slug, |topic| topic.title)
}

/// Links to pages that belong to what is on screen.
#[must_use]
pub fn related(slugs: &[&'static str]) -> AnyView {
    let items: Vec<_> = slugs
        .iter()
        .map(|slug| view! { <li><a href=format!("/help/{slug}")>{title(slug)}</a></li> })
        .collect();
    view! { <nav class="related" aria-label="Help" data-key="related"><ul class="ways">{items}</ul></nav> }
        .into_any()
}

/// The content of a page.
#[must_use]
pub fn content(topic: &'static Topic) -> AnyView {
    blocks("table", topic.blocks)
}

/// Pieces of a page in order; the ids of their tables begin with `prefix`.
#[must_use]
pub fn blocks(prefix: &str, blocks: &[Block]) -> AnyView {
    let drawn = blocks.iter().enumerate().map(|(place, block)| draw(*block, format!("{prefix}-{place}")));
    drawn.collect::<Vec<_>>().into_any()
}

fn draw(block: Block, id: String) -> AnyView {
    match block {
        Block::Heading(id, text) => view! { <h2 id=id>{text}</h2> }.into_any(),
        Block::Text(text) => view! { <p>{words(text)}</p> }.into_any(),
        Block::List(items) => view! { <ul>{lines(items)}</ul> }.into_any(),
        Block::Steps(items) => view! { <ol>{lines(items)}</ol> }.into_any(),
        Block::Table(caption, heads, rows) => table(id, caption, heads, rows),
        Block::Sizes => sizes(id),
        Block::Links(links) => {
            let items: Vec<_> =
                links.iter().map(|(word, href)| view! { <li><a href=*href>{*word}</a></li> }).collect();
            view! { <ul>{items}</ul> }.into_any()
        }
        Block::Picture => picture(),
    }
}

/// Text with code between backquotes.
fn words(text: &str) -> AnyView {
    text.split('`')
        .enumerate()
        .map(|(place, part)| match place % 2 {
            0 => part.to_owned().into_any(),
            _ => view! { <code>{part.to_owned()}</code> }.into_any(),
        })
        .collect::<Vec<_>>()
        .into_any()
}

fn lines(items: &'static [&'static str]) -> Vec<AnyView> {
    items.iter().map(|text| view! { <li>{words(text)}</li> }.into_any()).collect()
}

/// Manager and delegate (`features 29`), drawn, with the same in words.
fn picture() -> AnyView {
    view! {
        <figure class="picture">
            <svg
                viewBox="0 0 640 200"
                role="img"
                aria-label="Two components. On the left, in your network, a delegate beside your clusters, clouds and repositories. On the right the manager, here Rollcall. Every arrow starts at the delegate: it reaches your systems inside and calls the manager outside by HTTPS or secure WebSocket. Nothing calls the delegate."
            >
                <rect class="zone" x="4" y="4" width="392" height="192" rx="10"/>
                <rect class="box" x="24" y="64" width="140" height="72" rx="6"/>
                <rect class="box strong" x="236" y="64" width="140" height="72" rx="6"/>
                <rect class="box" x="490" y="64" width="140" height="72" rx="6"/>
                <path class="line" d="M236 100 H176 M184 94 L174 100 L184 106"/>
                <path class="line" d="M376 100 H478 M470 94 L480 100 L470 106"/>
                <text x="24" y="32">"Your network"</text>
                <text class="mid" x="94" y="96">"Clusters, clouds,"</text>
                <text class="mid" x="94" y="114">"repositories"</text>
                <text class="mid" x="306" y="105">"Delegate"</text>
                <text class="mid" x="560" y="96">"Manager"</text>
                <text class="mid" x="560" y="114">"(Rollcall)"</text>
                <text class="mid" x="436" y="84">"HTTPS, WSS"</text>
            </svg>
            <figcaption>
                "The delegate does all work in your network and calls out. Rollcall takes the manager's place for \
                 registration, heartbeats and health, and hands out no work."
            </figcaption>
        </figure>
    }
    .into_any()
}
