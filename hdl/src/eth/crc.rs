//! CRC-32 of Ethernet (IEEE 802.3 clause 3.2.9) as two matrices over GF(2).
//!
//! The register is the reflected one: it shifts right, the bit that is first on the wire enters
//! first, and the FCS is its complement, least significant octet first.
//!
//! Frames end in any lane, and a matrix for each number of octets would cost eight times the logic.
//! So words are always taken whole, with zeros behind the last octet: a receiver then compares with
//! the [`residue`] that so many zeros leave, and a transmitter takes the zeros out again with
//! [`CrcRewind`].
use rust_hdl::prelude::*;

/// The generator polynomial, x^31 in bit 0 (reflected).
const POLYNOMIAL: u32 = 0xedb8_8320;
/// The register before the first octet.
pub(crate) const SEED: u32 = u32::MAX;

/// The register after one more bit.
fn advance(register: u32, bit: bool) -> u32 {
    let feedback = (register & 1 == 1) != bit;
    (register >> 1) ^ if feedback { POLYNOMIAL } else { 0 }
}

/// The register before its latest bit, if that was a zero.
fn retreat(register: u32) -> u32 {
    // The polynomial's bit 31 is set: bit 31 of the register says whether it was added.
    if register >> 31 == 1 { ((register ^ POLYNOMIAL) << 1) | 1 } else { register << 1 }
}

/// The register behind a good frame with its FCS and `zeros` octets of zero.
///
/// Holds for every frame, hence for the empty one, whose FCS is zero.
pub(crate) fn residue(zeros: usize) -> u32 {
    (0..32 + 8 * zeros).fold(SEED, |register, _| advance(register, false))
}

/// One row of a matrix: which of the inputs `0..width` flip output bit `row` of `map`.
fn row(row: usize, width: usize, map: impl Fn(usize) -> u32) -> u128 {
    (0..width).filter(|input| map(*input) >> row & 1 == 1).fold(0, |mask, input| mask | 1 << input)
}

/// The register after the 32 register bits alone, then after `width` data bits alone.
fn step(width: usize, register: u32, data: impl Fn(usize) -> bool) -> u32 {
    (0..width).fold(register, |register, i| advance(register, data(i)))
}

/// Takes a word of `D` bits into the register; combinational.
#[derive(LogicBlock, Default)]
pub struct Crc32<const D: usize> {
    /// The register so far.
    pub old_crc: Signal<In, Bits<32>>,
    /// The word, octet 0 in bits 7..0; zeros behind the end of the frame.
    pub data: Signal<In, Bits<D>>,
    /// The register with the word.
    pub new_crc: Signal<Out, Bits<32>>,
}

impl<const D: usize> Logic for Crc32<D> {
    fn update(&mut self) {
        let data = self.data.val();
        let register = self.old_crc.val().index() as u32;
        self.new_crc.next = step(D, register, |i| data.get_bit(i)).to_bits();
    }

    fn connect(&mut self) {
        self.new_crc.connect();
    }

    fn hdl(&self) -> Verilog {
        let line = |i: usize| {
            let crc = row(i, 32, |input| step(D, 1 << input, |_| false));
            let data = row(i, D, |input| step(D, 0, |i| i == input));
            format!(
                "    new_crc[{i}] = ^(old_crc & 32'h{crc:08x}) ^ ^(data & {D}'h{data:0digits$x});\n",
                digits = D / 4
            )
        };
        let lines: String = (0..32).map(line).collect();
        Verilog::Custom(format!(
            "// module: crc32_{D} - CRC-32 over {D} more bits\nalways @* begin\n{lines}end\n"
        ))
    }
}

/// Takes `N` octets of zero out of the register again; combinational.
#[derive(LogicBlock, Default)]
pub struct CrcRewind<const N: usize> {
    /// The register behind the zeros.
    pub new_crc: Signal<In, Bits<32>>,
    /// The register before them.
    pub old_crc: Signal<Out, Bits<32>>,
}

impl<const N: usize> CrcRewind<N> {
    fn rewind(register: u32) -> u32 {
        (0..8 * N).fold(register, |register, _| retreat(register))
    }
}

impl<const N: usize> Logic for CrcRewind<N> {
    fn update(&mut self) {
        self.old_crc.next = Self::rewind(self.new_crc.val().index() as u32).to_bits();
    }

    fn connect(&mut self) {
        self.old_crc.connect();
    }

    fn hdl(&self) -> Verilog {
        let line = |i: usize| {
            let crc = row(i, 32, |input| Self::rewind(1 << input));
            format!("    old_crc[{i}] = ^(new_crc & 32'h{crc:08x});\n")
        };
        let lines: String = (0..32).map(line).collect();
        Verilog::Custom(format!(
            "// module: crc_rewind_{N} - CRC-32 as it was before {N} octets of zero\nalways @* begin\n{lines}end\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(octets: &[u8]) -> u32 {
        let bit = |i: usize| octets[i / 8] >> (i % 8) & 1 == 1;
        step(8 * octets.len(), SEED, bit)
    }

    #[test]
    fn the_check_string_has_its_published_sum() {
        assert_eq!(!register(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn the_residues_are_those_of_the_standard() {
        let published = [
            0xdebb_20e3,
            0x39dd_08e2,
            0x4e3d_5e5c,
            0x6293_2081,
            0x9add_2096,
            0x19f6_eb51,
            0x1c75_9789,
            0x9478_4e13,
        ];
        assert_eq!(std::array::from_fn::<u32, 8, _>(residue), published);
    }

    #[test]
    fn rewinding_undoes_trailing_zeros() {
        for zeros in [1, 2, 4] {
            let padded = register(&[b"some octets".as_slice(), &vec![0; zeros]].concat());
            let back = match zeros {
                1 => CrcRewind::<1>::rewind(padded),
                2 => CrcRewind::<2>::rewind(padded),
                _ => CrcRewind::<4>::rewind(padded),
            };
            assert_eq!(back, register(b"some octets"), "{zeros} octets of zero");
        }
    }
}
