//! The simulated card and its networks, as the driver's traits want them.
use nicforge_hdl::config::Config;
use nicforge_host::{Bar, Card as Registers, Datagram, Datagrams, Error};
use nicforge_layout::registers::config_digest;
use nicforge_sim::Board;
use nicforge_sim::card::Card;
use nicforge_sim::link::gmii;
use nicforge_sim::model::{self, BuildOptions, Model};
use nicforge_sim::net::{PeerSocket, Plan};
use std::time::Duration;

/// Most datagrams handed over at a time.
const BATCH: usize = 64;

/// Picoseconds a second.
const PICOSECONDS: u64 = 1_000_000_000_000;

/// The board that `config` describes, with all of its clocks.
///
/// # Errors
/// A missing or failing tool, or a fault of the gateware.
pub fn board_of(config: &Config, trace: bool) -> Result<Board, crate::error::Error> {
    let period = PICOSECONDS / config.core_clock_hertz();
    let mut board = Board::with_core_period(model_of(config, trace)?, period)?;
    gmii::add_clocks(&mut board, "gmii")?;
    Ok(board)
}

/// A model of the card: the built-in one where it is the same configuration, else one that is
/// generated, verilated and compiled now or taken from the cache.
fn model_of(config: &Config, trace: bool) -> Result<Model, crate::error::Error> {
    #[cfg(feature = "builtin")]
    if !trace && config.digest() == model::ibob::CONFIG_DIGEST {
        return Ok(model::ibob::model()?);
    }
    let emitted = nicforge_hdl::top::emit_core(config)?;
    let library = model::build(&(&emitted).into(), &BuildOptions { trace, ..BuildOptions::default() })?;
    Ok(library.instance()?)
}

/// The host's side of the network: where the configuration sends its stream.
pub fn host_plan(config: &Config) -> Plan {
    Plan {
        mac: config.stream.destination_mac.0,
        mtu: config.network.mtu as u16,
        ..Plan::new(config.stream.destination_ip, config.network.netmask.to_bits().leading_ones() as u8)
    }
}

/// Makes sure that the model is of this very configuration: a stale one would show other values.
///
/// # Errors
/// It is not, or does not answer.
pub fn check_digest<B: Bar>(card: &mut Registers<B>, config: &Config) -> Result<(), crate::error::Error> {
    let [a, b, c, d, ..] = config.digest();
    let wanted = u32::from_be_bytes([a, b, c, d]);
    let found = card.get(&config_digest::REG, &config_digest::DIGEST)?;
    if found != wanted {
        return Err(crate::error::Error::OtherConfiguration { wanted, found });
    }
    Ok(())
}

/// The registers of a running simulated card.
#[derive(Clone, Copy)]
pub struct SimulatedBar<'a>(pub &'a Card);

impl Bar for SimulatedBar<'_> {
    fn read(&mut self, offset: u32) -> Result<u32, Error> {
        self.0.read(offset).map_err(|cause| Error::Bus { offset, cause: cause.into() })
    }

    fn write(&mut self, offset: u32, value: u32) -> Result<(), Error> {
        self.0.write(offset, value).map_err(|cause| Error::Bus { offset, cause: cause.into() })
    }
}

/// Datagrams of the network stack inside this process.
pub struct PeerDatagrams(pub PeerSocket);

impl Datagrams for PeerDatagrams {
    fn receive(&mut self, limit: Duration, take: &mut dyn FnMut(Datagram<'_>)) -> Result<usize, Error> {
        let mut wait = limit;
        for count in 0..BATCH {
            let Some((data, sender)) = self.0.receive(wait) else { return Ok(count) };
            take(Datagram { data: &data, sender: Some(sender), cut: false });
            wait = Duration::ZERO;
        }
        Ok(BATCH)
    }

    fn dropped(&self) -> u64 {
        self.0.dropped()
    }
}
