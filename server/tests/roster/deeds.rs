//! What people do to delegates, and what they see afterwards.

use std::sync::Arc;
use std::time::Duration;

use fleet::policy::DeletedPolicy;
use server::roster::{Inherited, Reference};
use server::store::{Batch, Store as _, Tombstone, Transition};

use crate::support::House;

/// Who deletes.
pub(crate) const BY: &str = "admin@example.com";

impl House {
    /// The internal id of the only group of this name, hidden ones included.
    pub(crate) async fn group_id(&self, name: &str) -> Arc<str> {
        let view = self.view("acme", true).await;
        let group = view.snapshot.groups.iter().find(|group| &*group.facts.name == name);
        Arc::clone(&group.expect("group").facts.id)
    }

    /// Deletes as a page does: looks, stores, applies.
    pub(crate) async fn delete(&self, group: &str, instance: Option<&str>) -> Tombstone {
        let deletion = self.roster.deletion("acme", group, instance, BY, self.now()).expect("it is there");
        self.settle(deletion.tombstone).await
    }

    pub(crate) async fn settle(&self, stone: Tombstone) -> Tombstone {
        self.store
            .write(&Batch { tombstones: vec![stone.clone()], ..Batch::default() })
            .await
            .expect("stored");
        self.roster.apply_tombstone(&stone);
        stone
    }

    /// From now on deleted delegates are turned away.
    pub(crate) fn refuse(&self) {
        let deleted = Inherited { server: Some(DeletedPolicy::Refuse), ..Inherited::default() };
        self.roster.set_reference(Reference { deleted, ..(*self.roster.reference()).clone() });
    }

    /// Names and host names that are listed, one text a group.
    pub(crate) async fn listed(&self) -> Vec<String> {
        let view = self.view("acme", true).await;
        let line = |group: &fleet::view::GroupView| {
            let hosts: Vec<&str> = group.members.iter().map(|member| &*member.facts.host_name).collect();
            format!("{}: {}", group.facts.name, hosts.join(" ")).trim_end().to_owned()
        };
        view.snapshot.groups.iter().map(line).collect()
    }

    /// History of a group, oldest first, once it has `count` lines.
    pub(crate) async fn history(&self, group: &str, count: usize) -> Vec<Transition> {
        for _ in 0..200 {
            let mut found = self.store.transitions("acme", group, None, 100).await.expect("history");
            if found.len() >= count {
                found.reverse();
                return found;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("history never reached {count} lines");
    }
}
