//! Tokens, securing, proxies, certificates.

use super::{Block, Topic};

pub(super) const TOPICS: &[Topic] = &[
    Topic {
        slug: "tokens",
        title: "Tokens",
        summary: "What a token decides, and what revoking and deleting do.",
        blocks: &[
            Block::Text(
                "A token lets delegates register, and its scope decides where they belong. Seeing a page takes no right to its tokens: values are shown only to those who may edit, when they are made.",
            ),
            Block::List(&[
                "Revoking shuts its holders out at once. The dialog names the delegates that use it.",
                "A revoked token can be deleted; otherwise it is removed 30 days later (`tokens.purge_days`). Until then its name is taken, and the page tells the day.",
                "A token can revoke itself at a time that you set.",
                "\"Last used\" is the newest successful authentication.",
            ]),
            Block::Heading("change", "Changing the token of a delegate"),
            Block::Steps(&[
                "Create the new one on the Tokens page of its scope.",
                "Set it as `DELEGATE_TOKEN`, in Kubernetes as `UPGRADER_TOKEN` too.",
                "Restart every instance: a token is read at the start only.",
                "Revoke the old one once nobody uses it.",
            ]),
        ],
    },
    Topic {
        slug: "securing",
        title: "Securing delegates",
        summary: "Who may register, and how to keep the rest out.",
        blocks: &[
            Block::List(&[
                "One token for each team or cluster: revoking one then hits nobody else.",
                "Registration allowlist: `registration.allowlist` names addresses and networks that may register. Others are blocked and written to the audit log.",
                "Approval: with `approval.required` a new delegate gets no work before a person approved it.",
                "Deleted delegates: with `delegates.deleted_policy` set to `refuse`, a deleted one that calls again is turned away.",
                "Few rights: give a namespace, not a cluster, and run without root where nothing has to be installed.",
                "Check the signature of images; keep tokens in a secret store instead of plain text.",
                "Mutual TLS: `DELEGATE_CLIENT_CERTIFICATE_PATH` and `DELEGATE_CLIENT_CERTIFICATE_KEY_PATH`.",
            ]),
            Block::Text(
                "Rollcall never calls a delegate, keeps no secrets of it in clear, and never shows a credential in log or page.",
            ),
            Block::Heading("tags", "Tags"),
            Block::Text(
                "The implicit tag is the lower-cased name; filters find it as well as the custom ones, and every tag is listed on the page of the delegate. Tags of the installation come back with every registration; tags that were added through the API last only until a member registers again, so set lasting ones as `DELEGATE_TAGS`.",
            ),
        ],
    },
    Topic {
        slug: "proxy",
        title: "Proxies",
        summary: "Variables for a way out through a proxy.",
        blocks: &[
            Block::Table(
                "Variables",
                &["Variable", "Meaning"],
                &[
                    &["`PROXY_HOST`, `PROXY_PORT`", "where the proxy is"],
                    &["`PROXY_SCHEME`", "`http` or `https`"],
                    &["`PROXY_USER`, `PROXY_PASSWORD`", "if it asks for them"],
                    &[
                        "`NO_PROXY`",
                        "names and addresses that are reached directly; no networks. Inside a cluster it must hold the address of the master",
                    ],
                    &["`PROXY_MANAGER`", "`false` reaches this server directly"],
                    &["`POLL_FOR_TASKS`", "`true` polls over HTTPS, for proxies that end WebSockets"],
                ],
            ),
            Block::Text(
                "Status 407 in the log means that the proxy asks for a name and a password. A proxy that looks into traffic shows its own certificate: put its authority into the trust store.",
            ),
            Block::Links(&[("Certificates", "/help/certificates"), ("Requirements", "/help/requirements")]),
        ],
    },
    Topic {
        slug: "certificates",
        title: "Certificates",
        summary: "An authority of your own, and the trust store.",
        blocks: &[
            Block::Text(
                "If this server, a proxy or a target shows a certificate of an authority of your own, the delegate must know that authority.",
            ),
            Block::Table(
                "Variables",
                &["Variable", "Meaning"],
                &[
                    &["`DESTINATION_CA_PATH`", "files with authorities for the delegate and its builds"],
                    &["`ADDITIONAL_CERTS_PATH`", "files that are added to the trust store of the delegate"],
                    &["`CI_MOUNT_VOLUMES`", "the same for build pods"],
                    &["`HARNESS_CERTS_DIR`", "a folder with authorities, for 3.x"],
                    &["`TRUST_ALL_CERTIFICATES`", "trusts everybody: for a first look only"],
                ],
            ),
            Block::Text(
                "In Kubernetes mount the files from a Secret or ConfigMap. A trust store is read at the start, so restart the delegate.",
            ),
        ],
    },
];
