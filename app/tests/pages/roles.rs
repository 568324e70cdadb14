//! The Roles page (`product 2.4`, P2).

use crate::common::*;
use crate::fake::*;
use app::port::access::Role;
use fleet::access::{BuiltIn, Permission};

const PAGE: &str = "/a/acme/roles";

fn role(id: &str, name: &str, at: Option<&str>, assignments: u64) -> Role {
    let permissions = BuiltIn::parse(id).map_or_else(
        || [Permission::DelegateView, Permission::DelegateEdit].into_iter().collect(),
        BuiltIn::permissions,
    );
    Role { id: id.into(), name: name.into(), scope: at.map(scope), permissions, assignments }
}

fn fake() -> Fake {
    let roles = vec![role("viewer", "Viewer", None, 4), role("r7", "Night <shift>", Some("acme"), 0)];
    Fake { roles, ..Fake::default() }
}

#[tokio::test]
async fn view_cannot_be_switched_off() {
    let html = fake().open(PAGE).await;
    for action in [PAGE.to_owned(), format!("{PAGE}/r7")] {
        let form = form(&html, &action);
        let view = part(form, "value=\"core_delegate_view\"", ">");
        assert!(view.contains(" checked") && view.contains(" disabled"), "{view}");
        assert!(words(form).contains("Always on: whoever has any role in a scope sees its delegates."));
        assert_eq!(form.matches("type=\"checkbox\"").count(), Permission::ALL.len());
        assert!(form.contains("name=\"name\"") && form.contains("name=\"permission\""));
    }
    let own = form(&html, "/a/acme/roles/r7");
    assert!(part(own, "value=\"core_delegate_edit\"", ">").contains(" checked"));
    assert!(!part(own, "value=\"core_delegate_delete\"", ">").contains(" checked"));
}

#[tokio::test]
async fn only_own_roles_can_be_changed() {
    let above = role("r9", "Above", Some("acme"), 0);
    let fake = Fake { roles: vec![role("admin", "Admin", None, 1), above], ..Fake::default() };
    let html = fake.open("/a/acme/o/payments/roles").await;
    assert!(!html.contains("roles/admin") && !html.contains("roles/r9"), "{html}");
    assert!(words(&html).contains("Above from acme"));
    assert!(html.contains("href=\"/a/acme/roles\""), "the way to where it can be changed");
}

#[tokio::test]
async fn a_role_in_use_cannot_be_deleted() {
    let html = fake().open(PAGE).await;
    assert!(form(&html, "/a/acme/roles/r7/delete").contains("method=\"post\""));
    let used = Fake { roles: vec![role("r7", "Night", Some("acme"), 2)], ..Fake::default() };
    let html = used.open(PAGE).await;
    assert!(!html.contains("r7/delete"));
    assert!(html.contains("Delete role Night. Somebody still has this role."));
    assert!(words(&html).contains("2 assignments"));
}

#[tokio::test]
async fn a_mistake_opens_the_form_it_was_made_in() {
    let values = [
        ("id", "r7"),
        ("name", "viewer"),
        ("permission", "core_audit_view"),
        ("permission", "core_delegate_delete"),
    ];
    let html = fake().sent(PAGE, failure("change", "name", "This name is taken.", &values)).await;
    let own = form(&html, "/a/acme/roles/r7");
    assert_wrong(own, "name", "This name is taken.");
    assert!(part(own, "value=\"core_audit_view\"", ">").contains(" checked"));
    assert!(
        !part(own, "value=\"core_delegate_edit\"", ">").contains(" checked"),
        "what was sent, not what is stored"
    );
    assert!(!form(&html, PAGE).contains("aria-invalid"));
    assert!(!html.contains("<shift>") && html.contains("Night &lt;shift&gt;"));
}

#[tokio::test]
async fn a_mistake_in_a_role_that_has_gone_is_told_above() {
    let outcome = failure("change", "", "There is no such role.", &[("id", "r8"), ("name", "Night")]);
    let html = fake().sent(PAGE, outcome).await;
    assert!(words(part(&html, "role=\"alert\"", "</div>")).contains("There is no such role."));
    assert!(!html.contains("aria-invalid"));
}
