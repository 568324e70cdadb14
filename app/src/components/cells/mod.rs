//! What stands in the columns of the list (`product 11.2`).

pub mod auto_upgrade;
pub mod connectivity;
pub mod heartbeat;
pub mod name;
pub mod status;
pub mod tags;
pub mod version;
