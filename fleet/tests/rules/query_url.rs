//! A query as parameters of a URL, both ways (product 6.2, management-api 2.1).

use fleet::delegate::Transport;
use fleet::health::{Standing, Status};
use fleet::query::{
    Availability, Column, Filter, Generation, Health, InstanceStatus, Mark, Origin, PAGE_SIZES, Query,
    Redundancy, Sort,
};
use fleet::summary::GroupConnectivity;
use fleet::time::{DAY, MINUTE, Timestamp};
use fleet::upgrade::State;
use fleet::view::Extent;
use proptest::prelude::*;

const CONNECTIVITIES: [GroupConnectivity; 3] = GroupConnectivity::ALL;

fn parse(url: &str) -> Query {
    Query::parse(url).unwrap()
}

/// The message about a parameter that cannot be understood.
fn refusal(url: &str) -> String {
    Query::parse(url).unwrap_err().to_string()
}

#[test]
fn nothing_asked_is_page_1_of_10() {
    assert_eq!(parse(""), Query::default());
    assert_eq!((Query::default().page, Query::default().size), (1, 10));
    assert_eq!(Query::default().to_url(), "");
    assert_eq!(parse("?page=2").page, 2);
}

#[test]
fn every_parameter_is_read_and_written_in_one_order() {
    let url = "health=nearExpiry&search=eu+west&status=CONNECTED&versionStatus=EXPIRING&autoUpgrade=ON\
               &delegateName=edge&delegateType=KUBER&delegateTags=a&delegateTags=b%3Ac&hostName=host-1\
               &sort=-expiry&page=3&size=25&all=true&open=g1&open=g2";
    let query = parse(url);
    let filter = Filter {
        health: Some(Health::Standing(Standing::NearExpiry)),
        search: Some("eu west".to_owned()),
        status: Some(InstanceStatus::Connected),
        version_status: Some(Status::Expiring),
        auto_upgrade: Some(State::On),
        name: Some("edge".to_owned()),
        kind: Some("KUBER".to_owned()),
        tags: vec!["a".to_owned(), "b:c".to_owned()],
        host_name: Some("host-1".to_owned()),
        ..Filter::default()
    };
    assert_eq!(query.filter, filter);
    assert_eq!(query.sort, Some(Sort { column: Column::Expiry, descending: true }));
    assert_eq!((query.page, query.size, query.below), (3, 25, true));
    assert_eq!(query.open, ["g1", "g2"]);
    assert_eq!(query.to_url(), url);
}

#[test]
fn the_order_of_a_url_does_not_matter() {
    assert_eq!(parse("page=2&search=x&health=expired").to_url(), "health=expired&search=x&page=2");
}

#[test]
fn empty_parameters_and_defaults_count_as_absent() {
    let url = "health=&search=+&status=&versionStatus=&autoUpgrade=&delegateTags=,&hostName=&sort=&page=&size=&all=&open=";
    assert_eq!(parse(url), Query::default());
    assert_eq!(parse("page=1&size=10&all=false").to_url(), "");
}

#[test]
fn unknown_parameters_are_ignored() {
    assert_eq!(parse("pageIndex=7&theme=dark&&=&x"), Query::default());
}

#[test]
fn of_a_repeated_parameter_the_last_counts() {
    assert_eq!(parse("page=2&page=3").page, 3);
    assert_eq!(parse("search=a&search=b").filter.search.as_deref(), Some("b"));
    assert_eq!(parse("search=a&search=").filter.search, None);
    assert!(Query::parse("health=nonsense&health=expired").is_ok());
}

#[test]
fn tags_can_be_repeated_and_separated_by_commas() {
    assert_eq!(parse("delegateTags=a,b&delegateTags=%20c%20,,a").filter.tags, ["a", "b", "c"]);
}

#[test]
fn the_words_of_health_are_keys_of_counts() {
    let counts = serde_json::to_value(fleet::summary::Counts::default()).unwrap();
    for health in Health::ALL {
        assert!(counts.get(health.as_str()).is_some(), "{}", health.as_str());
        assert_eq!(parse(&format!("health={}", health.as_str())).filter.health, Some(health));
    }
}

#[test]
fn enumerations_are_matched_by_whole_words() {
    let wrong = ["health=expire", "status=connect", "versionStatus=active1", "autoUpgrade=o", "sort=names"];
    for url in wrong {
        assert!(Query::parse(url).is_err(), "{url}");
    }
    for status in InstanceStatus::ALL {
        assert_eq!(parse(&format!("status={}", status.as_str())).filter.status, Some(status));
    }
    for status in Status::ALL {
        assert_eq!(parse(&format!("versionStatus={}", status.as_str())).filter.version_status, Some(status));
    }
    for state in State::ALL {
        assert_eq!(parse(&format!("autoUpgrade={}", state.as_str())).filter.auto_upgrade, Some(state));
    }
}

