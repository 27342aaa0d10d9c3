//! The documents of a page as they came: the last that was taken, and the last that was not.
//!
//! What a page really said is the only proof when a feed looks wrong, and what `replay` reads again.

use super::round::Round;
use super::{Store, StoreError};
use crate::model::{Body, PageId, Stamp};
use bytes::Bytes;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{OptionalExtension, params};
use std::cell::RefCell;
use std::io::{Read, Write};
use url::Url;

thread_local! {
    /// The fastest level: most of the gain for a fifth of the time. One for all documents, since it begins with half a
    /// megabyte of zeros.
    static PACKER: RefCell<ZlibEncoder<Vec<u8>>> = RefCell::new(ZlibEncoder::new(Vec::new(), Compression::fast()));
}

/// A document, compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    address: String,
    media_type: Option<String>,
    size: usize,
    bytes: Vec<u8>,
}

impl Raw {
    /// Packs a document.
    ///
    /// # Panics
    /// Never: memory takes every byte.
    pub fn of(body: &Body) -> Self {
        let bytes = PACKER.with_borrow_mut(|packer| {
            packer.write_all(&body.bytes)?;
            packer.reset(Vec::new())
        });
        let bytes = bytes.expect("memory takes every byte");
        let (address, media_type) = (body.address.to_string(), body.media_type.clone());
        Self { address, media_type, size: body.bytes.len(), bytes }
    }

    /// The document again; none where the database was tampered with.
    fn body(self) -> Option<Body> {
        let mut bytes = Vec::with_capacity(self.size);
        ZlibDecoder::new(&self.bytes[..]).take(self.size as u64).read_to_end(&mut bytes).ok()?;
        Some(Body {
            address: Url::parse(&self.address).ok()?,
            bytes: Bytes::from(bytes),
            media_type: self.media_type,
            validators: None,
            maybe_cut: false,
        })
    }
}

impl Round<'_> {
    /// Keeps a document of a page in place of the one before.
    ///
    /// # Errors
    /// When the database fails.
    pub fn keep(&mut self, page: PageId, good: bool, at: Stamp, raw: &Raw) -> Result<(), StoreError> {
        const PUT: &str = "INSERT OR REPLACE INTO raw (page, good, at, address, media_type, size, bytes) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let size = i64::try_from(raw.size).unwrap_or(i64::MAX);
        let values = params![page.0, good, at.0, raw.address, raw.media_type, size, raw.bytes];
        self.tx.prepare_cached(PUT)?.execute(values)?;
        Ok(())
    }
}

impl Store {
    /// The last document of a page that was taken (`good`), or the last that was not, and when it came.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn raw(&self, page: PageId, good: bool) -> Result<Option<(Stamp, Body)>, StoreError> {
        const GET: &str = "SELECT at, address, media_type, size, bytes FROM raw WHERE page = ?1 AND good = ?2";
        self.run(|db| {
            let row = |r: &rusqlite::Row<'_>| {
                let size = usize::try_from(r.get::<_, i64>(3)?).unwrap_or_default();
                let raw = Raw { address: r.get(1)?, media_type: r.get(2)?, size, bytes: r.get(4)? };
                Ok((Stamp(r.get(0)?), raw))
            };
            let found = db.conn.prepare_cached(GET)?.query_row(params![page.0, good], row).optional()?;
            Ok(found.and_then(|(at, raw)| Some((at, raw.body()?))))
        })
        .await
    }
}
