//! What a choice says of the way to this server and of the surroundings in AWS.

use super::{Choice, Wrong, one, wrong};
use crate::install::{Aws, Proxy};

/// The log group that all delegates share (`product 16.8`).
const LOG_GROUP: &str = "/ecs/harness-delegate";

impl Choice {
    /// The proxy of a classic delegate. Name and password for it stay out of addresses.
    pub(super) fn proxy(&self, keep: &mut impl FnMut(Result<(), Wrong>)) -> Option<Proxy> {
        let (given, except) = (self.get("proxy"), self.get("no_proxy"));
        if given.is_empty() || !self.platform.is_classic() {
            return None;
        }
        if given.contains('@') {
            let message = "Leave out user and password: this address is kept in histories. Add PROXY_USER and \
                           PROXY_PASSWORD to the file by hand.";
            keep(Err(wrong("proxy", message)));
            return None;
        }
        let parts = given.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
        let parsed = parts.and_then(|(scheme, rest)| {
            let (host, port) = rest.trim_end_matches('/').rsplit_once(':')?;
            let named =
                !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]_".contains(c));
            Some((scheme, host, port.parse::<u16>().ok().filter(|port| *port > 0 && named)?))
        });
        let Some((scheme, host, port)) = parsed else {
            keep(Err(wrong("proxy", "Give scheme, host and port, such as http://proxy.example:3128.")));
            return None;
        };
        if except.contains('/') {
            keep(Err(wrong(
                "no_proxy",
                "Give names and addresses: networks such as 10.0.0.0/8 are not understood.",
            )));
        } else if except.is_empty() && self.platform.is_cluster() {
            keep(Err(wrong(
                "no_proxy",
                "Inside a cluster, name at least the address of the cluster's master.",
            )));
        }
        Some(Proxy { scheme: scheme.to_owned(), host: host.to_owned(), port, except: except.to_owned() })
    }

    /// Cluster, role, network, secret and logs of ECS.
    pub(super) fn aws(&self, keep: &mut impl FnMut(Result<(), Wrong>)) -> Aws {
        let or = |field: &str, default: &str| {
            let given = self.get(field);
            if given.is_empty() { default.to_owned() } else { given.to_owned() }
        };
        let mut check = |field: &'static str, fits: bool, message: &str| {
            if !fits && !self.get(field).is_empty() {
                keep(Err(wrong(field, message)));
            }
        };
        let (region, cluster) = (or("region", "us-east-1"), or("cluster", "harness-delegate"));
        let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        check("region", region.len() <= 32 && region.chars().all(lower), "Give a region, such as us-east-1.");
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        check(
            "cluster",
            cluster.len() <= 255 && cluster.chars().all(word),
            "Give letters, digits, dashes and underscores, 255 at most.",
        );
        let role = self.get("role");
        check(
            "role",
            is_arn(role) && role.contains(":iam::") && role.contains(":role/"),
            "Give the ARN of a role, such as arn:aws:iam::111122223333:role/ecsTaskExecutionRole.",
        );
        let secret = self.get("secret");
        check(
            "secret",
            is_arn(secret) && secret.contains(":secretsmanager:"),
            "Give the ARN of a secret, such as arn:aws:secretsmanager:us-east-1:111122223333:secret:delegate-AbCdEf.",
        );
        let (subnets, groups) = (listed(self.get("subnets")), listed(self.get("groups")));
        let named = |list: &[String], prefix: &str| {
            list.iter().all(|id| id.starts_with(prefix) && id.chars().all(word))
        };
        check(
            "subnets",
            named(&subnets, "subnet-"),
            "Give ids such as subnet-0a1b2c3d, with commas between them.",
        );
        check("groups", named(&groups, "sg-"), "Give ids such as sg-0a1b2c3d, with commas between them.");
        let public_ip = one(self, "public_ip", [("", false), ("yes", true)], keep);
        let own_logs = one(self, "logs", [("", false), ("own", true)], keep);
        Aws {
            region,
            cluster,
            execution_role: role.to_owned(),
            subnets,
            security_groups: groups,
            public_ip,
            secret: Some(secret.to_owned()).filter(|secret| !secret.is_empty()),
            log_group: if own_logs { format!("/ecs/{}", self.name()) } else { LOG_GROUP.to_owned() },
        }
    }
}

fn is_arn(text: &str) -> bool {
    text.starts_with("arn:aws") && text.len() <= 2048 && text.chars().all(|c| c.is_ascii_graphic())
}

fn listed(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