#[test]
fn a_refusal_names_the_parameter_and_what_it_may_be() {
    assert_eq!(
        refusal("autoUpgrade=SOMETIMES"),
        "autoUpgrade: must be one of ON, OFF, DETECTING, SYNCHRONIZING, UNKNOWN"
    );
    assert_eq!(refusal("source=both"), "source: must be one of own, mirror");
    assert_eq!(
        refusal("versionStatus=x"),
        "versionStatus: must be one of EXPIRED, EXPIRING, UNSUPPORTED, ACTIVE"
    );
    assert_eq!(refusal("size=11"), "size: must be one of 10, 25, 50, 100");
    assert_eq!(refusal("size=-1"), "size: must be one of 10, 25, 50, 100");
    assert_eq!(refusal("all=yes"), "all: must be one of true, false");
    for url in ["page=0", "page=-1", "page=x", "page=1.5", "page=99999999999"] {
        assert_eq!(refusal(url), "page: must be a whole number from 1");
    }
    let sort = refusal("sort=--name");
    assert_eq!(sort, "sort: must be one of name, connectivity, version, expiry, lastHeartbeat, autoUpgrade");
    assert_eq!(Query::parse("status=UP").unwrap_err().field, "status");
    assert!(refusal("status=UP").contains("WAITING_FOR_APPROVAL"));
    assert!(refusal("health=all").contains("nearExpiry"));
}

#[test]
fn texts_have_at_most_256_characters() {
    assert!(Query::parse(&format!("search={}", "%C3%A4".repeat(256))).is_ok());
    assert_eq!(refusal(&format!("search={}", "a".repeat(257))), "search: must have at most 256 characters");
    assert!(Query::parse(&format!("delegateTags=a,{}", "a".repeat(257))).is_err());
}

#[test]
fn a_link_that_changes_what_is_listed_leads_to_page_1() {
    let query = parse("search=eu&page=3&size=25&open=g1");
    let health = Some(Health::AutoUpgradeOff);
    assert_eq!(query.with_health(health).to_url(), "health=autoUpgradeOff&search=eu&size=25&open=g1");
    assert_eq!(query.with_health(health).with_health(None).to_url(), "search=eu&size=25&open=g1");
    assert_eq!(query.with_search(" us ").to_url(), "search=us&size=25&open=g1");
    assert_eq!(query.with_search(" ").to_url(), "size=25&open=g1");
    let sort = Some(Sort { column: Column::Name, descending: false });
    assert_eq!(query.with_sort(sort).to_url(), "search=eu&sort=name&size=25&open=g1");
    assert_eq!(query.with_size(50).to_url(), "search=eu&size=50&open=g1");
    assert_eq!(query.with_size(51).to_url(), "search=eu&open=g1");
    assert_eq!(query.with_below(true).to_url(), "search=eu&size=25&all=true&open=g1");
    assert_eq!(query.with_page(2).to_url(), "search=eu&page=2&size=25&open=g1");
    assert_eq!(query.with_page(0).page, 1);
}

#[test]
fn a_group_is_opened_and_closed_on_the_same_page() {
    let query = parse("page=3&open=g1");
    assert_eq!(query.toggled_open("g2").to_url(), "page=3&open=g1&open=g2");
    assert_eq!(query.toggled_open("g1").to_url(), "page=3");
    assert!(query.is_open("g1") && !query.is_open("g2"));
}

#[test]
fn what_lasts_of_a_question_has_no_place_on_a_page() {
    let query = parse("health=expired&sort=-name&page=3&size=25&all=true&hidden=true&open=g1");
    assert_eq!(query.lasting().to_url(), "health=expired&sort=-name&all=true&hidden=true");
    assert!(!query.is_plain() && !parse("hidden=true").is_plain());
    assert!(parse("sort=name&all=true&size=25").is_plain());
}

#[test]
fn below_and_usable_exclude_each_other() {
    assert_eq!(refusal("all=true&usable=true"), "usable: cannot be combined with all");
    assert_eq!(refusal("usable=yes"), "usable: must be one of true, false");
    let query = parse("usable=true&page=2");
    assert!(query.usable && query.extent() == Extent::Usable);
    assert_eq!(query.to_url(), "page=2&usable=true");
    assert_eq!(query.with_below(true).to_url(), "all=true");
    assert_eq!(query.with_below(true).with_usable(true).to_url(), "usable=true");
    assert_eq!(query.with_below(false).to_url(), "usable=true");
    assert_eq!(query.with_usable(false).to_url(), "");
    assert_eq!((parse("all=true").extent(), parse("").extent()), (Extent::Below, Extent::Exact));
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[ -~äß\u{1f600}]{1,40}".prop_map(|text| text.trim().to_owned()))
        .prop_map(|text| text.filter(|text| !text.is_empty()))
}

