//! A way to a database that can be cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Hands connections on until it is cut; then it ends them and takes no more.
pub(crate) struct Proxy {
    port: u16,
    /// Where it leads.
    target: Arc<AtomicU16>,
    open: Arc<watch::Sender<bool>>,
}

impl Proxy {
    /// In front of a port of this machine.
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listen");
        let own = listener.local_addr().expect("address").port();
        let open = Arc::new(watch::Sender::new(true));
        let state = Arc::clone(&open);
        let target = Arc::new(AtomicU16::new(port));
        let there = Arc::clone(&target);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *state.borrow() {
                    tokio::spawn(hand_on(client, there.load(Ordering::Relaxed), state.subscribe()));
                }
            }
        });
        Self { port: own, target, open }
    }

    /// The URL of a database by this way.
    pub(crate) fn by(&self, url: &str) -> String {
        let (head, tail) = url.rsplit_once(':').expect("a port");
        let (_, path) = tail.split_once('/').expect("a database");
        format!("{head}:{}/{path}", self.port)
    }

    /// Hands new connections on to another port.
    pub(crate) fn lead_to(&self, port: u16) {
        self.target.store(port, Ordering::Relaxed);
    }

    pub(crate) fn cut(&self) {
        self.open.send_replace(false);
    }

    pub(crate) fn mend(&self) {
        self.open.send_replace(true);
    }
}

async fn hand_on(mut client: TcpStream, port: u16, mut open: watch::Receiver<bool>) {
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut client, &mut server) => {}
        _ = open.wait_for(|open| !open) => {}
    }
}

/// The port in a URL of a database.
pub(crate) fn port_of(url: &str) -> u16 {
    let tail = url.rsplit_once(':').expect("a port").1;
    tail.split_once('/').expect("a database").0.parse().expect("a number")
}
