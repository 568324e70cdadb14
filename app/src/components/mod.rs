//! The parts that pages are built of, one per file.

pub mod badges;
pub mod banners;
pub mod cards;
pub mod cells;
pub mod chips;
pub mod display_menu;
pub mod empty;
pub mod facts;
pub mod figures;
pub mod frame;
pub mod icons;
pub mod instances;
pub mod links;
pub mod list;
pub mod page_title;
pub mod pager;
pub mod popover;
pub mod row;
pub mod row_menu;
pub mod scope_switcher;
pub mod status;
pub mod time;
pub mod toolbar;