fn ids(pattern: &'static str) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(pattern, 0..4).prop_map(|ids| ids.into_iter().collect())
}

fn filter() -> impl Strategy<Value = Filter> {
    let words = (
        prop::option::of(prop::sample::select(&Health::ALL[..])),
        prop::option::of(prop::sample::select(&InstanceStatus::ALL[..])),
        prop::option::of(prop::sample::select(&Status::ALL[..])),
        prop::option::of(prop::sample::select(&State::ALL[..])),
    );
    (words, text(), text(), text(), ids("[a-z&=+%#:ü]{1,8}"), text()).prop_map(
        |((health, status, version_status, auto_upgrade), search, name, kind, tags, host_name)| Filter {
            health,
            search,
            status,
            version_status,
            auto_upgrade,
            name,
            kind,
            tags,
            host_name,
            ..Filter::default()
        },
    )
}

/// The conditions of the filter panel and of the charts.
fn choices() -> impl Strategy<Value = Filter> {
    let several = (
        prop::sample::subsequence(&CONNECTIVITIES[..], 0..=3),
        ids("[A-Z_]{1,12}"),
        ids("[0-9.a-z]{1,12}"),
        ids("[a-z_/]{1,12}"),
        prop::sample::subsequence(&Redundancy::ALL[..], 0..=3),
        prop::sample::subsequence(&Mark::ALL[..], 0..=9),
    );
    let single = (
        prop::option::of(prop::sample::select(&Generation::ALL[..])),
        prop::option::of(prop::sample::select(&[Transport::Polling, Transport::WebSocket][..])),
        prop::option::of(prop::sample::select(&Availability::ALL[..])),
        prop::option::of(prop::sample::select(&Origin::ALL[..])),
        prop::option::of(0_i64..40_000),
        prop::option::of(0_i64..60_000_000),
    );
    (several, single, text(), text()).prop_map(|(several, single, identifier, description)| {
        let (connectivity, types, versions, tokens, redundancy, marks) = several;
        let (generation, transport, availability, source, day, minute) = single;
        let expires = day.map(|day| Timestamp::from_millis(day * DAY).date());
        let silent = minute.map(|minute| Timestamp::from_millis(minute * MINUTE));
        let scopes = vec!["acme/payments".parse().unwrap()];
        Filter {
            identifier,
            description,
            connectivity,
            types,
            versions,
            tokens,
            scopes,
            redundancy,
            marks,
            generation,
            transport,
            availability,
            source,
            expires,
            silent,
            ..Filter::default()
        }
    })
}

fn query() -> impl Strategy<Value = Query> {
    let sort = (prop::sample::select(&Column::ALL[..]), any::<bool>())
        .prop_map(|(column, descending)| Sort { column, descending });
    let size = prop::sample::select(&PAGE_SIZES[..]);
    let extent = prop::sample::select(&[(false, false), (true, false), (false, true)][..]);
    let filter = prop_oneof![filter(), choices()];
    (
        filter,
        prop::option::of(sort),
        1..=u32::MAX,
        size,
        extent,
        ids("[A-Za-z0-9_-]{1,22}"),
        any::<(bool, bool)>(),
    )
        .prop_map(|(filter, sort, page, size, (below, usable), open, (hidden, folded))| Query {
            filter,
            sort,
            page,
            size,
            below,
            usable,
            hidden,
            open,
            folded,
        })
}

#[test]
fn the_case_of_a_word_does_not_count() {
    let typed: Query = Query::parse("autoUpgrade=off&health=NEAREXPIRY&connectivity=Partial").unwrap();
    assert_eq!(typed.to_url(), "health=nearExpiry&autoUpgrade=OFF&connectivity=partial");
}

proptest! {
    #[test]
    fn a_query_survives_its_url(query in query()) {
        let url = query.to_url();
        prop_assert_eq!(&Query::parse(&url).unwrap(), &query);
        prop_assert_eq!(Query::parse(&url).unwrap().to_url(), url);
    }

    #[test]
    fn no_text_is_too_strange_to_be_answered(url in ".{0,200}") {
        if let Ok(query) = Query::parse(&url) {
            prop_assert_eq!(&Query::parse(&query.to_url()).unwrap(), &query);
        }
    }
}
