//! Where to listen → bound sockets, or why not and what helps.
//!
//! In: `listen` and `control` of the configuration. Out: [`Listener`]s. A Unix socket left by a process that died is
//! replaced; one that somebody answers on is not. A socket gets its mode before it takes connections. Sockets that
//! systemd hands over (`sd_listen_fds(3)`) are already bound, and stay so while this process is gone.

use super::door::Door;
use super::guard::Peer;
use super::reader::Caller;
use crate::model::{Control, ControlError, Listen};
use listenfd::ListenFd;
use std::fs::{DirBuilder, Permissions};
use std::future::{Future, poll_fn};
use std::io::{Error, ErrorKind};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixSocket, UnixStream};

/// Connections that wait in the kernel, where it allows so many: one that finds no room tries again a second later.
const BACKLOG: u32 = 4_096;
/// The permission bits of a Unix socket: its owner and its group may connect.
const SOCKET_MODE: u32 = 0o660;
/// The permission bits of the control socket's folder where it is made.
const FOLDER_MODE: u32 = 0o750;
/// How long somebody may take to answer on a socket that is in the way.
const PROBE: Duration = Duration::from_secs(1);

/// Why a socket could not be bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Somebody else has the address.
    #[error("cannot listen on `{address}`: another program does; stop it, or set `{key}` of [server] to another one")]
    Busy {
        /// `listen` or `control`.
        key: &'static str,
        /// The address.
        address: String,
    },
    /// The path of a socket is taken by something else.
    #[error("cannot listen on `{}`: it is there and no socket; move it away, or change `{key}` of [server]", .path.display())]
    NoSocket {
        /// `listen` or `control`.
        key: &'static str,
        /// What is in the way.
        path: PathBuf,
    },
    /// The path of the control socket is too long.
    #[error(transparent)]
    TooLong(#[from] ControlError),
    /// The system refuses.
    #[error("cannot listen on `{address}`: {source}; {}", remedy(source, key))]
    Refused {
        /// `listen` or `control`.
        key: &'static str,
        /// The address.
        address: String,
        /// Why.
        source: Error,
    },
}

fn remedy(error: &Error, key: &str) -> String {
    let help = match error.kind() {
        ErrorKind::PermissionDenied => "take a port above 1023, or a folder that pagewire's user may write to",
        ErrorKind::AddrNotAvailable => "take an address that this machine has",
        ErrorKind::NotFound => "make its folder",
        _ => "take another one",
    };
    format!("{help}: `{key}` of [server]")
}

/// Who comes in by a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everybody.
    Public,
    /// Whoever the mode of the control socket lets in: the operator.
    Control,
}

#[derive(Debug)]
enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A socket that listens.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    role: Role,
    door: Door,
}

/// A connection that came in.
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl From<TcpListener> for Listener {
    /// For everybody.
    fn from(listener: TcpListener) -> Self {
        Self::new(Socket::Tcp(listener), Role::Public)
    }
}

impl Listener {
    /// A Unix socket with a role.
    pub fn unix(listener: UnixListener, role: Role) -> Self {
        Self::new(Socket::Unix(listener), role)
    }

    fn new(socket: Socket, role: Role) -> Self {
        Self { socket, role, door: Door::default() }
    }

    /// Whether it lets anybody in.
    pub fn door(&self) -> &Door {
        &self.door
    }

    /// Who comes in here.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The address of a TCP socket: which port port 0 became.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.socket {
            Socket::Tcp(listener) => listener.local_addr().ok(),
            Socket::Unix(_) => None,
        }
    }

    /// Where it is, as `listen` would say it, for people.
    pub fn name(&self) -> String {
        let path = |listener: &UnixListener| Some(listener.local_addr().ok()?.as_pathname()?.display().to_string());
        match &self.socket {
            Socket::Tcp(listener) => {
                listener.local_addr().map_or_else(|e| e.to_string(), |address| address.to_string())
            }
            Socket::Unix(listener) => {
                path(listener).map_or_else(|| "a Unix socket".to_owned(), |path| format!("unix:{path}"))
            }
        }
    }

    /// The next connection.
    pub(super) async fn accept(&self) -> Result<(Stream, Peer, Caller), Error> {
        let mut next = pin!(self.next());
        poll_fn(|cx| {
            let came = next.as_mut().poll(cx);
            match came {
                // Nobody waits.
                Poll::Pending => self.door.open(),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(_)) => self.door.shut(),
            }
            came
        })
        .await
    }

    async fn next(&self) -> Result<(Stream, Peer, Caller), Error> {
        match &self.socket {
            Socket::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let near = address.ip().to_canonical().is_loopback();
                let peer = if near { Peer::Loopback } else { Peer::Outside };
                Ok((Stream::Tcp(stream), peer, Caller(Some(address.ip()))))
            }
            Socket::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                let peer = if self.role == Role::Control { Peer::Control } else { Peer::Outside };
                Ok((Stream::Unix(stream), peer, Caller(None)))
            }
        }
    }
}

