//! A page's own past, packed into bytes: one record of fixed length a post.
//!
//! In and out: `Vec<Listed>`. Little-endian; the length of a record is the format's version.

use crate::model::{EntryId, Listed, Stamp};
use chrono::{Datelike, NaiveDate};

/// Bytes of one record: entry, said, summary, original, published, day, flags.
const RECORD: usize = 8 + 8 + 8 + 8 + 8 + 4 + 1;

/// The flags.
const NOW: u8 = 1;
const MISSED: u8 = 2;

/// Packs.
pub(super) fn pack(listing: &[Listed]) -> Vec<u8> {
    let mut out = Vec::with_capacity(listing.len() * RECORD);
    for l in listing {
        out.extend(l.entry.0.to_le_bytes());
        out.extend(l.said.to_le_bytes());
        out.extend(l.summary.to_le_bytes());
        out.extend(l.original.to_le_bytes());
        out.extend(l.published.0.to_le_bytes());
        out.extend(l.day.map_or(i32::MIN, |d| d.num_days_from_ce()).to_le_bytes());
        out.push(u8::from(l.now) * NOW + u8::from(l.missed) * MISSED);
    }
    out
}

/// Unpacks; bytes that are no whole record are left out.
pub(super) fn unpack(bytes: &[u8]) -> Vec<Listed> {
    bytes.chunks_exact(RECORD).map(record).collect()
}

fn record(r: &[u8]) -> Listed {
    let eight = |at: usize| {
        let mut b = [0; 8];
        b.copy_from_slice(&r[at..at + 8]);
        b
    };
    let mut day = [0; 4];
    day.copy_from_slice(&r[40..44]);
    Listed {
        entry: EntryId(i64::from_le_bytes(eight(0))),
        said: u64::from_le_bytes(eight(8)),
        summary: u64::from_le_bytes(eight(16)),
        original: u64::from_le_bytes(eight(24)),
        published: Stamp(i64::from_le_bytes(eight(32))),
        day: NaiveDate::from_num_days_from_ce_opt(i32::from_le_bytes(day)),
        now: r[44] & NOW != 0,
        missed: r[44] & MISSED != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_comes_back_as_it_was() {
        let listed = |day| Listed {
            entry: EntryId(7),
            now: true,
            missed: true,
            said: u64::MAX,
            summary: 3,
            original: 5,
            day,
            published: Stamp(-1),
        };
        let listing = vec![listed(NaiveDate::from_ymd_opt(2026, 9, 24)), Listed { now: false, ..listed(None) }];
        assert_eq!(unpack(&pack(&listing)), listing);
    }
}
