//! The transmit clock's side of the GMII transmitter: words to octets.
//!
//! Promise: each frame leaves with preamble, padding to 64 octets (zeros), FCS and a gap of exactly
//! twelve octets before the next one where that waits. A frame begins as soon as its first word is
//! there. A frame whose words come too late, or whose source marks it bad, is ended by an octet with
//! `tx_er` and without FCS, so that no receiver takes it for good; the rest of it is swallowed and the
//! next one is sent.
use crate::eth::{Crc32, crc};
use crate::stream::EventSource;
use nicforge_layout::counters;
use nicforge_layout::wire::{ethernet, gmii};
use rust_hdl::prelude::*;

/// What the line says in this octet time.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Sending {
    /// Nothing, and no frame waits.
    Idle,
    /// Preamble and delimiter.
    Preamble,
    /// Octets of the frame.
    Data,
    /// Zeros up to the shortest frame.
    Pad,
    /// The FCS.
    Check,
    /// An octet that makes the frame a bad one.
    Abort,
    /// Nothing, while the rest of a frame that was given up is taken.
    Swallow,
    /// The gap.
    Gap,
}

/// Sends the octets of the words that come.
#[derive(LogicBlock)]
pub struct GmiiSend {
    /// The transmit clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: ends a frame in progress at once.
    pub reset: Signal<In, Bit>,
    /// The entry: octets in bits 63..0, their number less one in 66..64, last in 67, error in 68.
    pub entry: Signal<In, Bits<69>>,
    /// The entry is there.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
    /// GMII transmit data.
    pub txd: Signal<Out, Bits<8>>,
    /// GMII transmit enable.
    pub tx_en: Signal<Out, Bit>,
    /// GMII transmit error.
    pub tx_er: Signal<Out, Bit>,
    /// `tx_good`, `tx_underrun` or `tx_error`, once a frame; stays until it is taken.
    pub event: EventSource,
    /// The event is taken.
    pub event_taken: Signal<In, Bit>,

    state: DFF<Sending>,
    /// Octets of preamble, FCS or gap that are out.
    step: DFF<Bits<4>>,
    /// Octets of the frame that are out, padding included, up to where padding ends.
    octets: DFF<Bits<6>>,
    word: DFF<Bits<64>>,
    left: DFF<Bits<3>>,
    last: DFF<Bit>,
    begins: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    padded: Signal<Local, Bit>,
    swallows: Signal<Local, Bit>,

    crc: Crc32<8>,
    sum: DFF<Bits<32>>,
    covered: Signal<Local, Bit>,
    octet: Signal<Local, Bits<8>>,
    enable: Signal<Local, Bit>,
    txd_q: DFF<Bits<8>>,
    tx_en_q: DFF<Bit>,
    tx_er_q: DFF<Bit>,

    underrun: DFF<Bit>,
    raised: DFF<Bit>,
    raised_code: DFF<Bits<6>>,

    seed: Constant<Bits<32>>,
    preamble: Constant<Bits<8>>,
    delimiter: Constant<Bits<8>>,
    preamble_end: Constant<Bits<4>>,
    check_end: Constant<Bits<4>>,
    gap_end: Constant<Bits<4>>,
    pad_end: Constant<Bits<6>>,
    good_code: Constant<Bits<6>>,
    underrun_code: Constant<Bits<6>>,
    error_code: Constant<Bits<6>>,
}

impl Default for GmiiSend {
    fn default() -> Self {
        let shortest = ethernet::MIN_FRAME_OCTETS - ethernet::FCS_OCTETS;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            entry: Default::default(),
            valid: Default::default(),
            ready: Default::default(),
            txd: Default::default(),
            tx_en: Default::default(),
            tx_er: Default::default(),
            event: Default::default(),
            event_taken: Default::default(),
            state: Default::default(),
            step: Default::default(),
            octets: Default::default(),
            word: Default::default(),
            left: Default::default(),
            last: Default::default(),
            begins: Default::default(),
            wants: Default::default(),
            loads: Default::default(),
            padded: Default::default(),
            swallows: Default::default(),
            crc: Default::default(),
            sum: Default::default(),
            covered: Default::default(),
            octet: Default::default(),
            enable: Default::default(),
            txd_q: Default::default(),
            tx_en_q: Default::default(),
            tx_er_q: Default::default(),
            underrun: Default::default(),
            raised: Default::default(),
            raised_code: Default::default(),
            seed: Constant::new(crc::SEED.to_bits()),
            preamble: Constant::new(gmii::PREAMBLE.to_bits()),
            delimiter: Constant::new(gmii::SFD.to_bits()),
            preamble_end: Constant::new((gmii::PREAMBLE_OCTETS - 1).to_bits()),
            check_end: Constant::new((ethernet::FCS_OCTETS - 1).to_bits()),
            gap_end: Constant::new((ethernet::IFG_OCTETS - 1).to_bits()),
            pad_end: Constant::new((shortest - 1).to_bits()),
            good_code: Constant::new(counters::TX_GOOD.code.to_bits()),
            underrun_code: Constant::new(counters::TX_UNDERRUN.code.to_bits()),
            error_code: Constant::new(counters::TX_ERROR.code.to_bits()),
        }
    }
}

