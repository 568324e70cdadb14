//! The page for a new delegate (`product 11.7`), and the ways to it (`product 11.1`).

use crate::common::*;
use crate::fake::*;
use app::context::{FormOutcome, PageRequest};
use app::pages::delegates::{DelegatesView, DelegatesViewProps};
use app::pages::new_delegate::{NewDelegateView, NewDelegateViewProps};
use fleet::access::BuiltIn;
use fleet::install::Choice;
use fleet::time::MINUTE;

const PAGE: &str = "/a/acme/new";
const OUTER: &str = "MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=";

fn fake() -> Fake {
    Fake { tokens: vec![revoked_token("old"), token("edge"), token("spare")], ..Fake::default() }
}

fn shown(name: &str) -> FormOutcome {
    FormOutcome {
        form: "new".to_owned(),
        secret: Some((name.to_owned(), OUTER.to_owned())),
        ..FormOutcome::default()
    }
}

/// The page over these groups.
fn over(groups: Vec<Group>, query: &str) -> String {
    let (overview, _) = overview("acme", "", groups);
    let request =
        PageRequest { origin: "https://rollcall.example".to_owned(), ..request_of(BuiltIn::Admin, "acme") };
    html(request, || {
        NewDelegateView(NewDelegateViewProps {
            overview,
            tokens: vec![token("edge")],
            choice: Choice::parse(query).expect("choice"),
            scopes: scopes(),
            bad: || (),
        })
    })
}

#[tokio::test]
async fn every_platform_is_a_link_that_keeps_the_rest() {
    let html = fake().open("/a/acme/new?platform=docker&name=edge-eu&tags=eu").await;
    let nav = part(&html, "<nav aria-label=\"Platform\"", "</nav>");
    for (platform, word) in [
        ("kubernetes", "Manifest"),
        ("helm", "Helm chart"),
        ("terraform", "Terraform"),
        ("docker", "Docker"),
        ("ecs", "ECS on EC2"),
        ("fargate", "ECS on Fargate"),
        ("3x-kubernetes", "3.x on Kubernetes"),
        ("3x-ecs", "3.x on EC2"),
        ("3x-fargate", "3.x on Fargate"),
        ("3x-program", "3.x as a program"),
        ("vm", "Go client"),
    ] {
        let href = format!("/a/acme/new?platform={platform}&amp;name=edge-eu&amp;tags=eu");
        let link = part(nav, &format!("href=\"{href}\""), "</a>");
        assert!(link.ends_with(word), "{link}");
        assert_eq!(link.contains("aria-current"), platform == "docker", "{link}");
    }
    assert!(words(nav).contains("Delegate 3.x (beta)"), "3.x is marked beta");
}

#[tokio::test]
async fn the_form_asks_for_what_the_platform_needs_and_keeps_the_rest_hidden() {
    let named = |html: &str, name: &str| {
        let form = form(html, PAGE).to_owned();
        let visible = form.contains(&format!("id=\"new-{name}\""));
        let hidden = form.contains(&format!("type=\"hidden\" name=\"{name}\""));
        (visible, hidden)
    };
    let html = fake().open("/a/acme/new?platform=docker&namespace=ns&region=eu-west-1").await;
    for (name, expected) in [
        ("name", (true, false)),
        ("upgrades", (true, false)),
        ("replicas", (false, false)),
        ("permission", (false, false)),
        ("namespace", (false, true)),
        ("region", (false, true)),
        ("since", (false, true)),
    ] {
        assert_eq!(named(&html, name), expected, "{name}");
    }
    let html = fake().open("/a/acme/new").await;
    for name in ["replicas", "permission", "namespace", "upgrades", "token", "version", "proxy"] {
        assert!(named(&html, name).0, "{name}");
    }
    let html = fake().open("/a/acme/new?platform=3x-fargate").await;
    for name in ["subnets", "groups", "public_ip", "secret", "logs", "role"] {
        assert!(named(&html, name).0, "{name}");
    }
    assert!(!named(&html, "proxy").0 && !named(&html, "upgrades").0);
    let choices = words(part(&html, "id=\"new-token\"", "</select>"));
    assert!(choices.contains("edge spare") && !choices.contains("old"), "{choices}");
}

