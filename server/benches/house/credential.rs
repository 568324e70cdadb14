//! The token of the account ACC, and what a delegate makes of it.

/// Vector V2 of the protocol: account ACC, good until 2100.
pub(crate) const JWE: &str = "eyJlbmMiOiJBMTI4R0NNIiwiYWxnIjoiZGlyIn0..AAECAwQFBgcICQoL.UPdet921tULvV02yIa9tz35q72hOk6_OzHz2bIB-4goMq7ogZXg6yi6C19q_dqfOmkjl1Nmg6IjELBTIF9ktZKLV9u01E1H59FiTV2sJf8UV9VPJDUqqEjFjVd-LykOUxWWmHo3bg360DzfKHp_8NOljfBN-0FmPTJUmjgLTRwqbTNlW8zelaqLlFvmWzQgUAYenAru44ERL8hT7nA._iz_VW8FVKFURDXHwqvwkg";
/// In hexadecimal form.
pub(crate) const TOKEN: &str = "00112233445566778899aabbccddeeff";
