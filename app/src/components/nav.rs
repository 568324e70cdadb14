//! The pages of a scope, as far as the viewer may open them.

use fleet::access::{Denial, Permission};
use fleet::scope::{Level, Scope};
use leptos::prelude::*;

use crate::components::icons;
use crate::context::Viewer;

/// A page of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// `/delegates` and what lies below it.
    Delegates,
    /// `/tokens`.
    Tokens,
    /// `/audit`.
    Audit,
    /// `/users`.
    Users,
    /// `/roles`.
    Roles,
    /// `/settings`.
    Settings,
    /// `/embeds`.
    Embeds,
    /// `/mirrors`, of accounts alone.
    Mirrors,
}

impl Area {
    const MANAGE: [Self; 5] = [Self::Users, Self::Roles, Self::Settings, Self::Embeds, Self::Mirrors];

    /// What people call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Delegates => "Delegates",
            Self::Tokens => "Tokens",
            Self::Audit => "Audit log",
            Self::Users => "Users",
            Self::Roles => "Roles",
            Self::Settings => "Settings",
            Self::Embeds => "Embeds",
            Self::Mirrors => "Mirrors",
        }
    }

    /// The page of a scope that an address belongs to; the Delegates page if none does.
    #[must_use]
    pub fn of(uri: &str, scope: &Scope) -> Self {
        let rest =
            uri.strip_prefix(&*scope.path()).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
        let segment = rest.split(['/', '?']).next().unwrap_or_default();
        let known = [Self::Tokens, Self::Audit].into_iter().chain(Self::MANAGE);
        known.into_iter().find(|area| area.segment() == segment).unwrap_or(Self::Delegates)
    }

    const fn segment(self) -> &'static str {
        match self {
            Self::Delegates => "delegates",
            Self::Tokens => "tokens",
            Self::Audit => "audit",
            Self::Users => "users",
            Self::Roles => "roles",
            Self::Settings => "settings",
            Self::Embeds => "embeds",
            Self::Mirrors => "mirrors",
        }
    }

    /// The keys that lead to it.
    const fn key(self) -> Option<&'static str> {
        match self {
            Self::Delegates => Some("gd"),
            Self::Tokens => Some("gt"),
            Self::Audit => Some("ga"),
            Self::Users | Self::Roles | Self::Settings | Self::Embeds | Self::Mirrors => None,
        }
    }

    /// Its path in a scope.
    #[must_use]
    pub fn path(self, scope: &Scope) -> String {
        format!("{}/{}", scope.path(), self.segment())
    }

    /// Whether a scope has it.
    #[must_use]
    pub fn is_in(self, scope: &Scope) -> bool {
        self != Self::Mirrors || scope.level() == Level::Account
    }

    /// What it takes to open it.
    #[must_use]
    pub const fn needs(self) -> Permission {
        match self {
            Self::Delegates | Self::Tokens => Permission::DelegateView,
            Self::Audit => Permission::AuditView,
            Self::Users => Permission::UserManage,
            Self::Roles => Permission::RoleManage,
            Self::Settings | Self::Mirrors => Permission::SettingManage,
            Self::Embeds => Permission::EmbedManage,
        }
    }
}

/// The links, and the menu of what only some may open. That shows what is denied too, with the reason.
///
/// Nothing in a scope that is closed to the viewer.
#[must_use]
pub fn nav(viewer: &Viewer, scope: &Scope, here: Area) -> Option<AnyView> {
    let decide = |area: Area| viewer.grants.decide(area.needs(), scope, None);
    decide(Area::Delegates).ok()?;
    let links: Vec<_> = [Area::Delegates, Area::Tokens, Area::Audit]
        .into_iter()
        .filter(|area| decide(*area).is_ok())
        .map(|area| view! { <li>{link(area, scope, here)}</li> })
        .collect();
    let managed: Vec<_> = Area::MANAGE
        .into_iter()
        .filter(|area| area.is_in(scope))
        .map(|area| match decide(area) {
            Ok(()) => view! { <li>{link(area, scope, here)}</li> }.into_any(),
            Err(denial) => view! { <li>{denied(area, &denial)}</li> }.into_any(),
        })
        .collect();
    let inside = Area::MANAGE.contains(&here);
    let class = if inside { "navlink on" } else { "navlink" };
    Some(
        view! {
            <nav class="nav" aria-label="Pages">
                <ul>
                    {links}
                    <li>
                        <button type="button" class=class popovertarget="manage">
                            "Manage"<span class="turn">{icons::icon(icons::ARROW)}</span>
                        </button>
                        <div popover id="manage" class="menu manage"><ul>{managed}</ul></div>
                    </li>
                </ul>
            </nav>
        }
        .into_any(),
    )
}

fn link(area: Area, scope: &Scope, here: Area) -> AnyView {
    let current = (area == here).then_some("page");
    view! {
        <a class="navlink" href=area.path(scope) aria-current=current data-press=area.key()>{area.word()}</a>
    }
    .into_any()
}

fn denied(area: Area, denial: &Denial) -> AnyView {
    view! {
        <span class="navlink off" role="link" aria-disabled="true" tabindex="0">
            {area.word()}
            <span class="sub">{denial.to_string()}</span>
        </span>
    }
    .into_any()
}
