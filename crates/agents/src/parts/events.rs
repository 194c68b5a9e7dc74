//! Scalars in the format that `TensorBoard` reads.

/// The Castagnoli checksum of 32 bits.
#[must_use]
pub fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0x82f6_3b78 } else { c >> 1 })
    })
}

/// The same, turned and shifted, as records have it: a checksum of data that hold checksums tells little.
#[must_use]
pub fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    [&length[..], &masked(&length).to_le_bytes(), data, &masked(data).to_le_bytes()].concat()
}

fn varint(mut n: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
    bytes
}

/// A field of bytes, behind its length.
fn field(tag: u8, bytes: &[u8]) -> Vec<u8> {
    [&[tag][..], &varint(bytes.len() as u64), bytes].concat()
}

fn event(wall_time: f64, rest: &[u8]) -> Vec<u8> {
    record(&[&[0x09][..], &wall_time.to_le_bytes(), rest].concat())
}

/// The first record of a file.
#[must_use]
pub fn head(wall_time: f64) -> Vec<u8> {
    event(wall_time, &field(0x1a, b"brain.Event:2"))
}

/// The scalars of one step.
#[must_use]
pub fn scalars(wall_time: f64, step: u64, all: &[(String, f64)]) -> Vec<u8> {
    let value = |(tag, x): &(String, f64)| {
        let simple = [field(0x0a, tag.as_bytes()), vec![0x15], (*x as f32).to_le_bytes().to_vec()].concat();
        field(0x0a, &simple)
    };
    let summary: Vec<u8> = all.iter().flat_map(value).collect();
    event(wall_time, &[vec![0x10], varint(step), field(0x2a, &summary)].concat())
}
