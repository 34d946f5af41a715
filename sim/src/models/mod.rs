//! Reference models: what each part of the card must produce, in plain Rust.
//!
//! They are written from the standards, octet by octet, and know nothing of words, clocks or the
//! gateware: a model that shared code with its subject would agree with its faults. Common to
//! both are only the tables of `nicforge-layout`. Verdicts are the counters of that table: what a
//! frame met is the counter that it moves.

pub mod arp;
pub mod card;
pub mod eth;
pub mod fault;
pub mod gmii;
pub mod icmp;
pub mod ip;
pub mod pause;
pub mod tone;
pub mod udp;
pub mod vdif;
pub mod worked;

/// A big-endian 16-bit field.
///
/// # Panics
/// If the field reaches beyond the octets; callers check lengths first, as the standards order it.
fn be16(octets: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([octets[at], octets[at + 1]])
}

/// `N` octets at a place, as an array.
///
/// # Panics
/// As [`be16`].
fn array<const N: usize>(octets: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| octets[at + i])
}
