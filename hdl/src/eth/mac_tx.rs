//! The sending half of the MAC: frames to 64-bit XGMII (IEEE 802.3 clauses 4 and 46).
//!
//! Promise: each frame leaves with preamble, padding to 64 octets (zeros), FCS and a gap of at
//! least twelve octets behind it; a frame of n words, padding included, takes n + 3 cycles of the
//! line. A frame whose words come too late, or whose source marks it bad, is ended with error codes,
//! so that no receiver takes it for good; the rest of it is swallowed and the next one is sent. A
//! word takes six cycles to the pins.
//!
//! Frames start in lane 0. A shorter gap by deficit idle counting needs starts in lane 4 and is a
//! change of [`State::Rest`] and of the output stage alone.
use crate::eth::{Crc32, CrcRewind, Lanes, crc};
use crate::stream::{EventSource, StreamSink};
use nicforge_layout::counters;
use nicforge_layout::wire::{ethernet, xgmii};
use rust_hdl::prelude::*;

/// What the feeding stage does in this cycle.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum State {
    /// Waits for a frame, and sends its preamble in the cycle in which there is one.
    Idle,
    /// Takes the words of a frame.
    Data,
    /// Adds words of zeros.
    Pad,
    /// First word behind a frame's last data.
    Tail,
    /// Second word: completes the gap wherever the frame ended.
    Rest,
    /// Takes the rest of a frame that was given up.
    Swallow,
}

/// Stages of the line between feeding and the pins, in which the FCS is computed.
const STAGES: usize = 5;

/// Sends frames.
///
/// A word goes through these stages: *fed*, *summed* when the CRC covers it, three in which the
/// CRC loses the zeros that fill the last word, and the pins. Only in the last of them does the
/// FCS come behind the data.
#[derive(LogicBlock)]
pub struct MacTx {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: ends a frame in progress at once, without TERMINATE.
    pub reset: Signal<In, Bit>,
    /// Destination address to end of data. Once a frame began its words must come without a pause.
    pub frames: StreamSink<64, 8>,
    /// XGMII data, lane 0 in bits 7..0 and first on the wire.
    pub txd: Signal<Out, Bits<64>>,
    /// XGMII control bits, one a lane.
    pub txc: Signal<Out, Bits<8>>,
    /// `tx_good`, `tx_underrun` or `tx_error`, once a frame.
    pub event: EventSource,

    state: DFF<State>,
    position: DFF<Bits<4>>,
    clean: Signal<Local, Bits<64>>,
    raised: DFF<Bit>,
    raised_code: DFF<Bits<6>>,

    fed_preamble: Signal<Local, Bit>,
    fed_word: Signal<Local, Bit>,
    fed_last: Signal<Local, Bit>,
    fed_abort: Signal<Local, Bit>,
    fed_data: Signal<Local, Bits<64>>,
    fed_keep: Signal<Local, Bits<8>>,

    data: [DFF<Bits<64>>; STAGES],
    keep: [DFF<Bits<8>>; STAGES],
    preamble: [DFF<Bit>; STAGES],
    word: [DFF<Bit>; STAGES],
    last: [DFF<Bit>; STAGES],
    abort: [DFF<Bit>; STAGES],

    crc: Crc32<64>,
    by_four: CrcRewind<4>,
    by_two: CrcRewind<2>,
    by_one: CrcRewind<1>,
    sum: DFF<Bits<32>>,
    without_four: DFF<Bits<32>>,
    without_two: DFF<Bits<32>>,
    one_over: Signal<Local, Bit>,
    two_over: Signal<Local, Bit>,
    three_over: Signal<Local, Bit>,
    fcs: Signal<Local, Bits<32>>,
    check: DFF<Bits<32>>,

    lanes: Lanes,
    kept: Signal<Local, Bits<16>>,
    reach: Signal<Local, Bits<16>>,
    checked: Signal<Local, Bits<16>>,
    ended: Signal<Local, Bits<16>>,
    tail_check: DFF<Bits<32>>,
    tail_checked: DFF<Bits<8>>,
    tail_ended: DFF<Bits<8>>,
    plain: Signal<Local, Bits<8>>,
    txd_q: DFF<Bits<64>>,
    txc_q: DFF<Bits<8>>,

