//! Ethernet at GMII: IEEE 802.3 clause 35, at 1000 Mb/s.
//!
//! The receiver takes one octet at a time, with its valid and its error bit. Octets of the preamble may
//! be missing, so a frame begins behind the first start frame delimiter, whatever came before it
//! (clause 35.2.3.2.2). A frame's verdict is the first of these that holds: no delimiter, an error
//! inside, length, FCS. What comes without valid is no part of a frame: idle, carrier extension, false
//! carriers.
use super::eth::{self, Received};
use crate::link::gmii::Symbol;
use nicforge_layout::counters;
use nicforge_layout::wire::{ethernet, xgmii};

/// Frames, each with its FCS, as a transmitter puts them on GMII (clauses 35.2.3 and 4.4.2): idle
/// octets between them and behind the last.
pub fn encode(frames: &[Vec<u8>]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for frame in frames {
        symbols.extend([Symbol::octet(xgmii::PREAMBLE); xgmii::PREAMBLE_OCTETS - 1]);
        symbols.push(Symbol::octet(xgmii::SFD));
        symbols.extend(frame.iter().copied().map(Symbol::octet));
        symbols.extend([Symbol::IDLE; ethernet::IFG_OCTETS]);
    }
    symbols
}

/// What a frame is made of so far.
#[derive(Default)]
struct Open {
    /// Whether the delimiter has come.
    begun: bool,
    octets: Vec<u8>,
    broken: bool,
}

/// A receiver at GMII.
pub struct Receiver {
    max_frame: usize,
    open: Option<Open>,
}

impl Receiver {
    /// A receiver that accepts frames up to `max_frame` octets, FCS included.
    pub fn new(max_frame: usize) -> Receiver {
        Receiver { max_frame, open: None }
    }

    /// Takes what one cycle carries; a frame ends with the first cycle behind it.
    pub fn symbol(&mut self, symbol: Symbol) -> Option<Received> {
        if !symbol.enable {
            return self.open.take().map(|open| self.judge(open));
        }
        let open = self.open.get_or_insert_default();
        open.broken |= symbol.error;
        if open.begun {
            open.octets.push(symbol.data);
        }
        open.begun |= symbol.data == xgmii::SFD;
        None
    }

    fn judge(&self, open: Open) -> Received {
        let verdict = match &open {
            Open { begun: false, .. } => counters::RX_PREAMBLE_ERROR,
            Open { broken: true, .. } => counters::RX_CODE_ERROR,
            Open { octets, .. } => eth::receive(octets, self.max_frame),
        };
        Received { octets: open.octets, verdict }
    }
}

/// Every frame that came to its end in these symbols.
pub fn decode(symbols: &[Symbol], max_frame: usize) -> Vec<Received> {
    let mut receiver = Receiver::new(max_frame);
    symbols.iter().filter_map(|symbol| receiver.symbol(*symbol)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::gmii::symbols_of;
    use crate::models::worked;
    use proptest::prelude::*;

    const LIMIT: usize = 1518;

    fn frame(octets: usize) -> Vec<u8> {
        eth::with_fcs(&(0..octets - 4).map(|index| index as u8).collect::<Vec<_>>())
    }

    fn verdict(symbols: &[Symbol]) -> &'static str {
        let received = decode(&[symbols, &[Symbol::IDLE]].concat(), LIMIT);
        assert_eq!(received.len(), 1);
        received[0].verdict.name
    }

    #[test]
    fn a_worked_frame_is_good_behind_any_rest_of_its_preamble() {
        let worked = worked::octets(worked::V08);
        for preamble in 0..=9 {
            let received = decode(&symbols_of(&worked, preamble), LIMIT);
            assert_eq!(received, [Received { octets: worked.clone(), verdict: counters::RX_GOOD }]);
        }
    }

    #[test]
    fn frames_are_sent_with_a_whole_preamble_and_twelve_octets_behind_them() {
        let symbols = encode(&[vec![1, 2]]);
        let octets: Vec<u8> = symbols.iter().map(|symbol| symbol.data).collect();
        assert_eq!(octets, [&[0x55; 7][..], &[0xd5, 1, 2], &[0; 12]].concat());
        assert_eq!(symbols.iter().filter(|symbol| symbol.enable).count(), 10);
    }

    #[test]
    fn lengths_are_judged_at_their_limits() {
        for (octets, wanted) in
            [(63, "rx_undersize"), (64, "rx_good"), (LIMIT, "rx_good"), (LIMIT + 1, "rx_oversize")]
        {
            assert_eq!(verdict(&symbols_of(&frame(octets), 7)), wanted, "{octets} octets");
            let mut damaged = frame(octets);
            damaged[5] ^= 1;
            let wanted = match octets {
                63 => "rx_fragment",
                64 | LIMIT => "rx_fcs_error",
                _ => "rx_jabber",
            };
            assert_eq!(verdict(&symbols_of(&damaged, 7)), wanted, "{octets} octets, bad FCS");
        }
    }

    #[test]
    fn an_error_with_valid_makes_the_frame_bad_wherever_it_is() {
        for at in 0..72 {
            let mut symbols = symbols_of(&frame(64), 7);
            symbols[at].error = true;
            assert_eq!(verdict(&symbols), "rx_code_error", "octet {at}");
        }
    }

    #[test]
    fn a_frame_without_a_delimiter_is_lost_as_a_preamble_error() {
        assert_eq!(verdict(&[Symbol::octet(0x55)]), "rx_preamble_error");
        let mut symbols = symbols_of(&[0; 64], 7);
        symbols[7].data = 0x55;
        assert_eq!(verdict(&symbols), "rx_preamble_error");
    }

    #[test]
    fn errors_without_valid_are_no_frame_and_harm_none() {
        let extended = [Symbol::CARRIER_EXTEND; 4];
        assert!(decode(&[&extended[..], &[Symbol::FALSE_CARRIER, Symbol::IDLE]].concat(), LIMIT).is_empty());
        let mut symbols = symbols_of(&frame(64), 7);
        symbols.pop();
        symbols.extend(extended);
        assert_eq!(verdict(&symbols), "rx_good");
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_received(
            frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 60..200), 0..8)
        ) {
            let frames: Vec<Vec<u8>> = frames.iter().map(|frame| eth::transmit(frame)).collect();
            let received = decode(&encode(&frames), LIMIT);
            prop_assert!(received.iter().all(|received| received.verdict == counters::RX_GOOD));
            prop_assert_eq!(received.into_iter().map(|received| received.octets).collect::<Vec<_>>(), frames);
        }
    }
}
