//! VDIF frames and files (VLBI Data Interchange Format 1.1.1): full headers without extension
//! (EDV 0), which is what the sampler sends.

mod file;
mod header;

pub use file::{Frame, Reader, Writer};
pub use header::Header;
pub use nicforge_layout::wire::vdif::HEADER_OCTETS;

use std::io;

/// What is wrong with a VDIF header or file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Fewer octets than a header has.
    #[error("a VDIF header has {HEADER_OCTETS} octets, found {found}")]
    Short {
        /// Octets there were.
        found: usize,
    },
    /// The header is one of 16 octets, which nothing here writes or reads.
    #[error("a legacy VDIF header of 16 octets, wanted a full one of {HEADER_OCTETS}")]
    Legacy,
    /// The header carries an extension.
    #[error("VDIF extension (EDV) {found:#04x}, wanted 0: none")]
    Extension {
        /// The extension's number.
        found: u8,
    },
    /// Words that are zero without an extension are not.
    #[error("VDIF header word {word} is {found:#010x}, wanted 0 as there is no extension")]
    Reserved {
        /// Number of the word, 4 to 7.
        word: usize,
        /// What it holds.
        found: u32,
    },
    /// A field has a value that no VDIF frame can have.
    #[error("VDIF {field} is {found}, wanted {wanted}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What would do.
        wanted: &'static str,
        /// What was found.
        found: u64,
    },
    /// A frame has not the length its header gives.
    #[error("a VDIF frame of {found} octets, its header says {wanted}")]
    Length {
        /// Octets the header gives.
        wanted: usize,
        /// Octets there are.
        found: usize,
    },
    /// The frames of a file differ in what has to be the same in all of them.
    #[error("VDIF {field} changes from {wanted} to {found} within the file")]
    Changed {
        /// Name of the field.
        field: &'static str,
        /// Value in the first frame.
        wanted: u64,
        /// Value in this one.
        found: u64,
    },
    /// A file ends within a frame.
    #[error("the file ends after {found} of a frame's {wanted} octets")]
    Truncated {
        /// Octets the frame should have.
        wanted: u64,
        /// Octets there are.
        found: u64,
    },
    /// Something is wrong at a place of a file.
    #[error("octet {offset} of the VDIF file: {cause}")]
    At {
        /// Where the frame begins in the file.
        offset: u64,
        /// What is wrong with it.
        #[source]
        cause: Box<Error>,
    },
    /// The file cannot be read or written.
    #[error("cannot {action} the VDIF file: {cause}")]
    Io {
        /// "read" or "write".
        action: &'static str,
        /// The kernel's reason.
        #[source]
        cause: io::Error,
    },
}

/// The samples of an 8-bit real frame, in time order.
///
/// VDIF codes are offset binary: the code 0 is the most negative sample, so the top bit is the
/// inverse of two's complement's.
pub fn samples_8(data: &[u8]) -> impl ExactSizeIterator<Item = i8> + '_ {
    data.iter().map(|code| (code ^ 0x80) as i8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bit_codes_run_from_most_negative_to_most_positive() {
        let samples: Vec<i8> = samples_8(&[0x00, 0x01, 0x7f, 0x80, 0x81, 0xff]).collect();
        assert_eq!(samples, [-128, -127, -1, 0, 1, 127]);
    }
}
