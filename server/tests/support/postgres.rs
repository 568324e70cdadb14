//! A PostgreSQL server of its own for each test or benchmark program.
//!
//! Include it with `#[path]`. The server is started from the binaries of the machine in a temporary folder, on a
//! free port of the loopback interface, and ends with the program, however that ends.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// Where distributions keep the binaries, one folder per major version.
const DISTRIBUTION: &str = "/usr/lib/postgresql";
/// The user that runs the server when tests run as root, which PostgreSQL refuses to do.
const USER: &str = "postgres";
/// Tries to find a port that nobody takes between the choice and the start.
const TRIES: u32 = 5;
/// How often it is looked whether the server is ready.
const POLL_EVERY: Duration = Duration::from_millis(50);
/// Looks before a start counts as failed: one minute.
const POLLS: u32 = 1_200;

/// Stays beside the server and reads a pipe whose other end the test program holds. The pipe closes when that
/// program ends, even by SIGKILL; then the server is stopped and its folder deleted.
const GUARD: &str = r#"
trap '' INT TERM HUP
folder=$1
shift
exec 3<&0
"$@" </dev/null >"$folder/log" 2>&1 3<&- &
server=$!
(cat <&3 >/dev/null; kill -QUIT "$server" 2>/dev/null) &
wait "$server"
: >"$folder/ended"
cat <&3 >/dev/null
rm -rf "$folder"
"#;

static SERVER: OnceLock<Server> = OnceLock::new();

/// A database that nobody else uses, as a URL. It is empty: not even migrated.
///
/// # Panics
/// There are no PostgreSQL binaries, or they do not start.
pub(crate) async fn fresh_database() -> String {
    let server = SERVER.get_or_init(Server::start);
    let name = format!("test_{}", server.databases.fetch_add(1, Ordering::Relaxed));
    let mut connection = PgConnection::connect(&server.url("postgres")).await.expect("PostgreSQL answers");
    let create = AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::query(create).execute(&mut connection).await.expect("PostgreSQL creates a database");
    connection.close().await.expect("PostgreSQL ends a session");
    server.url(&name)
}

/// A running server.
pub(crate) struct Server {
    port: u16,
    password: String,
    databases: AtomicU32,
    /// Holds the pipe that keeps the server alive.
    _guard: Child,
}

impl Server {
    /// One of its own.
    pub(crate) fn start() -> Self {
        let binaries = Binaries::find();
        let mut log = String::new();
        for _ in 0..TRIES {
            match Self::try_start(&binaries) {
                Ok(server) => return server,
                Err(failure) => log = failure,
            }
        }
        panic!("PostgreSQL did not start:\n{log}");
    }

    fn try_start(binaries: &Binaries) -> Result<Self, String> {
        let folder =
            tempfile::Builder::new().prefix("rollcall-postgres-").tempdir().expect("temporary folder");
        let password = format!("{:032x}", rand::random::<u128>());
        binaries.initialise(folder.path(), &password);
        let port = free_port();
        // From here on the guard deletes the folder.
        let folder = folder.keep();
        let mut guard = binaries.serve(&folder, port);
        for _ in 0..POLLS {
            if is_ready(&folder) {
                return Ok(Self { port, password, databases: AtomicU32::new(0), _guard: guard });
            }
            if folder.join("ended").exists() {
                break;
            }
            std::thread::sleep(POLL_EVERY);
        }
        let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
        drop(guard.stdin.take());
        guard.wait().expect("the guard ends with its pipe");
        Err(log)
    }

    /// A database of it.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://rollcall:{}@127.0.0.1:{}/{database}", self.password, self.port)
    }
}

/// The server says itself when it takes connections: on the eighth line of its lock file.
pub(crate) fn is_ready(folder: &Path) -> bool {
    let lock = std::fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
    lock.lines().nth(7).is_some_and(|status| status.trim() == "ready")
}

/// A port that nobody listens on, for now.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// The programs of PostgreSQL.
pub(crate) struct Binaries {
    /// Empty where they are found through PATH.
    folder: PathBuf,
    /// What runs a program as another user; empty unless this is root.
    as_user: Vec<&'static str>,
}

impl Binaries {
    /// Those on PATH, or the newest that is installed.
    pub(crate) fn find() -> Self {
        let candidates = std::iter::once(PathBuf::new()).chain(newest_first());
        let folder = candidates
            .into_iter()
            .find(|folder| runs(&folder.join("initdb")) && runs(&folder.join("postgres")))
            .unwrap_or_else(|| {
                panic!(
                    "the tests need PostgreSQL: `initdb` and `postgres` are neither on PATH nor in \
                     {DISTRIBUTION}/*/bin (Debian: apt-get install postgresql)"
                )
            });
        Self { folder, as_user: as_user() }
    }

    /// What runs one of them, as the user that may.
    pub(crate) fn command(&self, program: &str) -> Vec<String> {
        let program = self.folder.join(program).display().to_string();
        self.as_user.iter().map(|&word| word.to_owned()).chain([program]).collect()
    }

    fn initialise(&self, folder: &Path, password: &str) {
        let secret = folder.join("password");
        std::fs::write(&secret, password).expect("password file");
        if !self.as_user.is_empty() {
            let owner = Command::new("chown").args(["-R", USER]).arg(folder).status();
            assert!(owner.is_ok_and(|status| status.success()), "cannot give {} to {USER}", folder.display());
        }
        let words = self.command("initdb");
        let output = Command::new(&words[0])
            .args(&words[1..])
            .args(["--username=rollcall", "--auth=password", "--encoding=UTF8", "--locale=C", "--no-sync"])
            .arg(format!("--pwfile={}", secret.display()))
            .arg("--pgdata")
            .arg(folder.join("data"))
            .current_dir(folder)
            .output()
            .expect("initdb runs");
        assert!(output.status.success(), "initdb failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Serves the data in a folder, which goes with the server.
    pub(crate) fn serve(&self, folder: &Path, port: u16) -> Child {
        let settings = [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=200",
            "fsync=off",
            "full_page_writes=off",
        ];
        Command::new("sh")
            .args(["-c", GUARD, "guard"])
            .arg(folder)
            .args(self.command("postgres"))
            .arg("-D")
            .arg(folder.join("data"))
            .args(["-p", &port.to_string()])
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A signal to the whole group of the test program must not reach the guard.
            .process_group(0)
            .spawn()
            .expect("sh runs")
    }
}

/// Folders of installed versions.
fn newest_first() -> Vec<PathBuf> {
    let versions = std::fs::read_dir(DISTRIBUTION).into_iter().flatten().flatten();
    let mut numbered: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    numbered.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    numbered.into_iter().map(|(_, folder)| folder).collect()
}

fn runs(program: &Path) -> bool {
    answer(Command::new(program).arg("--version")).is_some()
}

fn as_user() -> Vec<&'static str> {
    let user = answer(Command::new("id").arg("-u")).expect("`id` tells the user");
    if user.trim() != "0" {
        return Vec::new();
    }
    assert!(
        answer(Command::new("id").args(["-u", USER])).is_some(),
        "PostgreSQL does not run as root, and there is no user {USER}"
    );
    if runs(Path::new("setpriv")) {
        vec!["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
    } else {
        vec!["runuser", "-u", USER, "--"]
    }
}

fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