impl Logic for GmiiSend {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: gmii_send - words to octets on the transmit clock");
        dff_setup!(self, clock, state, step, octets, word, left, last, sum, txd_q, tx_en_q, tx_er_q);
        dff_setup!(self, clock, underrun, raised, raised_code);

        // What the line says, and what comes next.
        self.begins.next = self.valid.val() & !self.raised.q.val();
        self.padded.next = self.octets.q.val() == self.pad_end.val();
        self.octet.next = 0.into();
        self.enable.next = false;
        self.covered.next = false;
        self.wants.next = false;
        self.swallows.next = false;
        self.tx_er_q.d.next = false;
        self.step.d.next = self.step.q.val() + 1;
        match self.state.q.val() {
            Sending::Idle => {
                self.step.d.next = 0.into();
                if self.begins.val() {
                    self.state.d.next = Sending::Preamble;
                }
            }
            Sending::Preamble => {
                self.enable.next = true;
                self.octet.next = self.preamble.val();
                self.octets.d.next = 0.into();
                if self.step.q.val() == self.preamble_end.val() {
                    self.octet.next = self.delimiter.val();
                    self.wants.next = true;
                }
            }
            Sending::Data => {
                self.enable.next = true;
                self.covered.next = true;
                self.octet.next = self.word.q.val().get_bits::<8>(0);
                if !self.left.q.val().any() {
                    self.wants.next = !self.last.q.val();
                    self.step.d.next = 0.into();
                    if self.last.q.val() {
                        self.state.d.next = Sending::Pad;
                        if self.padded.val() {
                            self.state.d.next = Sending::Check;
                        }
                    }
                }
            }
            Sending::Pad => {
                self.enable.next = true;
                self.covered.next = true;
                self.step.d.next = 0.into();
                if self.padded.val() {
                    self.state.d.next = Sending::Check;
                }
            }
            Sending::Check => {
                self.enable.next = true;
                self.octet.next = !self.sum.q.val().get_bits::<8>(0);
                if self.step.q.val() == self.check_end.val() {
                    self.step.d.next = 0.into();
                    self.state.d.next = Sending::Gap;
                }
            }
            Sending::Abort => {
                self.enable.next = true;
                self.tx_er_q.d.next = true;
                self.step.d.next = 0.into();
                self.state.d.next = Sending::Gap;
                if self.underrun.q.val() {
                    self.state.d.next = Sending::Swallow;
                }
            }
            Sending::Swallow => {
                self.swallows.next = true;
                self.step.d.next = 0.into();
                if self.valid.val() & self.entry.val().get_bit(67) {
                    self.state.d.next = Sending::Gap;
                }
            }
            Sending::Gap => {
                if self.step.q.val() == self.gap_end.val() {
                    self.step.d.next = 0.into();
                    self.state.d.next = Sending::Idle;
                    if self.begins.val() {
                        self.state.d.next = Sending::Preamble;
                    }
                }
            }
        }
        if self.covered.val() & !self.padded.val() {
            self.octets.d.next = self.octets.q.val() + 1;
        }

        // The next word, or the end of the frame for want of one.
        self.loads.next = self.wants.val() & self.valid.val();
        self.ready.next = self.wants.val() | self.swallows.val();
        self.word.d.next = self.word.q.val() >> 8;
        self.left.d.next = self.left.q.val() - 1;
        if self.wants.val() {
            self.underrun.d.next = !self.valid.val();
            self.word.d.next = self.entry.val().get_bits::<64>(0);
            self.left.d.next = self.entry.val().get_bits::<3>(64);
            self.last.d.next = self.entry.val().get_bit(67);
            self.state.d.next = Sending::Data;
            if !self.valid.val() | (self.entry.val().get_bit(67) & self.entry.val().get_bit(68)) {
                self.state.d.next = Sending::Abort;
            }
        }

        // The FCS over octets and padding.
        self.crc.old_crc.next = self.sum.q.val();
        self.crc.data.next = self.octet.val();
        self.sum.d.next = self.sum.q.val() >> 8;
        if self.covered.val() {
            self.sum.d.next = self.crc.new_crc.val();
        }
        if self.state.q.val() == Sending::Preamble {
            self.sum.d.next = self.seed.val();
        }

        self.txd_q.d.next = self.octet.val();
        self.tx_en_q.d.next = self.enable.val();
        self.txd.next = self.txd_q.q.val();
        self.tx_en.next = self.tx_en_q.q.val();
        self.tx_er.next = self.tx_er_q.q.val();

        // What became of the frame.
        if self.event_taken.val() {
            self.raised.d.next = false;
        }
        if self.state.q.val() == Sending::Abort {
            self.raised.d.next = true;
            self.raised_code.d.next = self.error_code.val();
            if self.underrun.q.val() {
                self.raised_code.d.next = self.underrun_code.val();
            }
        }
        if (self.state.q.val() == Sending::Check) & (self.step.q.val() == self.check_end.val()) {
            self.raised.d.next = true;
            self.raised_code.d.next = self.good_code.val();
        }
        self.event.valid.next = self.raised.q.val();
        self.event.code.next = self.raised_code.q.val();

        if self.reset.val() {
            self.state.d.next = Sending::Idle;
            self.raised.d.next = false;
        }
    }
}