/// The sockets that were handed over: of those named `control` the operator comes in, of all others everybody.
///
/// # Errors
/// When one is no socket that listens for streams.
pub fn inherited() -> Result<Vec<Listener>, BindError> {
    let mut given = ListenFd::from_env();
    let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
    let mut names = names.split(':');
    let mut listeners = Vec::new();
    for number in 0..given.len() {
        let name = names.next().unwrap_or_default();
        let failed =
            |source| BindError::Refused { key: "listen", address: format!("socket {number} handed over"), source };
        let role = if name == "control" { Role::Control } else { Role::Public };
        let taken = match given.take_tcp_listener(number) {
            Ok(Some(tcp)) => tcp.set_nonblocking(true).and_then(|()| TcpListener::from_std(tcp)).map(Socket::Tcp),
            Ok(None) => continue,
            Err(_) => given.take_unix_listener(number).and_then(|unix| {
                let unix = unix.ok_or(ErrorKind::InvalidInput)?;
                unix.set_nonblocking(true)?;
                UnixListener::from_std(unix).map(Socket::Unix)
            }),
        };
        listeners.push(Listener::new(taken.map_err(failed)?, role));
    }
    Ok(listeners)
}

/// Binds one address of `listen`.
///
/// # Errors
/// When the address is taken or the system refuses it.
pub async fn bind(listen: &Listen) -> Result<Listener, BindError> {
    match listen {
        Listen::Tcp(address) => match tcp(*address) {
            Ok(listener) => Ok(listener.into()),
            Err(e) => Err(refused("listen", listen.to_string(), e)),
        },
        Listen::Unix(path) => Ok(Listener::unix(unix("listen", path).await?, Role::Public)),
    }
}

/// Binds the control socket, and makes its folder where it is missing.
///
/// # Errors
/// When its path is too long or taken, or the system refuses it.
pub async fn bind_control(control: &Control) -> Result<Listener, BindError> {
    let path = control.socket()?;
    if let Some(folder) = path.parent() {
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
        made.map_err(|e| refused("control", path.display().to_string(), e))?;
    }
    Ok(Listener::unix(unix("control", path).await?, Role::Control))
}

fn refused(key: &'static str, address: String, source: Error) -> BindError {
    match source.kind() {
        ErrorKind::AddrInUse => BindError::Busy { key, address },
        _ => BindError::Refused { key, address, source },
    }
}

fn tcp(address: SocketAddr) -> Result<TcpListener, Error> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restart must not wait for the last connections of the process before.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn unix(key: &'static str, path: &Path) -> Result<UnixListener, BindError> {
    let failed = |e| refused(key, path.display().to_string(), e);
    clear(key, path).await?;
    let socket = UnixSocket::new_stream().map_err(failed)?;
    socket.bind(path).map_err(failed)?;
    // Nobody can connect before `listen`, whatever the umask made of the mode.
    std::fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE)).map_err(failed)?;
    socket.listen(BACKLOG).map_err(failed)
}

/// Removes a socket on which nobody answers.
async fn clear(key: &'static str, path: &Path) -> Result<(), BindError> {
    let failed = |e| refused(key, path.display().to_string(), e);
    match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(e)),
        Ok(there) if !there.file_type().is_socket() => return Err(BindError::NoSocket { key, path: path.to_owned() }),
        Ok(_) => {}
    }
    match tokio::time::timeout(PROBE, UnixStream::connect(path)).await {
        Ok(Err(e)) if e.kind() == ErrorKind::ConnectionRefused => std::fs::remove_file(path).map_err(failed),
        Ok(Err(e)) if e.kind() == ErrorKind::NotFound => Ok(()),
        Ok(Err(e)) if e.kind() == ErrorKind::PermissionDenied => Err(failed(e)),
        _ => Err(BindError::Busy { key, address: path.display().to_string() }),
    }
}
