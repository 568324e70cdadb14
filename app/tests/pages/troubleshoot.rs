//! The troubleshooter: what is known, the question, and where each answer leads (`product 17`).

use app::pages::trouble::Trouble;
use app::pages::troubleshoot::{Plan, TroubleshootView, TroubleshootViewProps, Wanted};
use app::port::explain::Dossier;
use fleet::access::BuiltIn;
use fleet::delegate::DelegateType;
use fleet::time::{HOUR, MINUTE};
use fleet::troubleshoot::{Attempt, Platform, Refused, TokenState, guide};

use crate::common::*;
use crate::explain::dossier;

fn wanted(step: &str, via: &str) -> Wanted {
    let step = Some(step.to_owned()).filter(|step| !step.is_empty());
    Wanted { step, via: via.to_owned(), ..Wanted::default() }
}

fn show(dossier: Dossier, of_group: bool, wanted: &Wanted) -> String {
    let plan = Plan::new(&dossier, of_group, wanted).expect("a step");
    let mut request = request_of(BuiltIn::Viewer, "acme");
    "https://rollcall.example.com".clone_into(&mut request.origin);
    html(request, || TroubleshootView(TroubleshootViewProps { dossier, plan, scopes: scopes() }))
}

fn lost() -> Group {
    Group::new("edge-a").tags(&["namespace:ops"]).instance("edge-a-5f7d9c6b8-x2kqp", OLD, 7_200)
}

#[test]
fn it_begins_with_what_is_known() {
    let mut known = dossier(lost());
    known.token = Some(TokenState {
        name: "edge".into(),
        active: false,
        revoked_at: Some(NOW.plus(-HOUR)),
        last_used: None,
    });
    let html = show(known, true, &wanted("", ""));
    let told = words(part(&html, "<section aria-labelledby=\"known\"", "</section>"));
    for text in [
        "Connectivity Not connected, 0 of 1",
        "Last heartbeat 10:00:00 UTC",
        "Last version 26.09.89620",
        "End of support 2027-02-28",
        "Transport Polling",
        "Token edge, revoked",
        "Namespace ops",
        "Hosts edge-a-5f7d9c6b8-x2kqp",
        "Likely cause Its token edge was revoked: whoever holds it is shut out. What to do",
    ] {
        assert!(told.contains(text), "{text}\n{told}");
    }
    assert!(
        html.contains("href=\"/a/acme/delegates/_edge_a/troubleshoot?step=token-revoked&amp;via=pod\""),
        "{html}"
    );
}

#[test]
fn each_answer_is_a_link_that_remembers_the_way() {
    let html = show(dossier(lost()), true, &wanted("log", "pod.events.nonsense.pod"));
    assert!(
        html.contains("href=\"/a/acme/delegates/_edge_a/troubleshoot?step=clock&amp;via=pod.events.log\""),
        "{html}"
    );
    assert!(
        html.contains("href=\"/a/acme/delegates/_edge_a/troubleshoot?step=events&amp;via=pod\""),
        "back, and in the list of steps"
    );
    assert!(
        words(&html).contains("kubectl logs --namespace=ops --selector=harness.io/name=edge-a --tail=200")
    );
    assert!(words(&html).contains("kubectl logs --namespace=ops --tail=200 pod/edge-a-5f7d9c6b8-x2kqp"));
    assert!(html.contains("aria-current=\"step\""));
}

#[test]
fn a_finding_says_what_to_do_and_leads_to_the_wait() {
    let html = show(dossier(lost()), true, &wanted("certificate", "pod.log"));
    assert!(html.contains("href=\"/help/certificates\""));
    assert!(words(&html).contains("What to do Put the authority"), "{}", words(&html));
    assert!(html.contains("step=done&amp;via=pod.log.certificate"));
    let waiting = show(dossier(lost()), true, &wanted("done", ""));
    let text = words(&waiting);
    assert!(text.contains("Waiting for it to come back. Last heartbeat: 10:00:00 UTC"), "{text}");
    assert!(waiting.contains("data-key=\"waiting\""));
    let back = show(dossier(Group::new("edge-a").instance("edge-a-1", LATEST, 4)), true, &wanted("done", ""));
    assert!(words(&back).contains("Connected Its heartbeats arrive: all is well."));
}

#[test]
fn calls_that_were_turned_away_are_shown_without_anything_secret() {
    let mut known = dossier(lost());
    let call = |refused, address: Option<&str>| Attempt {
        refused,
        address: address.map(Into::into),
        at: NOW.plus(-MINUTE),
        count: 12,
        token: None,
    };
    known.attempts = vec![call(Refused::TokenUnknown, Some("192.0.2.9")), call(Refused::OutOfDate, None)];
    let html = show(known, true, &wanted("seen", ""));
    let table = words(part(&html, "<table class=\"data\">", "</table>"));
    assert!(
        table.contains("INVALID_TOKEN the token is not one of this account 11:59:00 UTC 12 192.0.2.9"),
        "{table}"
    );
    assert!(table.contains("EXPIRED_TOKEN the credential was out of date 11:59:00 UTC 12 only told to those who see the whole account"));
    let report = part(&html, "<textarea", "</textarea>");
    assert!(
        report
            .contains("Turned away: INVALID_TOKEN, 12 times, newest 2026-11-20 11:59:00 UTC from 192.0.2.9"),
        "{report}"
    );
}

