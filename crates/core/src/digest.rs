//! A checksum that people can recompute anywhere.

/// CRC-32 as in zlib (`zlib.crc32` in Python), over whatever is fed to it, in order.
///
/// Transcripts and saved states carry it. It notices change; it does not resist forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crc(u32);

impl Default for Crc {
    fn default() -> Self {
        Self::new()
    }
}

impl Crc {
    /// The checksum of nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(!0)
    }

    /// Checksum of `bytes` alone.
    #[must_use]
    pub fn of(bytes: &[u8]) -> u32 {
        let mut crc = Self::new();
        crc.bytes(bytes);
        crc.value()
    }

    /// Feeds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let mut words = bytes.chunks_exact(8);
        for w in &mut words {
            let low = crc ^ u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
            crc = TABLES[7][(low & 0xff) as usize]
                ^ TABLES[6][(low >> 8 & 0xff) as usize]
                ^ TABLES[5][(low >> 16 & 0xff) as usize]
                ^ TABLES[4][(low >> 24) as usize]
                ^ TABLES[3][w[4] as usize]
                ^ TABLES[2][w[5] as usize]
                ^ TABLES[1][w[6] as usize]
                ^ TABLES[0][w[7] as usize];
        }
        for &b in words.remainder() {
            crc = (crc >> 8) ^ TABLES[0][((crc ^ u32::from(b)) & 0xff) as usize];
        }
        self.0 = crc;
    }

    /// Feeds floats as their little-endian bytes.
    pub fn f32s(&mut self, values: &[f32]) {
        for v in values {
            self.bytes(&v.to_le_bytes());
        }
    }

    /// Feeds integers as their little-endian bytes.
    pub fn i32s(&mut self, values: &[i32]) {
        for v in values {
            self.bytes(&v.to_le_bytes());
        }
    }

    /// The checksum of all that was fed.
    #[must_use]
    pub const fn value(self) -> u32 {
        !self.0
    }
}

/// `TABLES[k][b]`: the effect of byte `b` followed by `k` zero bytes.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut b = 0;
    while b < 256 {
        let mut crc = b as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][b] = crc;
        b += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut b = 0;
        while b < 256 {
            let previous = tables[k - 1][b];
            tables[k][b] = (previous >> 8) ^ tables[0][(previous & 0xff) as usize];
            b += 1;
        }
        k += 1;
    }
    tables
}

/// Bytes as hexadecimal digits: how a SHA-256 is written.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(b"0123456789abcdef"[usize::from(n)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}
