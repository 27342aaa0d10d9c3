//! Connections: taken from a listener, given a seat, served until they end or their time is up.
//!
//! In: a [`Listener`]. Out: requests to [`route`](super::route), answers to whoever asked. `hyper` speaks HTTP; its own
//! timer knows one limit, which would end an idle connection as early as a half-sent head, and none for a reader that
//! stops reading, so the time of a connection is kept here, by what its socket is seen to do ([`Seat`]).

use super::listen::{Listener, Stream};
use super::seat::{Seat, Seats, Sitting};
use super::{Server, answer, guard::Peer, reader::Caller, route, stopped};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io::{Error, IoSlice};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// For connections that wait when the server stops.
const LATE: Duration = Duration::from_millis(20);
/// After a connection could not be taken: out of files, mostly.
const RECOVER: Duration = Duration::from_millis(50);

/// Takes connections until the server stops, and then those that the kernel took before: they hold requests, too.
pub(super) async fn accept(listener: Listener, seats: Arc<Seats>, server: Arc<Server>) {
    let mut stop = server.stop.clone();
    let next = async || {
        let (stream, peer, from) = listener.accept().await?;
        listener.door().shut();
        let sitting = seats.take().await;
        listener.door().open();
        match stream {
            Stream::Tcp(stream) => spawn(stream, (peer, from), sitting, &server),
            Stream::Unix(stream) => spawn(stream, (peer, from), sitting, &server),
        }
        Ok::<_, Error>(())
    };
    loop {
        let came = tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            came = next() => came,
        };
        if came.is_err() {
            seats.make_room();
            sleep(RECOVER).await;
        }
    }
    let end = Instant::now() + LATE;
    while let Ok(Ok(())) = timeout_at(end, next()).await {}
}

fn spawn<S>(stream: S, peer: (Peer, Caller), sitting: Sitting, server: &Arc<Server>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let server = Arc::clone(server);
    tokio::spawn(async move { serve(stream, peer, &sitting.seat, server).await });
}

/// One connection, from its first byte to its end.
async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    peer: (Peer, Caller),
    seat: &Arc<Seat>,
    server: Arc<Server>,
) {
    let io = TokioIo::new(Watched { stream, seat: Arc::clone(seat) });
    let stop = server.stop.clone();
    let service = service_fn(|request| answered(Arc::clone(&server), peer, Arc::clone(seat), request));
    let connection = http1::Builder::new().max_buf_size(MAX_HEAD).serve_connection(io, service);
    timed(connection, seat, stop).await;
}

async fn answered(
    server: Arc<Server>,
    (peer, from): (Peer, Caller),
    seat: Arc<Seat>,
    mut request: Request<Incoming>,
) -> Result<Response<answer::Payload>, Infallible> {
    seat.begin();
    request.extensions_mut().insert(from);
    let mut answer = route::answer(&server, peer, request).await;
    server.front.metrics.answered(answer.status().as_u16());
    // A stream is under way until its connection ends.
    if answer::is_stream(&answer) || !seat.end() {
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(answer)
}

/// Drives a connection until it ends, or its seat's limit passes.
async fn timed(
    connection: impl Future<Output = hyper::Result<()>>,
    seat: &Seat,
    mut stop: tokio::sync::watch::Receiver<bool>,
) {
    let mut connection = pin!(connection);
    let mut called = pin!(seat.called());
    let mut stopped = pin!(stopped(&mut stop));
    let mut timer = pin!(sleep_until(Instant::now()));
    let (mut leaving, mut stopping) = (false, false);
    poll_fn(|cx| {
        // What went wrong is the peer's affair: it is gone, or does not speak HTTP and was told so.
        if connection.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        leaving = leaving || called.as_mut().poll(cx).is_ready();
        if !stopping && stopped.as_mut().poll(cx).is_ready() {
            stopping = true;
            seat.stop();
        }
        let Some(limit) = seat.limit() else { return Poll::Pending };
        if timer.deadline() != limit {
            timer.as_mut().reset(limit);
        }
        timer.as_mut().poll(cx)
    })
    .await;
}

/// A socket whose reads and writes are seen by its seat.
struct Watched<S> {
    stream: S,
    seat: Arc<Seat>,
}

impl<S> Watched<S> {
    fn wrote(&self, done: Poll<Result<usize, Error>>) -> Poll<Result<usize, Error>> {
        match done {
            Poll::Ready(Ok(_)) => self.seat.said(),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.seat.block(),
        }
        done
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<(), Error>> {
        let before = buf.filled().len();
        let done = Pin::new(&mut self.stream).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.seat.heard();
        }
        done
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize, Error>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.wrote(done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<Result<usize, Error>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.wrote(done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