#[test]
fn the_report_tells_what_is_known_and_the_way() {
    let html = show(dossier(lost()), true, &wanted("log", "pod"));
    let report = part(&html, "<textarea", "</textarea>");
    for line in [
        "As of: 2026-11-20 12:00:00 UTC",
        "Delegate: edge-a (_edge_a) of acme",
        "Step 1: Is the pod there?",
        "Step 2: What does the log say?",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    assert!(html.contains("data-copy=\"Rollcall troubleshooter"));
}

#[test]
fn the_way_is_that_of_the_type() {
    let first = |kind: DelegateType| {
        let group = lost().with(|facts| facts.kind = kind);
        words(part(&show(dossier(group), true, &wanted("", "")), "<h2 id=\"step\">", "</h2>"))
    };
    assert_eq!(first(DelegateType::Helm), "Is the pod there?");
    assert_eq!(first(DelegateType::Docker), "Does the container run?");
    assert_eq!(first(DelegateType::Shell), "Does the process run?");
    assert_eq!(first(DelegateType::Ecs), "What is wrong?");
}

#[test]
fn only_kubernetes_rows_have_the_item_but_whatever_is_lost_has_the_link() {
    let row = |kind: DelegateType, age: i64| {
        let group = Group::new("edge-a").with(|facts| facts.kind = kind).instance("edge-a-1", LATEST, age);
        page("", vec![group])
    };
    for kind in [DelegateType::Kubernetes, DelegateType::Helm, DelegateType::CeKubernetes] {
        assert!(row(kind, 5).contains(">Open troubleshooter</a>"));
    }
    for kind in [DelegateType::Docker, DelegateType::Ecs, DelegateType::Shell] {
        assert!(!row(kind.clone(), 5).contains("Open troubleshooter"));
        assert!(row(kind, 301).contains("aria-label=\"Troubleshoot edge-a\""));
    }
    assert!(!row(DelegateType::Docker, 5).contains("aria-label=\"Troubleshoot edge-a\""));
}

#[test]
fn one_that_never_appeared_is_looked_for_by_platform() {
    let asked = Wanted { platform: Some("docker".to_owned()), ..Wanted::default() };
    let html = show(dossier(lost()), false, &asked);
    assert!(words(&html).contains("A delegate does not appear"));
    assert!(words(&html).contains("Waiting for the first heartbeat."));
    assert!(
        html.contains("href=\"/a/acme/troubleshoot?type=docker&amp;step=log&amp;via=container\""),
        "{html}"
    );
    assert!(html.contains("href=\"/a/acme/troubleshoot?type=ecs\""));
    let new = lost().with(|facts| facts.first_seen = NOW.plus(-5 * MINUTE));
    let html = show(dossier(new), false, &asked);
    assert!(words(&html).contains("For the first time in the past hour: edge-a"), "{}", words(&html));
}

#[test]
fn what_is_no_step_is_refused_by_name() {
    let known = dossier(lost());
    let field = |wanted: &Wanted, of_group| match Plan::new(&known, of_group, wanted) {
        Err(Trouble::BadParameter { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(&wanted("nonsense", ""), true), "step");
    assert_eq!(field(&Wanted { platform: Some("nomad".to_owned()), ..Wanted::default() }, false), "type");
}

#[test]
fn common_problems_stand_on_the_other_tab() {
    let html = show(dossier(lost()), true, &Wanted { problems: true, ..Wanted::default() });
    for text in [
        "The requirements are not met",
        "It does not run",
        "Permissions are missing",
        "Auto-upgrade is off although the job runs",
    ] {
        assert!(words(&html).contains(text), "{text}");
    }
    assert!(
        html.contains("href=\"/a/acme/delegates/_edge_a/troubleshoot?step=pod\""),
        "the way back to the questions"
    );
}

#[test]
fn hostile_names_stay_text_and_words() {
    let hostile = "x'; id; '<script>alert(1)</script>";
    let group = Group::new(hostile).instance(hostile, OLD, 7_200);
    let html = show(dossier(group), true, &wanted("log", ""));
    assert!(!html.contains("<script>alert"));
    assert!(
        html.contains("harness.io/name='x'\\''; id; '\\''&lt;script&gt;alert(1)&lt;/script&gt;'"),
        "{html}"
    );
}

#[test]
fn every_step_can_be_drawn() {
    for platform in Platform::ALL {
        for step in guide(platform).steps() {
            let asked = Wanted {
                platform: Some(platform.as_str().to_owned()),
                step: Some(step.id.to_owned()),
                ..Wanted::default()
            };
            let html = show(dossier(lost()), false, &asked);
            assert!(html.contains(step.title), "{platform:?}: {}", step.id);
        }
    }
}

#[test]
fn a_name_never_ends_the_report() {
    let hostile = "</textarea><b>";
    let html = show(dossier(Group::new(hostile).instance(hostile, OLD, 7_200)), true, &wanted("", ""));
    assert_eq!(html.matches("</textarea>").count(), 1, "{html}");
    assert!(!html.contains("<b>\n") && !html.contains("<b> ("), "{html}");
}
