//! Numbers for bytes: equal bytes, equal number, on every machine and in every version, for they are stored.

/// The first 16 bytes of the BLAKE3 hash.
pub fn digest(bytes: &[u8]) -> [u8; 16] {
    let mut out = [0; 16];
    out.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    out
}

/// The first 8 bytes of the BLAKE3 hash, as a little-endian number.
pub fn number(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    u64::from_le_bytes(first)
}
