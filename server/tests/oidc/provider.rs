//! A real identity provider as a child process, and a browser that signs in there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use server::auth::oidc::{External, Oidc, OidcConfig, OidcError};
use server::clock::Clock;
use server::tokens::vault::Vault;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// That of every node.
pub(crate) fn vault() -> Arc<Vault> {
    Arc::new(Vault::from_key([7; 32]))
}

/// Where the provider sends browsers back to; nothing listens there.
pub(crate) const CALLBACK: &str = "http://127.0.0.1:1/sign-in/sso/callback";
/// This server's secret at the provider.
pub(crate) const SECRET: &str = "tests-only-a8f5f167f44f4964e6c998dee827110c";
/// How long the provider may take to start on a busy machine.
const START: Duration = Duration::from_mins(2);
/// How often a browser is sent on during one sign-in at most.
const MAX_STEPS: usize = 12;

/// The provider; it ends with this value.
pub(crate) struct Provider {
    child: Child,
    /// Its address and name.
    pub(crate) issuer: String,
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../end2end/provider"));
        assert!(
            folder.join("node_modules/oidc-provider").is_dir(),
            "the identity provider of the tests is not installed; run: scripts/install-tools.sh test"
        );
        let spawned = Command::new("node")
            .arg("provider.js")
            .args(["--client", "rollcall", "--secret", SECRET, "--redirect", CALLBACK])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let mut child = spawned.expect("node must be installed; run: scripts/install-tools.sh test");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let said = async {
            while let Some(line) = lines.next_line().await.expect("output") {
                if let Ok(said) = serde_json::from_str::<serde_json::Value>(&line) {
                    return said["issuer"].as_str().map(str::to_owned);
                }
            }
            None
        };
        let issuer = tokio::time::timeout(START, said).await.expect("the provider starts in time");
        let Some(issuer) = issuer else {
            let mut why = String::new();
            child.stderr.take().expect("errors").read_to_string(&mut why).await.expect("errors");
            panic!("the identity provider did not start: {why}");
        };
        Self { child, issuer }
    }

    /// Settings that fit this provider, with some roles.
    pub(crate) fn config(&self) -> OidcConfig {
        config(&self.issuer, SECRET)
    }

    pub(crate) fn oidc(&self) -> Oidc {
        Oidc::new(self.config(), Clock::system(), vault()).expect("settings")
    }

    pub(crate) async fn stop(&mut self) {
        self.child.kill().await.expect("stopped");
    }
}

/// Settings for a provider at `issuer`.
pub(crate) fn config(issuer: &str, secret: &str) -> OidcConfig {
    let text = format!(
        "issuer = '{issuer}'\nclient_id = 'rollcall'\nclient_secret = '{secret}'\nredirect_url = '{CALLBACK}'\n\
         [[roles]]\ngroup = 'fleet-admins'\nscope = 'acme'\nrole = 'account_admin'\n\
         [[roles]]\ngroup = 'everyone'\nscope = 'acme'\nrole = 'viewer'\n"
    );
    toml::from_str(&text).expect("settings")
}

/// Goes where a browser is sent until it is sent back; returns the query of that address.
pub(crate) async fn browse(mut url: Url, login: &str) -> String {
    url.query_pairs_mut().append_pair("login_hint", login);
    let client = Client::builder().no_proxy().redirect(Policy::none()).build().expect("client");
    let mut cookies = BTreeMap::new();
    for _ in 0..MAX_STEPS {
        let pairs: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let answer = client.get(url.clone()).header(COOKIE, pairs.join("; ")).send().await.expect("answer");
        for cookie in answer.headers().get_all(SET_COOKIE) {
            let pair = cookie.to_str().expect("cookie").split(';').next().expect("pair");
            let (name, value) = pair.split_once('=').expect("name and value");
            cookies.insert(name.to_owned(), value.to_owned());
        }
        let Some(next) = answer.headers().get(LOCATION) else {
            panic!("{url} answered {}: {}", answer.status(), answer.text().await.expect("text"));
        };
        url = url.join(next.to_str().expect("address")).expect("address");
        if url.as_str().starts_with(CALLBACK) {
            return url.query().unwrap_or_default().to_owned();
        }
    }
    panic!("the provider sends the browser round and round");
}

/// A whole sign-in.
pub(crate) async fn sign_in(oidc: &Oidc, login: &str, next: &str) -> Result<External, OidcError> {
    let begin = oidc.begin(next).await?;
    let query = browse(begin.url, login).await;
    oidc.finish(&begin.cookie_value, &query).await
}
