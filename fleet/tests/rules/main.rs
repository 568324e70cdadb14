//! The rules as the product document words them, at their boundaries.

mod access;
mod auto_upgrade;
mod boundaries;
mod cards;
mod catalog_import;
mod filters;
mod identity;
mod latest;
mod lifecycle;
mod order;
mod policy;
mod properties;
mod query_url;
mod rollups;
mod scopes;
mod skew;
mod status_text;
mod support;
mod upgrade_target;
mod usable;
mod versions;
mod views;
