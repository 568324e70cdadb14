//! The icons, drawn for Rollcall, as one sprite per document.

use leptos::prelude::*;

/// Octagon with a cross: expired, or something failed.
pub const EXPIRED: &str = "#i-exp";
/// Triangle with an exclamation mark: near expiry, or a warning.
pub const NEAR: &str = "#i-near";
/// Diamond with a minus: unsupported.
pub const UNSUPPORTED: &str = "#i-uns";
/// Disc with a tick: supported, connected, on.
pub const OK: &str = "#i-ok";
/// Empty ring: not connected.
pub const RING: &str = "#i-ring";
/// Ring with a question mark: unknown.
pub const UNKNOWN: &str = "#i-unk";
/// Half a disc: some of them, or not decided yet.
pub const HALF: &str = "#i-half";
/// Ring with a slash: off.
pub const OFF: &str = "#i-off";
/// Two bars: paused.
pub const PAUSE: &str = "#i-pause";
/// Arrow to the right: closed; turned by style when open.
pub const ARROW: &str = "#i-arr";
/// Three dots: a menu.
pub const DOTS: &str = "#i-dots";
/// A cross: takes something away.
pub const CROSS: &str = "#i-x";
/// A magnifying glass.
pub const SEARCH: &str = "#i-find";
/// Sliders: how the page looks.
pub const DISPLAY: &str = "#i-disp";
/// Two sheets: copy.
pub const COPY: &str = "#i-copy";
/// Layers: scopes.
pub const SCOPE: &str = "#i-scope";
/// Head and shoulders: who is signed in.
pub const PERSON: &str = "#i-who";
/// A bin: deletes.
pub const BIN: &str = "#i-bin";
/// A shield: what is not permitted.
pub const SHIELD: &str = "#i-shield";
/// Rows and columns: a table.
pub const TABLE: &str = "#i-table";
/// The mark of Rollcall.
pub const BRAND: &str = "#i-brand";
/// Kubernetes.
pub const KUBERNETES: &str = "#i-k8s";
/// Helm.
pub const HELM: &str = "#i-helm";
/// Docker.
pub const DOCKER: &str = "#i-dock";
/// Elastic Container Service.
pub const ECS: &str = "#i-ecs";
/// Shell script.
pub const SHELL: &str = "#i-sh";
/// Virtual machine.
pub const MACHINE: &str = "#i-vm";
/// A type without a drawing of its own.
pub const OTHER: &str = "#i-oth";

/// One icon of the sprite; decoration, so the words beside it carry the meaning.
#[must_use]
pub fn icon(name: &'static str) -> AnyView {
    view! { <svg class="i" width="16" height="16" aria-hidden="true"><use href=name></use></svg> }.into_any()
}