    seed: Constant<Bits<32>>,
    opening: Constant<Bits<64>>,
    giving_up: Constant<Bits<64>>,
    full_words: Constant<Bits<4>>,
    short_keep: Constant<Bits<8>>,
    good_code: Constant<Bits<6>>,
    underrun_code: Constant<Bits<6>>,
    error_code: Constant<Bits<6>>,
}

/// START, preamble and SFD as one word.
fn opening() -> u64 {
    let mut octets = [xgmii::PREAMBLE; xgmii::PREAMBLE_OCTETS];
    octets[0] = xgmii::START;
    octets[7] = xgmii::SFD;
    u64::from_le_bytes(octets)
}

/// Seven error codes and TERMINATE as one word.
fn giving_up() -> u64 {
    let mut octets = [xgmii::ERROR; 8];
    octets[7] = xgmii::TERMINATE;
    u64::from_le_bytes(octets)
}

impl Default for MacTx {
    fn default() -> Self {
        let shortest = ethernet::MIN_FRAME_OCTETS - ethernet::FCS_OCTETS;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frames: Default::default(),
            txd: Default::default(),
            txc: Default::default(),
            event: Default::default(),
            state: Default::default(),
            position: Default::default(),
            clean: Default::default(),
            raised: Default::default(),
            raised_code: Default::default(),
            fed_preamble: Default::default(),
            fed_word: Default::default(),
            fed_last: Default::default(),
            fed_abort: Default::default(),
            fed_data: Default::default(),
            fed_keep: Default::default(),
            data: array_init::array_init(|_| Default::default()),
            keep: array_init::array_init(|_| Default::default()),
            preamble: array_init::array_init(|_| Default::default()),
            word: array_init::array_init(|_| Default::default()),
            last: array_init::array_init(|_| Default::default()),
            abort: array_init::array_init(|_| Default::default()),
            crc: Default::default(),
            by_four: Default::default(),
            by_two: Default::default(),
            by_one: Default::default(),
            sum: Default::default(),
            without_four: Default::default(),
            without_two: Default::default(),
            one_over: Default::default(),
            two_over: Default::default(),
            three_over: Default::default(),
            fcs: Default::default(),
            check: Default::default(),
            lanes: Default::default(),
            kept: Default::default(),
            reach: Default::default(),
            checked: Default::default(),
            ended: Default::default(),
            tail_check: Default::default(),
            tail_checked: Default::default(),
            tail_ended: Default::default(),
            plain: Default::default(),
            txd_q: Default::default(),
            txc_q: Default::default(),
            seed: Constant::new(crc::SEED.to_bits()),
            opening: Constant::new(opening().to_bits()),
            giving_up: Constant::new(giving_up().to_bits()),
            full_words: Constant::new((shortest / 8).to_bits()),
            short_keep: Constant::new(((1u64 << (shortest % 8)) - 1).to_bits()),
            good_code: Constant::new(counters::TX_GOOD.code.to_bits()),
            underrun_code: Constant::new(counters::TX_UNDERRUN.code.to_bits()),
            error_code: Constant::new(counters::TX_ERROR.code.to_bits()),
        }
    }
}

