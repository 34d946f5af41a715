//! The frame check sequence (IEEE 802.3 clause 3.2.9) and the shortest frame (clause 4A.4.2).
use crc::{CRC_32_ISO_HDLC, Crc, Table};

const CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);
/// Octets of the FCS.
const FCS: usize = 4;
/// The shortest frame without its FCS, in octets.
const MINIMUM: usize = 60;

/// The FCS of a frame (destination address to the end of the padding) in the order of the wire.
pub fn fcs(frame: &[u8]) -> [u8; FCS] {
    // The coefficient of x^31 goes first, and the register is reflected: the low octet leads.
    CRC.checksum(frame).to_le_bytes()
}

/// Whether a frame ends with the FCS of what is before it.
pub fn fcs_is_good(frame: &[u8]) -> bool {
    frame.split_last_chunk::<FCS>().is_some_and(|(body, found)| fcs(body) == *found)
}

/// Makes a frame without FCS ready for the wire: zeros up to 60 octets, then the FCS.
pub fn finish(frame: &[u8]) -> Vec<u8> {
    let mut finished = frame.to_vec();
    finished.resize(frame.len().max(MINIMUM), 0);
    let sum = fcs(&finished);
    finished.extend(sum);
    finished
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_string_of_the_crc_gives_its_check_value() {
        assert_eq!(fcs(b"123456789"), [0x26, 0x39, 0xf4, 0xcb]);
    }

    #[test]
    fn a_finished_frame_is_good_and_every_changed_bit_shows() {
        let frame = finish(&[0x5a; 20]);
        assert_eq!((frame.len(), frame[19], frame[20]), (64, 0x5a, 0));
        assert!(fcs_is_good(&frame));
        for bit in 0..frame.len() * 8 {
            let mut damaged = frame.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(!fcs_is_good(&damaged), "bit {bit}");
        }
        assert!(!fcs_is_good(&frame[..3]));
    }
}