#[tokio::test]
async fn the_token_is_masked_until_it_is_shown_and_never_in_an_address() {
    let html = fake().open("/a/acme/new?platform=docker&name=edge").await;
    let files = part(&html, "id=\"files\"", "</section>");
    assert!(files.contains("DELEGATE_TOKEN=&lt;DELEGATE_TOKEN&gt;"), "{files}");
    let reveal = form(files, "/a/acme/new?platform=docker&amp;name=edge");
    assert!(
        reveal.contains("method=\"post\"") && reveal.contains("name=\"token\" value=\"t-edge\""),
        "{reveal}"
    );
    let download = form(files, "/a/acme/new/download?platform=docker&amp;name=edge");
    assert!(
        download.contains("value=\"docker-run.sh\"")
            && download.contains("aria-label=\"Download docker-run.sh\"")
    );

    let html = fake().sent("/a/acme/new?platform=docker&name=edge", shown("edge")).await;
    let files = part(&html, "id=\"files\"", "</section>");
    assert!(files.contains(&format!("DELEGATE_TOKEN={OUTER}")), "{files}");
    assert!(words(files).contains("The value of token edge stands in these files."));
    assert!(!words(files).contains("Show with the token"));
    assert!(part(&html, "id=\"credentials\"", "</section>").contains(OUTER));
    for piece in html.split("href=\"").chain(html.split("action=\"")).skip(1) {
        assert!(!piece.split('"').next().unwrap_or_default().contains("MDAx"), "no address holds it");
    }
}

#[tokio::test]
async fn the_chosen_token_is_used_and_one_that_is_gone_is_told() {
    let html = fake().open("/a/acme/new?platform=docker&token=t-spare").await;
    assert!(html.contains("name=\"token\" value=\"t-spare\""));
    let (status, html) =
        fake().open_as(request_of(BuiltIn::Admin, "acme"), "/a/acme/new?platform=docker&token=t-old").await;
    assert_eq!(status, 400);
    assert!(words(&html).contains("This token is not active in this scope any more"));
    let html = Fake::default().open("/a/acme/new?platform=docker").await;
    assert!(words(&html).contains("No token of this scope is active"));
}

#[tokio::test]
async fn what_cannot_be_used_is_said_at_its_field_and_nothing_is_made() {
    let admin = || request_of(BuiltIn::Admin, "acme");
    let (status, html) =
        fake().open_as(admin(), "/a/acme/new?platform=kubernetes&name=Edge&replicas=0").await;
    assert_eq!(status, 400);
    for name in ["name", "replicas"] {
        assert!(html.contains(&format!("id=\"new-{name}-error\"")), "{name}");
    }
    assert!(html.contains("value=\"Edge\""), "nobody types it again");
    assert!(
        !html.contains("id=\"files\"") && !html.contains("data-feed"),
        "no files, and the page stays as it is"
    );
    let (status, html) = fake().open_as(admin(), "/a/acme/new?platform=amiga").await;
    assert_eq!(status, 400);
    assert!(words(&html).contains("platform"), "{html}");
}

#[test]
fn it_waits_for_the_first_heartbeat_and_shows_the_delegate_arriving() {
    let since = NOW.plus(-MINUTE).millis();
    let query = format!("platform=docker&name=edge&since={since}");
    let told = |groups: Vec<Group>| {
        let html = over(groups, &query);
        let wait = part(&html, "id=\"wait\"", "id=\"credentials\"").to_owned();
        (words(part(&wait, "id=\"arrival\"", "</p>")), wait)
    };
    let (text, wait) = told(Vec::new());
    assert!(text.ends_with("Waiting for the first heartbeat of edge"), "{text}");
    assert!(words(&wait).contains("Files made 11:59:00 UTC"), "{wait}");
    assert!(words(&wait).contains("It does not arrive") && !wait.contains("<table"));

    let old = || Group::new("edge").instance("edge-1", LATEST, 5);
    let (text, wait) = told(vec![old()]);
    assert!(text.contains("runs here already"), "{text}");
    assert!(wait.contains("/a/acme/delegates/_edge?tab=troubleshoot"), "{wait}");

    let new = old().instance_with("edge-2", LATEST, Some(1), |facts| facts.registered_at = NOW.plus(-1_000));
    let (text, wait) = told(vec![new]);
    assert!(text.ends_with("edge is connected"), "{text}");
    assert!(wait.contains("<table") && words(&wait).contains("edge-2"), "{wait}");
    assert!(!wait.contains("troubleshoot") && !words(&wait).contains("It does not arrive"));

    let (text, _) = told(vec![Group::new("edge").instance("edge-1", LATEST, 301)]);
    assert!(text.contains("known here, but not connected"), "{text}");
    let (text, _) = told(vec![Group::new("edge-2").instance("a", LATEST, 1)]);
    assert!(text.contains("Waiting"), "another name is another delegate: {text}");
}

#[test]
fn the_page_is_live_and_keeps_a_shown_token_in_sight() {
    let html = over(Vec::new(), "platform=docker&name=edge");
    assert!(html.contains("data-feed=\"/a/acme/live\""));
    assert!(part(&html, "id=\"files\"", "<figure").contains("data-own"), "not patched under who copies it");
    assert!(html.contains("https://rollcall.example"), "the address of this server");
}