impl Logic for MacTx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: mac_tx - frames to 64-bit XGMII");
        dff_setup!(self, clock, state, position, raised, raised_code);
        dff_setup!(self, clock, sum, without_four, without_two, check);
        dff_setup!(self, clock, tail_check, tail_checked, tail_ended, txd_q, txc_q);
        for i in 0..5 {
            self.data[i].clock.next = self.clock.val();
            self.keep[i].clock.next = self.clock.val();
            self.preamble[i].clock.next = self.clock.val();
            self.word[i].clock.next = self.clock.val();
            self.last[i].clock.next = self.clock.val();
            self.abort[i].clock.next = self.clock.val();
        }

        // What is beyond `keep` may be left over from anything: it must not leak into the padding.
        self.clean.next = self.frames.data.val();
        if !self.frames.keep.val().get_bit(1) {
            self.clean.next = self.frames.data.val() & 0xff_u64;
        } else if !self.frames.keep.val().get_bit(2) {
            self.clean.next = self.frames.data.val() & 0xffff_u64;
        } else if !self.frames.keep.val().get_bit(3) {
            self.clean.next = self.frames.data.val() & 0xff_ffff_u64;
        } else if !self.frames.keep.val().get_bit(4) {
            self.clean.next = self.frames.data.val() & 0xffff_ffff_u64;
        } else if !self.frames.keep.val().get_bit(5) {
            self.clean.next = self.frames.data.val() & 0xff_ffff_ffff_u64;
        } else if !self.frames.keep.val().get_bit(6) {
            self.clean.next = self.frames.data.val() & 0xffff_ffff_ffff_u64;
        } else if !self.frames.keep.val().get_bit(7) {
            self.clean.next = self.frames.data.val() & 0xff_ffff_ffff_ffff_u64;
        }

        // Feeding. `position` is the number of words fed, up to the first that needs no padding.
        self.frames.ready.next = false;
        self.fed_preamble.next = false;
        self.fed_word.next = false;
        self.fed_last.next = false;
        self.fed_abort.next = false;
        self.fed_data.next = self.clean.val();
        self.fed_keep.next = 0xff.into();
        self.raised.d.next = false;
        match self.state.q.val() {
            State::Idle => {
                self.position.d.next = 0.into();
                self.fed_data.next = self.opening.val();
                self.fed_preamble.next = self.frames.valid.val();
                if self.frames.valid.val() {
                    self.state.d.next = State::Data;
                }
            }
            State::Data => {
                self.frames.ready.next = true;
                if !self.frames.valid.val() {
                    self.fed_abort.next = true;
                    self.raised.d.next = true;
                    self.raised_code.d.next = self.underrun_code.val();
                    self.state.d.next = State::Swallow;
                } else if self.frames.last.val() & self.frames.error.val() {
                    self.fed_abort.next = true;
                    self.raised.d.next = true;
                    self.raised_code.d.next = self.error_code.val();
                    self.state.d.next = State::Tail;
                } else {
                    self.fed_word.next = true;
                    if self.position.q.val() <= self.full_words.val() {
                        self.position.d.next = self.position.q.val() + 1;
                    }
                    if self.frames.last.val() & (self.position.q.val() < self.full_words.val()) {
                        self.state.d.next = State::Pad;
                    } else if self.frames.last.val() {
                        self.fed_last.next = true;
                        self.fed_keep.next = self.frames.keep.val();
                        if self.position.q.val() == self.full_words.val() {
                            self.fed_keep.next = self.frames.keep.val() | self.short_keep.val();
                        }
                        self.state.d.next = State::Tail;
                    }
                }
            }
            State::Pad => {
                self.fed_word.next = true;
                self.fed_data.next = 0.into();
                self.position.d.next = self.position.q.val() + 1;
                if self.position.q.val() == self.full_words.val() {
                    self.fed_last.next = true;
                    self.fed_keep.next = self.short_keep.val();
                    self.state.d.next = State::Tail;
                }
            }
            State::Tail => {
                self.state.d.next = State::Rest;
            }
            State::Rest => {
                self.state.d.next = State::Idle;
            }
            State::Swallow => {
                self.frames.ready.next = true;
                if self.frames.valid.val() & self.frames.last.val() {
                    self.state.d.next = State::Tail;
                }
            }
        }
        if self.fed_abort.val() {
            self.fed_data.next = self.giving_up.val();
        }
        if self.fed_last.val() {
            self.raised.d.next = true;
            self.raised_code.d.next = self.good_code.val();
        }

        self.event.valid.next = self.raised.q.val();
        self.event.code.next = self.raised_code.q.val();

        self.data[0].d.next = self.fed_data.val();
        self.keep[0].d.next = self.fed_keep.val();
        self.preamble[0].d.next = self.fed_preamble.val();
        self.word[0].d.next = self.fed_word.val();
        self.last[0].d.next = self.fed_last.val();
        self.abort[0].d.next = self.fed_abort.val();
        for i in 1..5 {
            self.data[i].d.next = self.data[i - 1].q.val();
            self.keep[i].d.next = self.keep[i - 1].q.val();
            self.preamble[i].d.next = self.preamble[i - 1].q.val();
            self.word[i].d.next = self.word[i - 1].q.val();
            self.last[i].d.next = self.last[i - 1].q.val();
            self.abort[i].d.next = self.abort[i - 1].q.val();
        }

        // The CRC takes whole words. The last one has 8 - k zeros behind its k octets, which are
        // taken out again four, two and one at a time.
        self.crc.old_crc.next = self.sum.q.val();
        self.crc.data.next = self.data[0].q.val();
        if self.preamble[0].q.val() {
            self.sum.d.next = self.seed.val();
        } else if self.word[0].q.val() {
            self.sum.d.next = self.crc.new_crc.val();
        }
        self.by_four.new_crc.next = self.sum.q.val();
        self.without_four.d.next = self.sum.q.val();
        if !self.keep[1].q.val().get_bit(4) {
            self.without_four.d.next = self.by_four.old_crc.val();
        }
        self.by_two.new_crc.next = self.without_four.q.val();
        self.without_two.d.next = self.without_four.q.val();
        if !self.keep[2].q.val().get_bit(2)
            | (self.keep[2].q.val().get_bit(4) & !self.keep[2].q.val().get_bit(6))
        {
            self.without_two.d.next = self.by_two.old_crc.val();
        }
        self.by_one.new_crc.next = self.without_two.q.val();
        self.one_over.next = (self.keep[3].q.val().get_bit(0) & !self.keep[3].q.val().get_bit(1))
            | (self.keep[3].q.val().get_bit(4) & !self.keep[3].q.val().get_bit(5));
        self.two_over.next = (self.keep[3].q.val().get_bit(1) & !self.keep[3].q.val().get_bit(2))
            | (self.keep[3].q.val().get_bit(5) & !self.keep[3].q.val().get_bit(6));
        self.three_over.next = (self.keep[3].q.val().get_bit(2) & !self.keep[3].q.val().get_bit(3))
            | (self.keep[3].q.val().get_bit(6) & !self.keep[3].q.val().get_bit(7));
        self.fcs.next = !self.without_two.q.val();
        if self.one_over.val() | self.three_over.val() {
            self.fcs.next = !self.by_one.old_crc.val();
        }
        // Lane i shall find its octet of the FCS at place i mod 4, whatever lane the FCS starts in.
        self.check.d.next = self.fcs.val();
        if self.one_over.val() {
            self.check.d.next = self.fcs.val() << 8 | self.fcs.val() >> 24;
        }
        if self.two_over.val() {
            self.check.d.next = self.fcs.val() << 16 | self.fcs.val() >> 16;
        }
        if self.three_over.val() {
            self.check.d.next = self.fcs.val() << 24 | self.fcs.val() >> 8;
        }

        // Output. FCS and TERMINATE behind k octets may reach into the next word.
        self.kept.next = bit_cast::<16, 8>(self.keep[4].q.val());
        self.reach.next = self.kept.val() << 4 | 0x000f;
        self.checked.next = 0.into();
        self.ended.next = 0.into();
        if self.last[4].q.val() {
            self.checked.next = self.reach.val() & !self.kept.val();
            self.ended.next = (self.reach.val() << 1 | 0x0001) & !self.reach.val();
        }
        self.tail_check.d.next = self.check.q.val();
        self.tail_checked.d.next = self.checked.val().get_bits::<8>(8);
        self.tail_ended.d.next = self.ended.val().get_bits::<8>(8);

        self.lanes.data.next = self.data[4].q.val();
        if self.preamble[4].q.val() | self.word[4].q.val() | self.abort[4].q.val() {
            self.lanes.keep.next = self.keep[4].q.val();
            self.lanes.check.next = self.check.q.val();
            self.lanes.check_lanes.next = self.checked.val().get_bits::<8>(0);
            self.lanes.end_lane.next = self.ended.val().get_bits::<8>(0);
        } else {
            self.lanes.keep.next = 0.into();
            self.lanes.check.next = self.tail_check.q.val();
            self.lanes.check_lanes.next = self.tail_checked.q.val();
            self.lanes.end_lane.next = self.tail_ended.q.val();
        }
        self.plain.next = 0.into();
        if self.word[4].q.val() {
            self.plain.next = self.keep[4].q.val();
        }
        if self.preamble[4].q.val() {
            self.plain.next = 0xfe.into();
        }
        self.txd_q.d.next = self.lanes.octets.val();
        self.txc_q.d.next = !(self.plain.val() | self.lanes.check_lanes.val());
        self.txd.next = self.txd_q.q.val();
        self.txc.next = self.txc_q.q.val();

        if self.reset.val() {
            self.state.d.next = State::Idle;
            self.raised.d.next = false;
            for i in 0..5 {
                self.preamble[i].d.next = false;
                self.word[i].d.next = false;
                self.last[i].d.next = false;
                self.abort[i].d.next = false;
            }
        }
    }
}
