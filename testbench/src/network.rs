//! A card and a host on one Ethernet, for tests of the blocks above the MAC.
use nicforge_sim::models::eth::Mac;
use nicforge_sim::models::ip::Own;
use nicforge_sim::{Board, Error};
use std::net::Ipv4Addr;

/// The card.
pub const CARD: Own = Own {
    mac: [0x02, 0, 0, 0, 0, 0x80],
    ip: Ipv4Addr::new(192, 168, 1, 128),
    netmask: Ipv4Addr::new(255, 255, 255, 0),
};
/// MAC address of the host.
pub const HOST_MAC: Mac = [0x02, 0, 0, 0, 0, 0x01];
/// IPv4 address of the host.
pub const HOST_IP: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 1);
/// UDP port of the card.
pub const CARD_PORT: u16 = 10_000;
/// UDP port of the host.
pub const HOST_PORT: u16 = 50_000;

/// A MAC address as blocks take it: octet 0 in bits 7..0.
pub fn mac_bits(mac: Mac) -> u64 {
    mac.iter().rev().fold(0, |bits, octet| bits << 8 | u64::from(*octet))
}

/// An IPv4 address as blocks take it: octet 0 in bits 31..24.
pub fn ip_bits(ip: Ipv4Addr) -> u64 {
    u32::from(ip).into()
}

/// Sets inputs by name.
///
/// # Errors
/// A name that is no input.
pub fn set(board: &mut Board, inputs: &[(&str, u64)]) -> Result<(), Error> {
    for (name, value) in inputs {
        let input = board.pins().model().input(name)?;
        board.pins().set(input, *value);
    }
    Ok(())
}
