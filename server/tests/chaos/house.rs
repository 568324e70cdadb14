//! The program with a database of its own, as an operator starts, kills and asks it.

use std::process::Stdio;
use std::time::Duration;

use reqwest::{Client, Response, StatusCode};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

/// Vector V2 of the protocol: account ACC, the token below, good until 2100.
pub(crate) const JWE: &str = "eyJlbmMiOiJBMTI4R0NNIiwiYWxnIjoiZGlyIn0..AAECAwQFBgcICQoL.UPdet921tULvV02yIa9tz35q72hOk6_OzHz2bIB-4goMq7ogZXg6yi6C19q_dqfOmkjl1Nmg6IjELBTIF9ktZKLV9u01E1H59FiTV2sJf8UV9VPJDUqqEjFjVd-LykOUxWWmHo3bg360DzfKHp_8NOljfBN-0FmPTJUmjgLTRwqbTNlW8zelaqLlFvmWzQgUAYenAru44ERL8hT7nA._iz_VW8FVKFURDXHwqvwkg";
const TOKEN: &str = "00112233445566778899aabbccddeeff";
const EMAIL: &str = "admin@example.com";
const PASSWORD: &str = "correct horse battery";
/// How long a start may take.
const START: Duration = Duration::from_mins(1);

/// A database with an account, a token and somebody who may do everything.
pub(crate) struct House {
    folder: TempDir,
    pub(crate) database: String,
}

/// A running server.
pub(crate) struct Node {
    child: Child,
    pub(crate) url: String,
}

impl House {
    /// On SQLite, or on the PostgreSQL database of a URL.
    pub(crate) async fn new(postgres: Option<String>) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let file = format!("sqlite://{}", folder.path().join("rollcall.db").display());
        let house = Self { folder, database: postgres.unwrap_or(file) };
        house.command(&["scope", "create", "ACC"], "").await;
        house
            .command(&["token", "create", "--scope", "ACC", "--name", "agents", "--import", TOKEN], "")
            .await;
        let user = ["user", "create", "--email", EMAIL, "--scope", "*", "--role", "admin"];
        house.command(&user, &format!("{PASSWORD}\n")).await;
        house.command(&["setting", "set", "delegates.delete_connected", "true", "--scope", "ACC"], "").await;
        house
    }

    fn program(&self, database: &str) -> Command {
        self.settle(Command::new(env!("CARGO_BIN_EXE_rollcall")), database)
    }

    fn settle(&self, mut command: Command, database: &str) -> Command {
        command
            .current_dir(self.folder.path())
            .env("ROLLCALL_DATABASE", database)
            .env("ROLLCALL_LOG", "error")
            .kill_on_drop(true);
        command
    }

    async fn command(&self, arguments: &[&str], input: &str) {
        use tokio::io::AsyncWriteExt as _;
        let mut child = self
            .program(&self.database)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("run");
        let mut stdin = child.stdin.take().expect("stdin");
        stdin.write_all(input.as_bytes()).await.expect("input");
        drop(stdin);
        let output = child.wait_with_output().await.expect("end");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Starts a server and waits until it is ready.
    pub(crate) async fn start(&self) -> Node {
        self.start_on(&self.database).await
    }

    /// The same with another way to the database.
    pub(crate) async fn start_on(&self, database: &str) -> Node {
        self.begin(self.program(database)).await
    }

    /// Starts a server none of whose files can grow beyond so many KiB.
    pub(crate) async fn start_with_files_of(&self, kibibytes: u32) -> Node {
        let mut shell = Command::new("bash");
        let limited = "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"";
        shell.args(["-c", limited, &kibibytes.to_string(), env!("CARGO_BIN_EXE_rollcall")]);
        self.begin(self.settle(shell, &self.database)).await
    }

    /// The exit code of a server that cannot start, and what it says.
    pub(crate) async fn fail_to_start(&self) -> (Option<i32>, String) {
        let mut command = self.program(&self.database);
        let output = command.args(["serve", "--listen", "127.0.0.1:0"]).stdin(Stdio::null()).output();
        let output = tokio::time::timeout(START, output).await.expect("it ends").expect("run");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    async fn begin(&self, mut command: Command) -> Node {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("log"));
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.expect("log"))
            .spawn()
            .expect("serve");
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("stdout"));
        lines.read_line(&mut line).await.expect("address");
        let node = Node { child, url: line.trim().to_owned() };
        assert!(!node.url.is_empty(), "it did not start:\n{}", self.log());
        let end = Instant::now() + START;
        while !node.is_ready().await {
            assert!(Instant::now() < end, "it never got ready:\n{}", self.log());
            sleep(Duration::from_millis(20)).await;
        }
        node
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Node {
    pub(crate) async fn is_ready(&self) -> bool {
        let asked = reqwest::get(format!("{}/readyz", self.url)).await;
        asked.is_ok_and(|answer| answer.status() == StatusCode::OK)
    }

    /// As a power cut does.
    pub(crate) async fn kill(&mut self) {
        self.child.start_kill().expect("kill");
        self.child.wait().await.expect("end");
    }

    /// As an operator does; how long it took.
    pub(crate) async fn stop(&mut self) -> Duration {
        let started = Instant::now();
        let id = self.child.id().expect("running").to_string();
        assert!(Command::new("kill").arg(id).status().await.expect("kill").success());
        assert!(self.child.wait().await.expect("end").success());
        started.elapsed()
    }
}

/// Sends a form as a browser of this site would.
pub(crate) async fn post(
    client: &Client,
    url: &str,
    path: &str,
    cookie: &str,
    form: &[(&str, &str)],
) -> Option<Response> {
    let body = form.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&");
    let request = client
        .post(format!("{url}{path}"))
        .header("origin", url)
        .header("cookie", cookie)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body);
    request.send().await.ok()
}

/// The cookie of somebody who may do everything.
pub(crate) async fn sign_in(client: &Client, url: &str) -> String {
    let password = PASSWORD.replace(' ', "+");
    let form = [("email", EMAIL), ("password", &*password)];
    let answer = post(client, url, "/sign-in", "", &form).await.expect("answer");
    let cookie =
        answer.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok()).unwrap_or_default();
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    assert!(cookie.contains("session="), "{}: {cookie}", answer.status());
    cookie
}

/// A client that follows nothing and keeps connections.
pub(crate) fn client() -> Client {
    Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(10))
        .build()
        .expect("client")
}
