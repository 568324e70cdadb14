//! Who the played delegates are: host names and addresses that follow from seed, scope, name and replica.

use std::fmt::Write as _;
use std::sync::Arc;

use fleet::delegate::{DelegateType, short_codes};
use fleet::scope::Scope;
use fleet::version::{Line, Version};
use sha2::{Digest, Sha256};

use crate::client::Kind;
use crate::profile::Profile;
use crate::scenario::{Behaviour, Group};
use crate::token::{Token, hex};

/// Letters and digits of generated Kubernetes names.
const POD_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
/// Characters of a generated delegate id.
const ID_ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// One group with its token, ready to be played.
#[derive(Clone, Debug)]
pub struct Cast {
    /// Owner of the token.
    pub scope: Scope,
    /// What is played.
    pub group: Group,
    /// What it authenticates with.
    pub token: Token,
    seed: u64,
    /// What all replicas share.
    common: Profile,
}

/// One process among all that a replica is over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pod<'a> {
    /// Which replica, from 0.
    pub replica: u32,
    /// How many processes this replica was before.
    pub generation: u64,
    /// The version that a rollout has brought.
    pub rolled_to: Option<&'a str>,
}

impl Cast {
    /// The group of `scope` under `seed`.
    #[must_use]
    pub fn new(seed: u64, scope: &Scope, group: &Group, token: Token) -> Self {
        let common = Profile {
            kind: group.kind().into(),
            description: group.description.as_deref().map(Arc::from),
            max_stages: group.capacity,
            heartbeat_as_object: group.behaviour != Behaviour::Old,
            ..Profile::new(scope.account(), &group.name, "", "")
        };
        Self { scope: scope.clone(), group: group.clone(), token, seed, common }
    }

    /// What a process says about itself.
    #[must_use]
    pub fn profile(&self, pod: Pod<'_>) -> Profile {
        let version =
            pod.rolled_to.or_else(|| self.group.version(pod.replica)).filter(|text| !text.is_empty());
        let tags: Vec<Box<str>> = self.group.tags(pod.replica).map(Box::from).collect();
        let address = self.digest("address", pod);
        let [a, b, c, ..] = address;
        let ip = format!("10.{a}.{b}.{}", 1 + c % 254);
        Profile {
            host_name: self.host_name(pod, version, &ip).into(),
            ip: ip.into(),
            version: version.map(Arc::from),
            tags: tags.into(),
            ..self.common.clone()
        }
    }

    /// The id under which a process beats that never registers.
    #[must_use]
    pub fn delegate_id(&self, pod: Pod<'_>) -> String {
        spell(&self.digest("id", pod)[..22], ID_ALPHABET)
    }

    fn host_name(&self, pod: Pod<'_>, version: Option<&str>, ip: &str) -> String {
        let name = &self.group.name;
        let number = pod.replica + 1;
        let replaced = if pod.generation == 0 { String::new() } else { format!("-{}", pod.generation + 1) };
        if self.group.client == Kind::Go {
            return format!("{name}-{number:02}{replaced}");
        }
        let dashed_ip = format!("ip-{}", ip.replace('.', "-"));
        match DelegateType::from(self.group.kind()) {
            _ if self.group.client == Kind::Runner => dashed_ip,
            DelegateType::Ecs => dashed_ip,
            DelegateType::Docker => hex(&self.digest("container", pod)[..6]),
            DelegateType::Shell => format!("{name}-host-{number:02}{replaced}"),
            _ if version.is_some_and(|version| Version::parse(version).line() == Line::Legacy) => {
                let [code, _] = short_codes(self.scope.account());
                format!("{name}-{code}-{}", pod.replica)
            }
            _ => format!(
                "{name}-{}-{}",
                self.replica_set(pod),
                spell(&self.digest("pod", pod)[..5], POD_ALPHABET)
            ),
        }
    }

    /// The part that all pods of one rollout step in one cluster share.
    fn replica_set(&self, pod: Pod<'_>) -> String {
        let clusters = u32::try_from(self.group.member_tags.len()).unwrap_or(1).max(1);
        let shared = Pod { replica: pod.replica % clusters, generation: 0, rolled_to: pod.rolled_to };
        spell(&self.digest("replica set", shared)[..9], POD_ALPHABET)
    }

