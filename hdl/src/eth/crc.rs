//! CRC-32 of Ethernet (IEEE 802.3 clause 3.2.9) as matrices over GF(2).
//!
//! The register is the reflected one: it shifts right, the bit that is first on the wire enters
//! first, and the FCS is its complement, least significant octet first.
//!
//! Frames end in any lane, and a matrix for each number of octets would cost eight times the logic.
//! So words are always taken whole, with zeros behind the last octet: a receiver then compares with
//! the [`residue`] that so many zeros leave, and a transmitter takes the zeros out again with
//! [`CrcRewind`].
//!
//! A word and the register act on the result only through their sum, so the matrix is that of the
//! word alone; and pairs of bits that many rows contain are added once for all of them.
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

/// The register after the 32 register bits alone, then after `width` data bits alone.
fn step(width: usize, register: u32, data: impl Fn(usize) -> bool) -> u32 {
    (0..width).fold(register, |register, i| advance(register, data(i)))
}

/// Fewest rows in which a pair of bits has to stand to be added apart: as many inputs saved in the
/// rows are worth the extra gate. Measured with yosys for the 64-bit step; below, paths grow longer.
const FEWEST_ROWS: u32 = 4;

/// Sums of bits: `columns[i]` says in bit r whether output r contains input i. Inputs from `inputs`
/// on are themselves sums of two earlier ones, given in `pairs`.
struct Network {
    inputs: usize,
    columns: Vec<u32>,
    pairs: Vec<(usize, usize)>,
}

impl Network {
    /// The outputs of the linear map that takes input bit i to `image(i)`.
    fn new(inputs: usize, image: impl Fn(usize) -> u32) -> Self {
        let mut network = Self { inputs, columns: (0..inputs).map(image).collect(), pairs: Vec::new() };
        while network.share_best() {}
        network
    }

    /// Adds the pair of inputs that most rows contain once for all these rows; false if none is worth it.
    fn share_best(&mut self) -> bool {
        let mut best = (0, 0, 0);
        for (i, column) in self.columns.iter().enumerate() {
            for (j, other) in self.columns.iter().enumerate().skip(i + 1) {
                let rows = column & other;
                if rows.count_ones() > u32::count_ones(best.0) {
                    best = (rows, i, j);
                }
            }
        }
        let (rows, i, j) = best;
        if rows.count_ones() < FEWEST_ROWS {
            return false;
        }
        self.columns[i] &= !rows;
        self.columns[j] &= !rows;
        self.columns.push(rows);
        self.pairs.push((i, j));
        true
    }

    fn name(&self, input: usize) -> String {
        if input < self.inputs { format!("bits[{input}]") } else { format!("pair_{}", input - self.inputs) }
    }

    /// The body of a module that computes `output` from the wire `bits`.
    fn verilog(&self, output: &str) -> String {
        let mut text = String::new();
        for (k, (i, j)) in self.pairs.iter().enumerate() {
            text += &format!("wire pair_{k} = {} ^ {};\n", self.name(*i), self.name(*j));
        }
        text += "always @* begin\n";
        for row in 0..32 {
            let stands = |input: &usize| self.columns[*input] >> row & 1 == 1;
            let plain = (0..self.inputs).filter(stands).fold(0u128, |mask, input| mask | 1 << input);
            let shared = (self.inputs..self.columns.len()).filter(stands);
            let mut sum = vec![format!(
                "^(bits & {}'h{plain:0digits$x})",
                self.inputs,
                digits = self.inputs.div_ceil(4)
            )];
            sum.extend(shared.map(|input| self.name(input)));
            text += &format!("    {output}[{row}] = {};\n", sum.join(" ^ "));
        }
        text + "end\n"
    }
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
        // A bit of the register enters as the bit of the word that meets it at the feedback.
        let width = D.max(32);
        let image = |i: usize| if i < 32 { step(D, 1 << i, |_| false) } else { step(D, 0, |bit| bit == i) };
        let body = Network::new(width, image).verilog("new_crc");
        let padded = |name: &str, bits: usize| match width - bits {
            0 => name.to_string(),
            more => format!("{{{more}'d0, {name}}}"),
        };
        let (data, register) = (padded("data", D), padded("old_crc", 32));
        Verilog::Custom(format!(
            "// module: crc32_{D} - CRC-32 over {D} more bits\nwire [{}:0] bits = {data} ^ {register};\n{body}",
            width - 1
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
        let body = Network::new(32, |i| Self::rewind(1 << i)).verilog("old_crc");
        Verilog::Custom(format!(
            "// module: crc_rewind_{N} - CRC-32 as it was before {N} octets of zero\nwire [31:0] bits = new_crc;\n{body}"
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