/// The drawings. Filled shapes cut their sign out in the colour of the surface, so that it also shows in
/// grey.
const SYMBOLS: &str = concat!(
    r#"<symbol id="i-exp" viewBox="0 0 16 16"><path fill="currentColor" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z"/><path class="cut" d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"/></symbol>"#,
    r#"<symbol id="i-near" viewBox="0 0 16 16"><path fill="currentColor" d="M7.1 1.7a1 1 0 0 1 1.8 0l6.3 11.5a1 1 0 0 1-.9 1.5H1.7a1 1 0 0 1-.9-1.5z"/><path class="cut" d="M8 5.6v4.2m0 1.3v1.7"/></symbol>"#,
    r#"<symbol id="i-uns" viewBox="0 0 16 16"><path fill="currentColor" d="M7.2.9a1.1 1.1 0 0 1 1.6 0l6.3 6.3a1.1 1.1 0 0 1 0 1.6l-6.3 6.3a1.1 1.1 0 0 1-1.6 0L.9 8.8a1.1 1.1 0 0 1 0-1.6z"/><path class="cut" d="M4.8 8h6.4"/></symbol>"#,
    r#"<symbol id="i-ok" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor"/><path class="cut" d="m4.8 8.2 2.2 2.2 4.2-4.6"/></symbol>"#,
    r#"<symbol id="i-ring" viewBox="0 0 16 16"><circle class="line" cx="8" cy="8" r="6"/></symbol>"#,
    r#"<symbol id="i-unk" viewBox="0 0 16 16"><circle class="thin" cx="8" cy="8" r="6.4"/><path class="thin" d="M6.1 6.3c0-2.4 3.8-2.3 3.8 0 0 1.5-1.9 1.4-1.9 3m0 1.2V12"/></symbol>"#,
    r#"<symbol id="i-half" viewBox="0 0 16 16"><circle class="line" cx="8" cy="8" r="6"/><path fill="currentColor" d="M8 2a6 6 0 0 0 0 12z"/></symbol>"#,
    r#"<symbol id="i-off" viewBox="0 0 16 16"><circle class="line" cx="8" cy="8" r="6.2"/><path class="line" d="m3.7 12.3 8.6-8.6"/></symbol>"#,
    r#"<symbol id="i-pause" viewBox="0 0 16 16"><circle class="line" cx="8" cy="8" r="6.2"/><path class="line" d="M6.3 5.4v5.2m3.4-5.2v5.2"/></symbol>"#,
    r#"<symbol id="i-arr" viewBox="0 0 16 16"><path class="line" d="m6 3.5 4.5 4.5L6 12.5"/></symbol>"#,
    r#"<symbol id="i-dots" viewBox="0 0 16 16"><g fill="currentColor"><circle cx="8" cy="3.2" r="1.4"/><circle cx="8" cy="8" r="1.4"/><circle cx="8" cy="12.8" r="1.4"/></g></symbol>"#,
    r#"<symbol id="i-x" viewBox="0 0 16 16"><path class="thin" d="m4 4 8 8m0-8-8 8"/></symbol>"#,
    r#"<symbol id="i-find" viewBox="0 0 16 16"><circle class="thin" cx="7" cy="7" r="4.6"/><path class="thin" d="m10.5 10.5 4 4"/></symbol>"#,
    r#"<symbol id="i-disp" viewBox="0 0 16 16"><path class="thin" d="M1.5 4.5h6m5 0h2m-13 7h2m5 0h6"/><circle class="thin" cx="10" cy="4.5" r="2"/><circle class="thin" cx="6" cy="11.5" r="2"/></symbol>"#,
    r#"<symbol id="i-copy" viewBox="0 0 16 16"><rect class="thin" x="5.5" y="5.5" width="8.5" height="8.5" rx="1.5"/><path class="thin" d="M3.5 10.4A1.5 1.5 0 0 1 2 9V3.5A1.5 1.5 0 0 1 3.5 2H9a1.5 1.5 0 0 1 1.4 1.5"/></symbol>"#,
    r#"<symbol id="i-scope" viewBox="0 0 16 16"><path class="thin" d="m8 1.8 6.2 3.4L8 8.6 1.8 5.2z"/><path class="thin" d="m1.8 8.6 6.2 3.5 6.2-3.5"/></symbol>"#,
    r#"<symbol id="i-who" viewBox="0 0 16 16"><circle class="thin" cx="8" cy="5.2" r="2.9"/><path class="thin" d="M2.4 14.2c.6-2.9 2.7-4.4 5.6-4.4s5 1.5 5.6 4.4"/></symbol>"#,
    r#"<symbol id="i-bin" viewBox="0 0 16 16"><path class="thin" d="M2.5 4.2h11M6 4V2.2h4V4M4 4.4l.6 9.2h6.8l.6-9.2M6.6 7v4m2.8-4v4"/></symbol>"#,
    r#"<symbol id="i-shield" viewBox="0 0 16 16"><path class="thin" d="M8 1.6 13.4 3.4v4.2c0 3.4-2.2 5.6-5.4 6.9-3.2-1.3-5.4-3.5-5.4-6.9V3.4z"/><path class="thin" d="M5.8 8h4.4"/></symbol>"#,
    r#"<symbol id="i-table" viewBox="0 0 16 16"><rect class="thin" x="1.8" y="2.6" width="12.4" height="10.8" rx="1.4"/><path class="thin" d="M1.8 6.2h12.4M1.8 9.8h12.4M6.4 6.2v7.2"/></symbol>"#,
    r#"<symbol id="i-brand" viewBox="0 0 20 20"><path class="line" d="m10 1.6 7.3 4.2v8.4L10 18.4l-7.3-4.2V5.8z"/><path class="line" d="m6.4 10.2 2.6 2.6 4.8-5.4"/></symbol>"#,
    r#"<symbol id="i-k8s" viewBox="0 0 16 16"><path class="thin" d="m8 1.4 5.2 2.5 1.3 5.6-3.6 4.5H5.1L1.5 9.5l1.3-5.6z"/><circle class="thin" cx="8" cy="8" r="1.9"/><path class="thin" d="M8 3.6v2.5m3.6 1-1.8.6m.3 3.5-1-1.6m-2.2 0-1 1.6m.3-3.5-1.8-.6"/></symbol>"#,
    r#"<symbol id="i-helm" viewBox="0 0 16 16"><circle class="thin" cx="8" cy="8" r="4.2"/><circle cx="8" cy="8" r="1.3" fill="currentColor"/><path class="thin" d="M8 1v5.8m0 2.4V15M1 8h5.8m2.4 0H15M3 3l4.2 4.2m1.6 1.6L13 13m0-10L8.8 7.2M7.2 8.8 3 13"/></symbol>"#,
    r#"<symbol id="i-dock" viewBox="0 0 16 16"><path class="thin" d="M1.4 9h13.2c-.5 3.4-2.7 5-6.4 5-3.9 0-6.3-1.6-6.8-5z"/><path class="thin" d="M3.4 8.6V6h2.8v2.6m0-2.6H9v2.6M6.2 6V3.3H9V6h2.8v2.6"/></symbol>"#,
    r#"<symbol id="i-ecs" viewBox="0 0 16 16"><path class="thin" d="m8 1.6 5.6 3.2v6.4L8 14.4l-5.6-3.2V4.8z"/><path class="thin" d="M2.4 4.8 8 8l5.6-3.2M8 8v6.4"/></symbol>"#,
    r#"<symbol id="i-sh" viewBox="0 0 16 16"><rect class="thin" x="1.4" y="2.4" width="13.2" height="11.2" rx="1.8"/><path class="thin" d="m4.2 5.8 2.6 2.3-2.6 2.3m4 .4h3.6"/></symbol>"#,
    r#"<symbol id="i-vm" viewBox="0 0 16 16"><rect class="thin" x="1.6" y="2.2" width="12.8" height="5" rx="1.2"/><rect class="thin" x="1.6" y="8.8" width="12.8" height="5" rx="1.2"/><path class="thin" d="M4.2 4.7h.1m-.1 6.6h.1m3-6.6h4.4M7.3 11.3h4.4"/></symbol>"#,
    r#"<symbol id="i-oth" viewBox="0 0 16 16"><path class="thin" d="M8 1.5 14 5v6l-6 3.5L2 11V5z"/><circle cx="8" cy="8" r="1.6" fill="currentColor"/></symbol>"#,
);

/// The drawings of every icon; once per document, before the first use.
#[component]
pub fn Sprite() -> impl IntoView {
    view! { <svg class="sprite" width="0" height="0" aria-hidden="true" inner_html=SYMBOLS></svg> }
}
