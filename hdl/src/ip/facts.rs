//! Turns facts of `nicforge_layout` into constants as the blocks compare and send them.
use nicforge_layout::counters::Counter;
use rust_hdl::prelude::*;

/// The event code of a counter.
pub(crate) fn code(counter: Counter) -> Constant<Bits<6>> {
    Constant::new(u64::from(counter.code).into())
}

/// A 16-bit field as two octets of a word: the octet that is first on the wire in bits 7..0.
pub(crate) fn wire16(value: u16) -> Constant<Bits<16>> {
    Constant::new(u64::from(value.swap_bytes()).into())
}

/// One octet.
pub(crate) fn octet(value: u8) -> Constant<Bits<8>> {
    Constant::new(u64::from(value).into())
}

/// A length or count as a number.
pub(crate) fn number(value: usize) -> Constant<Bits<16>> {
    Constant::new(u64::try_from(value).expect("usize has at most 64 bits").into())
}
