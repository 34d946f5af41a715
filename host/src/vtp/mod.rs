//! VTP (VDIF Transport Protocol 1.0.0): one VDIF frame a datagram behind a serial number that
//! rises by one, and the account of what became of the serial numbers.

mod account;

pub use account::{Account, Counts, Outcome, Verdict};

use nicforge_layout::wire::vdif::VTP_OCTETS;

/// The serial number of a datagram, little-endian on the wire, and the frame behind it; `None`
/// when the datagram is too short for a serial number.
pub fn split(datagram: &[u8]) -> Option<(u64, &[u8])> {
    let (serial, frame) = datagram.split_first_chunk::<VTP_OCTETS>()?;
    Some((u64::from_le_bytes(*serial), frame))
}

/// A datagram of `serial` and `frame`.
pub fn join(serial: u64, frame: &[u8]) -> Vec<u8> {
    [&serial.to_le_bytes()[..], frame].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn serial_numbers_are_little_endian() {
        assert_eq!(join(1_000_000, &[]), [0x40, 0x42, 0x0f, 0, 0, 0, 0, 0]);
        assert_eq!(join(0x0102_0304_0506_0708, &[]), [8, 7, 6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn a_datagram_cut_within_its_serial_number_has_none() {
        let datagram = join(7, &[]);
        for cut in 0..datagram.len() {
            assert_eq!(split(&datagram[..cut]), None);
        }
    }

    proptest! {
        #[test]
        fn splitting_undoes_joining(serial in any::<u64>(), frame in any::<Vec<u8>>()) {
            let datagram = join(serial, &frame);
            prop_assert_eq!(split(&datagram), Some((serial, &frame[..])));
        }
    }
}
