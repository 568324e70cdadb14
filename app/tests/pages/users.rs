//! The Users page.

use crate::common::*;
use crate::fake::*;
use app::port::access::{Assignment, People, Person, Role};
use fleet::access::{BuiltIn, Permission, Reach, Resources};
use fleet::time::DAY;

const PAGE: &str = "/a/acme/o/payments/users";

fn assignment(id: &str, role: &str, at: &str, removable: bool) -> Assignment {
    Assignment {
        id: id.into(),
        reach: Reach::Scope(scope(at)),
        role: role.into(),
        resources: Resources::All,
        external: false,
        removable,
    }
}

fn person(id: &str, email: &str) -> Person {
    Person {
        id: id.into(),
        email: email.into(),
        name: "".into(),
        disabled: false,
        external: false,
        service: false,
        last_sign_in: Some(NOW.plus(-DAY)),
        assignments: vec![
            assignment("a1", "Viewer", "acme", false),
            assignment("a2", "Operator", "acme/payments", true),
        ],
        manage: Ok(()),
    }
}

fn role(id: &str, name: &str, at: Option<&str>) -> Role {
    Role {
        id: id.into(),
        name: name.into(),
        scope: at.map(scope),
        permissions: [Permission::DelegateView].into_iter().collect(),
        assignments: 0,
    }
}

fn fake(people: Vec<Person>) -> Fake {
    let roles = vec![role("admin", "Admin", None), role("r7", "Night shift", Some("acme"))];
    Fake { people: People { people, roles }, ..Fake::default() }
}

#[tokio::test]
async fn a_row_tells_roles_and_takes_them_away() {
    let html = fake(vec![person("u2", "uri@example.com")]).open(PAGE).await;
    let table = part(&html, "<table class=\"data\"", "</table>");
    let text = words(table);
    assert!(text.contains("uri@example.com Viewer in acme Operator in acme/payments Remove"), "{text}");
    assert!(form(table, &format!("{PAGE}/u2/assignments/a2/remove")).contains("method=\"post\""));
    assert!(!table.contains("assignments/a1/remove"), "what another scope gave is not taken away here");
    for action in ["disable", "sign-out"] {
        assert!(form(table, &format!("{PAGE}/u2/{action}")).contains("method=\"post\""));
    }
    assert!(!table.contains("/enable"));
}

#[tokio::test]
async fn nobody_shuts_out_themselves() {
    let html = fake(vec![person("u1", "alex@example.com")]).open(PAGE).await;
    assert!(words(&html).contains("alex@example.com You"));
    assert!(!html.contains("/u1/disable"));
}

#[tokio::test]
async fn what_cannot_be_done_to_somebody_says_why() {
    let manage = Err("root@example.com has roles that you do not manage".to_owned());
    let html = fake(vec![Person { manage, ..person("u9", "root@example.com") }]).open(PAGE).await;
    let refused = part(&html, "<div class=\"refused\"", "</div>");
    assert!(refused.contains("aria-disabled=\"true\""), "{refused}");
    assert!(
        words(refused).ends_with("Disable root@example.com has roles that you do not manage"),
        "{refused}"
    );
    assert!(!html.contains("/u9/disable") && !html.contains("/u9/sign-out"));
}

#[tokio::test]
async fn kinds_of_people_are_told_apart() {
    let narrowed = Assignment {
        resources: Resources::Named(["_edge_a".into()].into()),
        external: true,
        ..assignment("a3", "Viewer", "acme", false)
    };
    let people = vec![
        Person { disabled: true, external: true, ..person("u3", "off@example.com") },
        Person { service: true, assignments: vec![narrowed], ..person("u4", "<i>bot</i>") },
    ];
    let html = fake(people).open(PAGE).await;
    let text = words(&html);
    assert!(text.contains("off@example.com Disabled SSO"), "{text}");
    assert!(
        text.contains("&lt;i&gt;bot&lt;/i&gt; Service account Viewer in acme for _edge_a From SSO"),
        "{text}"
    );
    assert!(html.contains(&format!("action=\"{PAGE}/u3/enable\"")));
    assert!(!html.contains("/u4/sign-out"), "a service account has no sign-in");
    assert!(!html.contains("<i>bot"));
}

#[tokio::test]
async fn the_form_gives_a_role() {
    let html = fake(Vec::new()).open(PAGE).await;
    assert!(words(&html).contains("Nobody has a role in acme/payments."));
    let form = form(&html, PAGE);
    assert_eq!(fields(form), ["email", "name", "password", "role", "resources"]);
    assert_eq!(attribute(control(form, "password"), "autocomplete"), Some("new-password"));
    assert!(form.contains("<option value=\"admin\"") && form.contains("<option value=\"r7@acme\""), "{form}");
}

#[tokio::test]
async fn a_mistake_keeps_everything_but_the_password() {
    let values =
        [("email", "uri@"), ("role", "r7@acme"), ("resources", "_a,_b"), ("password", "hunter2hunter2")];
    let html = fake(Vec::new()).sent(PAGE, failure("users", "email", "This is no e-mail.", &values)).await;
    assert_wrong(&html, "email", "This is no e-mail.");
    assert_eq!(attribute(control(&html, "email"), "value"), Some("uri@"));
    assert_eq!(attribute(control(&html, "resources"), "value"), Some("_a,_b"));
    assert!(html.contains("<option value=\"r7@acme\" selected"), "{html}");
    assert!(!html.contains("hunter2"));
    let (status, _) = Fake { denied: Some("Needs core_user_manage".to_owned()), ..Fake::default() }
        .open_as(request_of(BuiltIn::Operator, "acme"), PAGE)
        .await;
    assert_eq!(status, 403);
}
