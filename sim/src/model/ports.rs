//! Ports of a verilated model: what they are called, and how their storage is reached.
use std::ffi::c_void;

/// The way a port points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Set by the test bench.
    Input,
    /// Set by the design.
    Output,
}

/// A port of the top module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortInfo {
    /// The name in the Verilog text.
    pub name: String,
    /// The width in bits.
    pub width: usize,
    /// The way it points.
    pub direction: Direction,
}

impl PortInfo {
    /// An input of `width` bits.
    pub fn input(name: impl Into<String>, width: usize) -> Self {
        Self { name: name.into(), width, direction: Direction::Input }
    }

    /// An output of `width` bits.
    pub fn output(name: impl Into<String>, width: usize) -> Self {
        Self { name: name.into(), width, direction: Direction::Output }
    }
}

/// An input of a model, found once by name and then reached by its place.
///
/// A handle fits every instance of the design it was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input(pub(crate) usize);

/// An output of a model, found once by name and then reached by its place.
///
/// A handle fits every instance of the design it was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output(pub(crate) usize);

/// How Verilator stores a port of a given width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    Octet,
    Half,
    Word,
    Double,
    /// That many 32-bit words, the least significant first.
    Words(usize),
}

/// Where a port lies in one instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    place: *mut c_void,
    /// The bits that exist in the most significant word (up to 64 bits: in the value).
    mask: u64,
    storage: Storage,
}

impl Slot {
    /// A slot over the storage that the shim handed out for a port of `width` bits.
    pub(super) fn new(place: *mut c_void, width: usize) -> Self {
        let storage = match width {
            0..=8 => Storage::Octet,
            9..=16 => Storage::Half,
            17..=32 => Storage::Word,
            33..=64 => Storage::Double,
            _ => Storage::Words(width.div_ceil(32)),
        };
        let bits = if width <= 64 { width } else { (width - 1) % 32 + 1 };
        Self { place, mask: u64::MAX >> (64 - bits.max(1)), storage }
    }

    /// Writes a value, cut to the width; a wider port is filled with zeros.
    #[inline]
    pub(super) fn set(&self, value: u64) {
        let kept = value & self.mask;
        // SAFETY: `place` points to storage of this kind inside the instance, which the model owns
        // and reaches through `&mut` only.
        unsafe {
            match self.storage {
                Storage::Octet => self.place.cast::<u8>().write(kept as u8),
                Storage::Half => self.place.cast::<u16>().write(kept as u16),
                Storage::Word => self.place.cast::<u32>().write(kept as u32),
                Storage::Double => self.place.cast::<u64>().write(kept),
                Storage::Words(_) => self.set_words(&[value as u32, (value >> 32) as u32]),
            }
        }
    }

    /// Reads a value; of a wider port its low 64 bits.
    #[inline]
    pub(super) fn get(&self) -> u64 {
        // SAFETY: as in `set`; nothing else writes while the model is borrowed.
        unsafe {
            match self.storage {
                Storage::Octet => self.place.cast::<u8>().read().into(),
                Storage::Half => self.place.cast::<u16>().read().into(),
                Storage::Word => self.place.cast::<u32>().read().into(),
                Storage::Double => self.place.cast::<u64>().read(),
                Storage::Words(_) => self.word(0) as u64 | (self.word(1) as u64) << 32,
            }
        }
    }

    /// Writes 32-bit words, the least significant first; missing ones are zero, surplus ones are cut.
    pub(super) fn set_words(&self, words: &[u32]) {
        let Storage::Words(count) = self.storage else {
            let high = words.get(1).copied().unwrap_or(0);
            return self.set(words.first().copied().unwrap_or(0) as u64 | (high as u64) << 32);
        };
        for index in 0..count {
            let mask = if index + 1 == count { self.mask as u32 } else { u32::MAX };
            // SAFETY: as in `set`, and `index` is below the number of words.
            unsafe {
                let place = self.place.cast::<u32>().add(index);
                place.write(words.get(index).copied().unwrap_or(0) & mask);
            }
        }
    }

    /// Fills `words` with the value, the least significant word first, and zeros above it.
    pub(super) fn get_words(&self, words: &mut [u32]) {
        words.fill(0);
        if let Storage::Words(count) = self.storage {
            for (index, word) in words.iter_mut().take(count).enumerate() {
                *word = self.word(index);
            }
            return;
        }
        let value = self.get();
        for (word, part) in words.iter_mut().zip([value as u32, (value >> 32) as u32]) {
            *word = part;
        }
    }

    fn word(&self, index: usize) -> u32 {
        // SAFETY: called only with an index below the number of words.
        unsafe { self.place.cast::<u32>().add(index).read() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_to_the_width_of_the_port() {
        for width in [1, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64] {
            let mut storage = 0_u64;
            let slot = Slot::new((&raw mut storage).cast(), width);
            slot.set(u64::MAX);
            assert_eq!(slot.get(), u64::MAX >> (64 - width), "width {width}");
        }
    }

    #[test]
    fn wide_ports_take_words_and_cut_the_last() {
        let mut storage = [u32::MAX; 4];
        let slot = Slot::new(storage.as_mut_ptr().cast(), 97);
        slot.set_words(&[1, 2, 3, 0xffff_ffff, 5]);
        let mut words = [9; 5];
        slot.get_words(&mut words);
        assert_eq!(words, [1, 2, 3, 1, 0]);
        slot.set(0x1_0000_0005);
        slot.get_words(&mut words);
        assert_eq!((words, slot.get()), ([5, 1, 0, 0, 0], 0x1_0000_0005));
    }

    #[test]
    fn narrow_ports_take_words_too() {
        let mut storage = 0_u64;
        let slot = Slot::new((&raw mut storage).cast(), 40);
        slot.set_words(&[0x89ab_cdef, 0x1234_5678]);
        let mut words = [0; 3];
        slot.get_words(&mut words);
        assert_eq!(words, [0x89ab_cdef, 0x78, 0]);
    }
}
