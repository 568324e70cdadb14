//! A question inside one that an embed key fixed (`product 15.2`).

use fleet::query::Query;

fn within(query: &str, fixed: &str) -> String {
    let fixed = Query::parse(fixed).unwrap();
    Query::parse_within(query, &fixed).unwrap().to_url()
}

#[test]
fn what_is_fixed_holds_whatever_the_address_says() {
    assert_eq!(within("health=active", "health=expired"), "health=expired");
    assert_eq!(within("search=b&search=c", "search=a"), "search=a");
    assert_eq!(within("health=", "health=expired"), "health=expired");
    assert_eq!(
        within("version=26.11.90604", "version=26.09.89620"),
        "version=26.09.89620",
        "values that add up by OR"
    );
}

#[test]
fn what_is_not_fixed_can_be_narrowed() {
    assert_eq!(within("search=edge", "health=expired"), "health=expired&search=edge");
    assert_eq!(within("?delegateTags=eu", "delegateTags=prod"), "delegateTags=prod&delegateTags=eu");
}

#[test]
fn scopes_are_those_of_the_key() {
    for widening in ["all=true", "usable=true", "all=false&usable=true", "hidden=true"] {
        assert_eq!(within(widening, ""), "", "{widening}");
    }
    assert_eq!(within("all=false", "all=true"), "all=true");
    assert_eq!(within("usable=true", "all=true"), "all=true");
}

#[test]
fn order_size_and_page_are_the_readers() {
    assert_eq!(within("", "sort=expiry&size=50"), "sort=expiry&size=50");
    assert_eq!(within("sort=-name&size=25&page=2", "sort=expiry&size=50"), "sort=-name&page=2&size=25");
    assert_eq!(within("", "page=3"), "");
}

#[test]
fn a_value_that_cannot_be_is_refused_by_name() {
    let fixed = Query::default();
    assert_eq!(Query::parse_within("size=7", &fixed).unwrap_err().field, "size");
}
