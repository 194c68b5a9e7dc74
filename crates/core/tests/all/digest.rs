//! The checksum is zlib's.

use heldout_core::Crc;

#[test]
fn equals_zlib() {
    // `zlib.crc32` of the same bytes.
    assert_eq!(Crc::of(b""), 0);
    assert_eq!(Crc::of(b"123456789"), 0xcbf4_3926);
    assert_eq!(Crc::of(b"The quick brown fox jumps over the lazy dog"), 0x414f_a339);
}

#[test]
fn pieces_do_not_matter() {
    let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
    let mut crc = Crc::new();
    for piece in bytes.chunks(13) {
        crc.bytes(piece);
    }
    assert_eq!(crc.value(), Crc::of(&bytes));
}
