//! The receive side of the whole card: frames in, replies, payloads and counters out.
//!
//! The model has no time: no buffer is ever full and no reply is ever still leaving, so the
//! counters for such losses never move here.
use super::eth::{self, Received};
use super::ip::Own;
use super::{arp, array, be16, gmii, icmp, ip, udp};
use crate::link::gmii::Symbol;
use crate::link::xgmii::Word;
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::{ethernet, ipv4};
use std::collections::BTreeMap;

/// How the card is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Its addresses.
    pub own: Own,
    /// UDP port that is delivered; 0 delivers none.
    pub udp_port: u16,
    /// Longest accepted frame in octets, FCS included.
    pub max_frame: usize,
}

/// What came of received frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Frames sent in answer, with padding and FCS.
    pub replies: Vec<Vec<u8>>,
    /// Payloads delivered by the UDP port. An empty datagram delivers nothing.
    pub delivered: Vec<Vec<u8>>,
}

/// The card.
#[derive(Clone, Debug)]
pub struct Card {
    settings: Settings,
    counters: BTreeMap<&'static str, u64>,
}

impl Card {
    /// A card out of reset.
    pub fn new(settings: Settings) -> Card {
        Card { settings, counters: BTreeMap::new() }
    }

    /// The counters that moved, by name.
    pub fn counters(&self) -> &BTreeMap<&'static str, u64> {
        &self.counters
    }

    /// Everything that comes of these words at XGMII.
    pub fn line(&mut self, words: &[Word]) -> Outcome {
        self.all(eth::decode(words, self.settings.max_frame))
    }

    /// Everything that comes of these symbols at GMII.
    pub fn gigabit_line(&mut self, symbols: &[Symbol]) -> Outcome {
        self.all(gmii::decode(symbols, self.settings.max_frame))
    }

    fn all(&mut self, received: Vec<Received>) -> Outcome {
        let mut outcome = Outcome::default();
        received.iter().for_each(|received| self.take(received, &mut outcome));
        outcome
    }

    /// Everything that comes of one frame with its FCS, received without a code error.
    pub fn frame(&mut self, frame: &[u8]) -> Outcome {
        let verdict = eth::receive(frame, self.settings.max_frame);
        let mut outcome = Outcome::default();
        self.take(&Received { octets: frame.to_vec(), verdict }, &mut outcome);
        outcome
    }

    fn take(&mut self, received: &Received, outcome: &mut Outcome) {
        self.count(counters::RX_FRAMES);
        self.count(received.verdict);
        if received.verdict == counters::RX_GOOD {
            let frame = &received.octets[..received.octets.len() - ethernet::FCS_OCTETS];
            let verdict = self.network(frame, outcome).unwrap_or_else(|failed| failed);
            self.count(verdict);
        }
    }

    /// What is said of a good frame; the counter of the first test that fails is the error.
    fn network(&mut self, frame: &[u8], outcome: &mut Outcome) -> Result<Counter, Counter> {
        let own = self.settings.own;
        let destination: eth::Mac = array(frame, 0);
        let broadcast = destination == eth::BROADCAST;
        if destination != own.mac && !broadcast {
            return Err(counters::MAC_FILTERED);
        }
        let packet = &frame[ethernet::HEADER_OCTETS..];
        match be16(frame, 12) {
            ethernet::TYPE_VLAN | ethernet::TYPE_QINQ => Err(counters::VLAN_DROP),
            ethernet::TYPE_ARP => {
                let request = arp::receive(packet, &own)?;
                self.send(&arp::reply(&request, &own), outcome);
                Ok(counters::ARP_REQUEST)
            }
            ethernet::TYPE_IPV4 => {
                let datagram = ip::receive(packet, broadcast, &own)?;
                self.datagram(array(frame, 6), &datagram, outcome)
            }
            _ => Err(counters::ETHERTYPE_OTHER),
        }
    }

    fn datagram(
        &mut self,
        sender: eth::Mac,
        datagram: &ip::Datagram,
        outcome: &mut Outcome,
    ) -> Result<Counter, Counter> {
        match datagram.protocol {
            ipv4::PROTOCOL_ICMP => {
                let verdict = icmp::receive(datagram);
                if verdict == counters::ICMP_ECHO {
                    let own = self.settings.own.mac;
                    let reply = ip::frame(sender, own, ethernet::TYPE_IPV4, &icmp::reply(datagram));
                    self.send(&reply, outcome);
                }
                Ok(verdict)
            }
            ipv4::PROTOCOL_UDP => {
                let (verdict, payload) = udp::receive(datagram, self.settings.udp_port)?;
                if !payload.is_empty() {
                    outcome.delivered.push(payload.to_vec());
                }
                Ok(verdict)
            }
            _ => Err(counters::IP_PROTO_OTHER),
        }
    }

    fn send(&mut self, frame: &[u8], outcome: &mut Outcome) {
        self.count(counters::TX_GOOD);
        outcome.replies.push(eth::transmit(frame));
    }

    fn count(&mut self, counter: Counter) {
        *self.counters.entry(counter.name).or_default() += 1;
    }
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;
