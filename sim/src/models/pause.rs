//! PAUSE frames (IEEE 802.3 annex 31B): how they look, and what one asks for.
use super::be16;
use super::eth::Mac;
use nicforge_layout::wire::{ethernet, pause};

/// Clock cycles of 64 bits in one quantum.
pub const QUANTUM_CYCLES: u64 = 8;

/// A PAUSE frame with this parameter, without padding and FCS.
pub fn build(source: Mac, quanta: u16) -> Vec<u8> {
    let fields = [ethernet::TYPE_MAC_CONTROL, pause::OPCODE, quanta].map(u16::to_be_bytes).concat();
    [&pause::DESTINATION[..], &source, &fields].concat()
}

/// The quanta that a good frame asks the port with this address to pause; nothing if it is no PAUSE for it.
pub fn asked(frame: &[u8], own: Mac) -> Option<u16> {
    let for_us = frame.starts_with(&pause::DESTINATION) || frame.starts_with(&own);
    let is_pause = frame.len() >= 18
        && be16(frame, 12) == ethernet::TYPE_MAC_CONTROL
        && be16(frame, 14) == pause::OPCODE;
    (for_us && is_pause).then(|| be16(frame, 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_asks_what_it_was_built_for() {
        let (own, other) = ([2, 0, 0, 0, 0, 0x80], [2, 0, 0, 0, 0, 1]);
        let mut frame = build(other, 0x1234);
        let text = [1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x88, 8, 0, 1, 0x12, 0x34];
        assert_eq!(frame, text);
        assert_eq!(asked(&frame, own), Some(0x1234));
        frame[..6].copy_from_slice(&own);
        assert_eq!(asked(&frame, own), Some(0x1234));
        assert_eq!(asked(&frame, other), None);
        // Priority flow control is another operation.
        frame[14] = 1;
        assert_eq!(asked(&frame, own), None);
    }
}
