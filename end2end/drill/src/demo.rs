//! A lively demo fleet in every state, chosen by a catalog and a day; the same seed gives the same fleet.

use fleet::scope::Scope;
use sha2::{Digest, Sha256};

use crate::scenario::{Behaviour, Group, Scenario, ScopePlan};
use crate::span::Span;

pub use picks::{Pick, Picks, PicksError};
use roles::{Plot, ROLES, Role};

mod picks;
mod roles;

/// Organizations with their projects.
const ORGANIZATIONS: [(&str, &[&str]); 4] = [
    ("payments", &["checkout", "ledger", "fraud"]),
    ("logistics", &["routing", "warehouse", "tracking"]),
    ("media", &["streaming", "catalog"]),
    ("platform", &["identity", "observability", "data"]),
];
/// Where machines stand.
const REGIONS: [&str; 5] = ["eu-west", "eu-central", "us-east", "us-west", "ap-south"];
/// Groups of one scope.
const GROUPS_PER_SCOPE: usize = 6;
/// Step through the roles; it has no common factor with their number, so that each is played equally often and
/// no scope has one twice.
const STRIDE: usize = 11;

/// The scopes of the demo: the account, its organizations, their projects; each after its parent.
///
/// # Errors
/// `account` is no identifier.
pub fn scopes(account: &str) -> Result<Vec<Scope>, fleet::scope::ScopeError> {
    let mut scopes = vec![Scope::new(account, None, None)?];
    for (organization, projects) in ORGANIZATIONS {
        scopes.push(Scope::new(account, Some(organization), None)?);
        for project in projects {
            scopes.push(Scope::new(account, Some(organization), Some(project))?);
        }
    }
    Ok(scopes)
}

/// The demo fleet of an account.
///
/// # Errors
/// `account` is no identifier.
pub fn scenario(account: &str, seed: u64, picks: &Picks) -> Result<Scenario, fleet::scope::ScopeError> {
    let mut turn = 0;
    let mut plan = |path: Scope| {
        let groups = (0..GROUPS_PER_SCOPE).map(|_| {
            turn += 1;
            group(&path, seed, &ROLES[turn * STRIDE % ROLES.len()], picks)
        });
        let groups = groups.collect();
        ScopePlan { path, groups }
    };
    let scopes = scopes(account)?.into_iter().map(&mut plan).collect();
    Ok(Scenario { seed, scopes })
}

/// A role, played in one scope.
fn group(scope: &Scope, seed: u64, role: &Role, picks: &Picks) -> Group {
    let [first, second, ..] = dice(scope, seed, role);
    let owner = if scope.organization().is_none() { "shared" } else { scope.name() };
    let region = REGIONS[usize::from(first) % REGIONS.len()];
    let (few, many) = role.replicas;
    let replicas = few + u32::from(second) % (many - few + 1);
    let clusters = |cluster: &&str| vec![format!("cluster:{region}-{cluster}")];
    let hint = role.platform.map(|platform| format!("platform:{platform}"));
    let tags = [region, role.tag].into_iter().filter(|tag| !tag.is_empty()).map(str::to_owned).chain(hint);
    let (behaviour, behaving) = behaviour(role, picks);
    Group {
        kind: role.kind.map(str::to_owned),
        replicas,
        versions: role.versions.iter().map(|&pick| picks.text(pick)).collect(),
        tags: tags.collect(),
        member_tags: role.clusters.iter().map(clusters).collect(),
        description: Some(format!("{} of {owner} in {region}", role.description)),
        capacity: role.capacity,
        upgrader: role.upgrader,
        behaviour,
        behaving,
        ..Group::new(&format!("{owner}-{region}-{}", role.suffix), role.client)
    }
}

/// What the replicas of a role do, and how many of them.
fn behaviour(role: &Role, picks: &Picks) -> (Behaviour, Option<u32>) {
    match role.plot {
        Plot::Steady => (Behaviour::Steady, None),
        Plot::Old => (Behaviour::Old, None),
        Plot::Late => (Behaviour::Late { every: Span::seconds(240) }, None),
        Plot::Lost(members) => (Behaviour::Silent { after: Span::seconds(20) }, members),
        Plot::Left(members) => (Behaviour::Goodbye { after: Span::seconds(25) }, members),
        Plot::Flapping(members) => {
            // Longer than the 300 s after which a delegate counts as lost.
            (Behaviour::Flapping { up: Span::seconds(420), down: Span::seconds(400) }, Some(members))
        }
        Plot::Churn => (Behaviour::Churn { every: Span::seconds(45) }, None),
        Plot::Rollout(pick) => (Behaviour::Rollout { every: Span::seconds(60), to: picks.text(pick) }, None),
    }
}

/// Bytes that follow from scope, seed and role.
fn dice(scope: &Scope, seed: u64, role: &Role) -> [u8; 32] {
    Sha256::digest(format!("demo\n{seed}\n{scope}\n{}", role.suffix)).into()
}

#[cfg(test)]
mod tests;
