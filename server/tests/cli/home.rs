//! The program in a folder of its own, once or as a running server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Vector V2 of the protocol: account ACC, the key above, good until 2100.
const JWE: &str = "eyJlbmMiOiJBMTI4R0NNIiwiYWxnIjoiZGlyIn0..AAECAwQFBgcICQoL.UPdet921tULvV02yIa9tz35q72hOk6_OzHz2bIB-4goMq7ogZXg6yi6C19q_dqfOmkjl1Nmg6IjELBTIF9ktZKLV9u01E1H59FiTV2sJf8UV9VPJDUqqEjFjVd-LykOUxWWmHo3bg360DzfKHp_8NOljfBN-0FmPTJUmjgLTRwqbTNlW8zelaqLlFvmWzQgUAYenAru44ERL8hT7nA._iz_VW8FVKFURDXHwqvwkg";

/// A folder of its own with everything in it.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("folder"))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rollcall"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("ROLLCALL_DATABASE")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        told(self.command(arguments).output().expect("run"))
    }

    /// Runs a command that reads `input`.
    pub(crate) fn feed(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("run");
        child.stdin.take().expect("stdin").write_all(input.as_bytes()).expect("write");
        told(child.wait_with_output().expect("output"))
    }

    /// Somebody who may do everything, with a key.
    pub(crate) fn key(&self, account: &str) -> String {
        let email = "root@acme.example";
        let user = ["user", "create", "--email", email, "--scope", "*", "--role", "admin"];
        assert_eq!(self.feed(&user, "correct horse battery\n").0, 0);
        let (code, key, errors) =
            self.run(&["api-key", "create", "--user", email, "--name", "test", "--scope", account]);
        assert_eq!((code, errors.as_str()), (0, ""));
        key.trim().to_owned()
    }

    /// A server on a free port, with what it prints.
    pub(crate) fn serve(&self) -> (Child, BufReader<ChildStdout>, String) {
        let mut child = self
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("serve");
        let mut reader = BufReader::new(child.stdout.take().expect("stdout"));
        let mut address = String::new();
        reader.read_line(&mut address).expect("address");
        (child, reader, address.trim().to_owned())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

pub(crate) fn told(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// A running server; killed when dropped.
pub(crate) struct Serving {
    pub(crate) child: Child,
    address: String,
    /// For what people and tools read.
    pub(crate) key: String,
}

impl Serving {
    pub(crate) fn start(home: &Home) -> Self {
        let (child, _, address) = home.serve();
        let address = address.strip_prefix("http://").expect("address").to_owned();
        Self { child, address, key: String::new() }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("connect");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Delegate {JWE}\r\nX-Api-Key: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            self.key,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("send");
        stream.write_all(body.as_bytes()).expect("send");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answer");
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("status");
        (status, answer)
    }

    /// Asks until `good`, for at most 20 s.
    pub(crate) fn until(&self, path: &str, good: impl Fn(u16, &str) -> bool) -> String {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let (status, answer) = self.request("GET", path, "");
            if good(status, &answer) {
                return answer;
            }
            assert!(Instant::now() < end, "{path} never came: {answer}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
