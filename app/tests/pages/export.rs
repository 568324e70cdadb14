//! The menu of exports (`product 15.1`): links with the query of the page.

use crate::common::*;

fn menu(query: &str, groups: usize) -> String {
    let groups = (0..groups).map(|number| {
        let version = if number % 2 == 0 { EXPIRED } else { LATEST };
        Group::new(&format!("edge-{number:02}")).instance(&format!("host-{number}"), version, 5)
    });
    let html = page(query, groups.collect());
    part(&html, "id=\"export\"", "<section").to_owned()
}

fn hrefs(menu: &str) -> Vec<String> {
    let links = menu.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.map(|href| href.replace("&amp;", "&")).collect()
}

#[test]
fn a_small_fleet_is_exported_whole() {
    let menu = menu("", 3);
    assert!(menu.contains("aria-label=\"All in scope (3 instances)\""), "{menu}");
    assert!(!menu.contains("This view") && !menu.contains("This page"));
    let base = "/api/v1/accounts/acme/delegates?";
    assert_eq!(
        hrefs(&menu),
        ["csv", "json", "ndjson"].map(|format| format!("{base}format={format}&download=true"))
    );
}

#[test]
fn a_filtered_list_is_exported_as_a_page_as_a_view_or_whole() {
    let menu = menu("health=expired&sort=-name&page=2&open=g-edge-00", 30);
    let base = "/api/v1/accounts/acme/delegates?";
    for (name, query) in [
        ("This page (5 instances)", "health=expired&sort=-name&page=2&view=page&"),
        ("This view (15 instances)", "health=expired&sort=-name&"),
        ("All in scope (30 instances)", "sort=-name&"),
    ] {
        assert!(menu.contains(&format!("aria-label=\"{name}\"")), "{name}: {menu}");
        assert!(
            hrefs(&menu).contains(&format!("{base}{query}format=csv&download=true")),
            "{:?}",
            hrefs(&menu)
        );
    }
    assert_eq!(hrefs(&menu).len(), 9);
}
