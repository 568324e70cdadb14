//! The instances of one group in an order (product 11.5).

use fleet::query::{Query, select_members};
use fleet::time::{MINUTE, SECOND};

use crate::support::{ago, group, instance, view};

fn hosts(url: &str) -> Vec<String> {
    let members = vec![
        instance("c", "26.05.88214").beat(Some(ago(5 * SECOND))),
        instance("a", "26.11.90604").beat(Some(ago(9 * SECOND))),
        instance("b", "").beat(Some(ago(10 * MINUTE))),
    ];
    let group = view(group("edge"), members);
    let selection = select_members(&group, &Query::parse(url).unwrap());
    let places = selection.rows[0].members.iter();
    places.map(|&place| group.members[place as usize].facts.host_name.to_string()).collect()
}

#[test]
fn members_come_by_name_until_another_order_is_asked_for() {
    assert_eq!(hosts(""), ["a", "b", "c"]);
    assert_eq!(hosts("sort=-name"), ["c", "b", "a"]);
    assert_eq!(hosts("sort=lastHeartbeat"), ["b", "a", "c"]);
    assert_eq!(hosts("sort=connectivity"), ["a", "c", "b"]);
}

#[test]
fn what_a_member_does_not_have_comes_last_both_ways() {
    assert_eq!(hosts("sort=version"), ["c", "a", "b"]);
    assert_eq!(hosts("sort=-version"), ["a", "c", "b"]);
    assert_eq!(hosts("sort=expiry"), ["c", "a", "b"]);
}
