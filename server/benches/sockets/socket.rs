//! The connection of one delegate.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::house::credential::JWE;

/// Connections from one address, and the first port of them. Left to itself the system searches for a free one, which takes
/// the longer the fewer there are: most of the time of this benchmark.
const FROM_ONE: u32 = 20_000;
const FIRST_PORT: u32 = 10_000;

/// An open WebSocket.
pub(crate) struct Socket {
    stream: TcpStream,
    number: u32,
}

impl Socket {
    /// Opens it from an address of this machine and sends the first frame.
    pub(crate) async fn open(server: SocketAddr, number: u32, network: u8) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        let host = u8::try_from(number / FROM_ONE + 2).map_err(io::Error::other)?;
        let port = u16::try_from(FIRST_PORT + number % FROM_ONE).map_err(io::Error::other)?;
        // A run before this one may have left its ports to the system's patience.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::new(127, 0, network, host), port)))?;
        let mut stream = socket.connect(server).await?;
        let request = format!(
            "GET /stream/delegate/ACC?delegateId=d-{number:08}&token={JWE} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        // Nothing follows the head before the first frame is sent.
        let mut head = Vec::with_capacity(512);
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read_buf(&mut head).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        if !head.starts_with(b"HTTP/1.1 101") {
            return Err(io::Error::other(String::from_utf8_lossy(&head).into_owned()));
        }
        let mut this = Self { stream, number };
        this.beat().await?;
        Ok(this)
    }

    /// Sends a frame and waits for its acknowledgement.
    pub(crate) async fn beat(&mut self) -> io::Result<()> {
        let text = format!(
            r#"{{"accountId":"ACC","delegateId":"d-{:08}","version":"26.11.90604","token":"{JWE}"}}"#,
            self.number
        );
        let length = u16::try_from(text.len()).map_err(io::Error::other)?;
        // One whole text frame under a mask of zeros.
        let mut frame = vec![0x81, 0x80 | 0x7e];
        frame.extend(length.to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.stream.write_all(&frame).await?;
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).await?;
        let length = match head[1] {
            126 => self.stream.read_u16().await?,
            short => u16::from(short),
        };
        let mut answer = vec![0; usize::from(length)];
        self.stream.read_exact(&mut answer).await?;
        if head[0] == 0x81 { Ok(()) } else { Err(io::Error::other("no acknowledgement")) }
    }
}