    fn digest(&self, what: &str, pod: Pod<'_>) -> [u8; 32] {
        let mut text = format!("{what}\n{}\n{}\n{}\n", self.seed, self.scope, self.group.name);
        // Writing into a text cannot fail.
        let _ = write!(text, "{}\n{}\n{}", pod.replica, pod.generation, pod.rolled_to.unwrap_or_default());
        Sha256::digest(text.as_bytes()).into()
    }
}

/// The bytes as characters of an alphabet.
fn spell(bytes: &[u8], alphabet: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(alphabet[usize::from(*byte) % alphabet.len()])).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fleet::delegate::{is_delegate_id, replica_set};

    use super::*;

    fn cast(seed: u64, group: &Group) -> Cast {
        let token = Token::parse("00112233445566778899aabbccddeeff").unwrap();
        Cast::new(seed, &"acmecorp/payments".parse().unwrap(), group, token)
    }

    fn group(client: Kind, kind: Option<&str>, versions: &[&str]) -> Group {
        Group {
            kind: kind.map(str::to_owned),
            replicas: 50,
            versions: versions.iter().map(|&text| text.to_owned()).collect(),
            ..Group::new("edge", client)
        }
    }

    fn replica(replica: u32) -> Pod<'static> {
        Pod { replica, ..Pod::default() }
    }

    #[test]
    fn the_same_seed_gives_the_same_pods_and_another_seed_others() {
        let group = group(Kind::JavaStream, None, &["26.11.90604"]);
        assert_eq!(cast(1, &group).profile(replica(3)), cast(1, &group).profile(replica(3)));
        assert_ne!(
            cast(1, &group).profile(replica(3)).host_name,
            cast(2, &group).profile(replica(3)).host_name
        );
    }

    #[test]
    fn pods_of_one_group_share_a_replica_set_and_nothing_else() {
        let cast = cast(1, &group(Kind::JavaStream, None, &[]));
        let hosts: HashSet<_> = (0..50).map(|at| cast.profile(replica(at)).host_name).collect();
        let sets: HashSet<_> = hosts.iter().map(|host| replica_set(host).unwrap().to_owned()).collect();
        assert_eq!((hosts.len(), sets.len()), (50, 1));
    }

    #[test]
    fn a_rollout_makes_a_new_replica_set_and_a_replaced_pod_keeps_it() {
        let cast = cast(1, &group(Kind::JavaStream, None, &["26.10.90212"]));
        let first = cast.profile(replica(0)).host_name;
        let replaced = cast.profile(Pod { generation: 1, ..Pod::default() }).host_name;
        let rolled = cast.profile(Pod { generation: 1, rolled_to: Some("26.11.90604"), ..Pod::default() });
        assert_ne!(first, replaced);
        assert_eq!(replica_set(&first), replica_set(&replaced));
        assert_ne!(replica_set(&first), replica_set(&rolled.host_name));
        assert_eq!(rolled.version.as_deref(), Some("26.11.90604"));
    }

    #[test]
    fn two_clusters_have_two_replica_sets() {
        let member_tags = vec![vec!["cluster:a".to_owned()], vec!["cluster:b".to_owned()]];
        let cast = cast(1, &Group { member_tags, ..group(Kind::JavaStream, None, &[]) });
        let set = |at: u32| replica_set(&cast.profile(replica(at)).host_name).unwrap().to_owned();
        assert_eq!(set(0), set(2));
        assert_ne!(set(0), set(1));
    }

    #[test]
    fn machines_are_named_as_their_platform_names_them() {
        let host = |client, kind, versions: &[&str]| {
            cast(1, &group(client, kind, versions)).profile(replica(1)).host_name.as_ref().to_owned()
        };
        assert_eq!(host(Kind::Go, None, &[]), "edge-02");
        assert!(host(Kind::Runner, None, &[]).starts_with("ip-10-"));
        assert!(host(Kind::JavaRest, Some("ECS"), &[]).starts_with("ip-10-"));
        assert_eq!(host(Kind::JavaStream, Some("SHELL_SCRIPT"), &[]), "edge-host-02");
        assert_eq!(host(Kind::JavaStream, Some("DOCKER"), &[]).len(), 12);
        assert_eq!(host(Kind::JavaStream, None, &["1.0.82007"]), "edge-acmeco-1");
    }

    #[test]
    fn an_id_is_one_that_a_server_keeps() {
        let cast = cast(1, &group(Kind::Go, None, &[]));
        let ids: HashSet<_> = (0..50).map(|at| cast.delegate_id(replica(at))).collect();
        assert!(ids.len() == 50 && ids.iter().all(|id| is_delegate_id(id)));
    }
}
