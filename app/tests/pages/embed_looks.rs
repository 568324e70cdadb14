//! What the address of a frame chooses (`product 15.2`).

use app::components::columns::{Columns, Optional};
use app::context::{Density, Theme};
use app::embed::Look;

fn read(query: &[(&str, &str)]) -> Result<Look, &'static str> {
    let owned: Vec<(String, String)> =
        query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Look::read(&owned).map_err(|error| error.field)
}

#[test]
fn nothing_chosen_is_everything_in_the_colours_of_the_system() {
    assert_eq!(read(&[]), Ok(Look::default()));
    assert_eq!(read(&[("cols", ""), ("theme", ""), ("health", "expired")]), Ok(Look::default()));
    assert_eq!(Look::default().to_url(), "");
}

#[test]
fn columns_come_in_the_order_of_the_list_however_they_are_named() {
    let look =
        read(&[("cols", "status,version"), ("cols", "tags"), ("theme", "dark"), ("density", "compact")]);
    let look = look.expect("a look");
    let shown: Vec<Optional> = look.columns.iter().collect();
    assert_eq!(shown, [Optional::Tags, Optional::Version, Optional::Status]);
    assert_eq!((look.theme, look.density), (Theme::Dark, Density::Compact));
    assert_eq!(look.to_url(), "cols=tags,version,status&theme=dark&density=compact");
    let every = Optional::ALL.map(Optional::as_str).join(",");
    assert_eq!(read(&[("cols", &every)]).map(|look| look.columns), Ok(Columns::ALL));
}

#[test]
fn a_word_that_means_nothing_is_refused_by_its_parameter() {
    for (name, value) in [("cols", "colour"), ("theme", "red"), ("density", "tight")] {
        assert_eq!(read(&[(name, value)]), Err(name));
    }
}