#[tokio::test]
async fn sizes_have_their_exact_figures_and_the_calculator_both_ends() {
    let html = fake().open("/a/acme/new?platform=docker&name=edge&services=1%2C200").await;
    let table = words(part(&html, "id=\"sizes\"", "</table>"));
    for row in [
        "Laptop 1.6 GB 0.5 1 2 GB 0.5 10",
        "Small 3.3 GB 1 2 4 GB 1 20",
        "Medium 6.6 GB 2 4 8 GB 2 40",
        "Large 13.2 GB 4 8 16 GB 4 80",
    ] {
        assert!(table.contains(row), "{row} in {table}");
    }
    assert!(words(&html).contains("The figures are for the delegate alone."));
    for (number, answer) in [
        ("1%2C200", "1200 service instances: 3 to 4 delegates."),
        ("300", "300 service instances: 1 delegate."),
        ("501", "501 service instances: 2 delegates."),
    ] {
        let html = fake().open(&format!("/a/acme/new?platform=docker&name=edge&services={number}")).await;
        assert!(
            words(&html).contains(answer),
            "{answer} in {}",
            words(part(&html, "class=\"fields calc\"", "</form>"))
        );
        assert!(part(&html, "class=\"fields calc\"", "</form>").contains("name=\"name\" value=\"edge\""));
    }
    let admin = request_of(BuiltIn::Admin, "acme");
    let (status, html) = fake().open_as(admin, "/a/acme/new?services=many").await;
    assert_eq!(status, 400);
    assert!(words(&html).contains("Give a whole number."));
}

#[tokio::test]
async fn ecs_comes_with_its_checklist_and_tables() {
    let html = fake().open("/a/acme/new?platform=fargate").await;
    for (key, cells) in [
        ("ports", vec!["443", "80", "22", "9418"]),
        ("role", vec!["ecr:GetAuthorizationToken", "logs:PutLogEvents", "secretsmanager:GetSecretValue"]),
        ("compared", vec!["Docker in Docker", "up to 200 GiB", "30 to 60 s", "10 to 20 s", "each task"]),
        ("security", vec!["privileged", "read_only_root_filesystem", "drop_capability"]),
        ("volumes", vec!["21,504 MiB", "host_path", "access_point_id", "transit_encryption"]),
    ] {
        let told = words(part(&html, &format!("data-key=\"{key}\""), "</details>"));
        for cell in cells {
            assert!(told.contains(cell), "{cell} in {told}");
        }
    }
    let text = words(&html);
    for fact in [
        "ecs-tasks.amazonaws.com",
        "5 CreateLogGroup",
        "800 PutLogEvents",
        "different availability zones",
        "port 2049",
    ] {
        assert!(text.contains(fact), "{fact}");
    }
    let html = fake().open("/a/acme/new?platform=docker").await;
    assert!(html.contains("data-key=\"ports\"") && !html.contains("data-key=\"role\""));
}

#[test]
fn the_delegates_page_leads_here_beside_the_latest_version_for_those_who_may() {
    let groups = || vec![Group::new("a").instance("h", LATEST, 5)];
    let head = |html: &str| part(html, "<div data-key=\"head\"", "<section").to_owned();
    let admin = head(&page_of(BuiltIn::Admin, "", groups()));
    assert!(admin.contains("href=\"/a/acme/new\""), "{admin}");
    assert!(words(&admin).contains("Latest version 26.11.90604 New delegate"), "{admin}");
    let viewer = head(&page_of(BuiltIn::Viewer, "", groups()));
    assert!(!viewer.contains("/a/acme/new") && words(&viewer).contains("Latest version"), "{viewer}");
}

#[test]
fn an_empty_scope_offers_an_install_with_words_of_its_level_and_no_second_button() {
    for (at, reach) in [
        ("acme", "serves every organization and project in it"),
        ("acme/payments", "serves that organization and its projects"),
        ("acme/payments/checkout", "serves that project alone"),
    ] {
        let empty = |role: BuiltIn| {
            let (overview, query) = overview(at, "", Vec::new());
            html(request_of(role, "acme"), || {
                DelegatesView(DelegatesViewProps { overview, query, scopes: scopes() })
            })
        };
        let page = empty(BuiltIn::Admin);
        let blank = part(&page, "class=\"panel blank\"", "</section>");
        assert!(words(blank).contains(reach) && words(blank).contains("Install a delegate"), "{blank}");
        assert_eq!(page.matches("/new\"").count(), 1, "the header has no button of its own");
        assert!(!empty(BuiltIn::Viewer).contains("/new\""), "{at}");
    }
}
