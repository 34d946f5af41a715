//! Values as 64-bit words, and random ones.
use super::Pin;
use rust_hdl::prelude::{Bits, Signed, Synth, signed_cast, unsigned_cast};

/// A type that a port may have.
pub trait Value: Synth {
    /// The value from words, least significant first.
    fn take(words: &mut dyn Iterator<Item = u64>) -> Self;
    /// Appends the value's words.
    fn put(self, words: &mut Vec<u64>);
}

impl Value for bool {
    fn take(words: &mut dyn Iterator<Item = u64>) -> Self {
        words.next().unwrap_or_default() != 0
    }

    fn put(self, words: &mut Vec<u64>) {
        words.push(self.into());
    }
}

impl<const N: usize> Value for Bits<N> {
    fn take(words: &mut dyn Iterator<Item = u64>) -> Self {
        let mut value = Self::default();
        for word in 0..N.div_ceil(64) {
            let bits = words.next().unwrap_or_default();
            if N <= 64 {
                return bits.into();
            }
            for bit in (0..64).filter(|b| word * 64 + b < N && bits >> b & 1 == 1) {
                value = value.replace_bit(word * 64 + bit, true);
            }
        }
        value
    }

    fn put(self, words: &mut Vec<u64>) {
        if N <= 64 {
            return words.push(self.to_u64());
        }
        for word in 0..N.div_ceil(64) {
            let set = |bit: &usize| word * 64 + bit < N && self.get_bit(word * 64 + bit);
            words.push((0..64).filter(set).fold(0, |all, bit| all | 1 << bit));
        }
    }
}

impl<const N: usize> Value for Signed<N> {
    fn take(words: &mut dyn Iterator<Item = u64>) -> Self {
        signed_cast(Value::take(words))
    }

    fn put(self, words: &mut Vec<u64>) {
        unsigned_cast(self).put(words);
    }
}

/// Input vectors, each a row of words.
#[derive(Clone, Debug)]
pub struct Vectors {
    row: usize,
    count: usize,
    words: Vec<u64>,
}

impl Vectors {
    /// Random vectors for these pins: borders and repetitions of other inputs as often as noise,
    /// because carries, equality and wraps are where widths go wrong.
    #[must_use]
    pub fn random(pins: &[Pin], count: usize, seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let row = pins.iter().map(Pin::words).sum();
        let mut words: Vec<u64> = Vec::with_capacity(row * count);
        let mut last = vec![0];
        for _ in 0..count {
            for pin in pins {
                last = value(pin, &last, &mut rng);
                words.extend(&last);
            }
        }
        Self { row, count, words }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One vector.
    #[must_use]
    pub fn row(&self, index: usize) -> &[u64] {
        &self.words[index * self.row..(index + 1) * self.row]
    }
}

/// A value for a pin; `last` is the value given before, to another pin.
fn value(pin: &Pin, last: &[u64], rng: &mut fastrand::Rng) -> Vec<u64> {
    let of_last = |i: usize| last.get(i).copied().unwrap_or_default();
    let kind = rng.u8(0..12);
    let mut words: Vec<u64> = (0..pin.words())
        .map(|i| match kind {
            0 => 0,
            1 => u64::MAX,
            2 => u64::from(i == 0),
            3 => u64::MAX - u64::from(i == 0),
            4 => of_last(i),
            5 => !of_last(i),
            6 => of_last(i).wrapping_add(u64::from(i == 0)),
            7 => of_last(i).wrapping_neg(),
            8 => rng.u64(..) & rng.u64(..) & rng.u64(..),
            _ => rng.u64(..),
        })
        .collect();
    let top = pin.width - 64 * (pin.words() - 1);
    let mask = u64::MAX >> (64 - top);
    if let Some(highest) = words.last_mut() {
        *highest &= mask;
    }
    if pin.below > 0 {
        words[0] %= pin.below;
    }
    // The most negative value sends rust-hdl's sign extension round in circles; its neighbour does not.
    if pin.signed && is_most_negative(&words, top) {
        words[0] ^= 1;
    }
    words
}

fn is_most_negative(words: &[u64], top: usize) -> bool {
    let (highest, rest) = words.split_last().expect("a pin has a word");
    *highest == 1 << (top - 1) && rest.iter().all(|w| *w == 0)
}
