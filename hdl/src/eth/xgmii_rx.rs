//! The receiving half of the MAC: frames from 64-bit XGMII (IEEE 802.3 clauses 4 and 46).
//!
//! Promise: every frame that begins on the wire while `enable` is high gets exactly one verdict, and
//! every frame of which a word comes out has exactly one `last`, with what is said of it
//! [`crate::stream::VERDICT_DELAY`] cycles behind. A word takes two cycles from the pins to the
//! output, and one more for its second half if the frame starts in lane 4. Nothing that comes in can
//! stop the receiver: the frame after any damage is received.
//!
//! A verdict is the first of these that holds: damaged preamble (or a START too close behind a
//! TERMINATE), control code inside or no TERMINATE, too long, too short, wrong FCS, good.
use crate::eth::{Crc32, LineWords, crc};
use crate::stream::{EventSource, MacFlowSource};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::ethernet;
use rust_hdl::prelude::*;

/// Receives frames.
///
/// A word goes through four stages: at the *pins* it becomes a word of a frame, then it is *out*;
/// one cycle later the CRC covers it (*summed*), and one cycle later the frame is *judged* if it was
/// the last one.
#[derive(LogicBlock)]
pub struct XgmiiRx {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets the frame in progress.
    pub reset: Signal<In, Bit>,
    /// XGMII data, lane 0 in bits 7..0 and first on the wire.
    pub rxd: Signal<In, Bits<64>>,
    /// XGMII control bits, one a lane.
    pub rxc: Signal<In, Bits<8>>,
    /// 0: frames that begin now are ignored and not counted.
    pub enable: Signal<In, Bit>,
    /// Longest good frame in octets, FCS included, at least 64; taken over at the start of each frame.
    pub max_frame: Signal<In, Bits<15>>,
    /// Destination address to FCS. One above the limit ends with the word that goes beyond it.
    pub frames: MacFlowSource,
    /// `rx_frames`, once a frame, in the cycle of its verdict.
    pub total: EventSource,
    /// The verdict of each frame.
    pub verdict: EventSource,

    line: LineWords,
    crc: Crc32<64>,
    sum: DFF<Bits<32>>,
    wanted: Signal<Local, Bits<32>>,
    right: Signal<Local, Bit>,

    receiving: DFF<Bit>,
    fresh: DFF<Bit>,
    spoilt: DFF<Bit>,
    left: DFF<Bits<12>>,
    tail: DFF<Bits<3>>,
    cut: DFF<Bit>,
    last: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,

    out: [DFF<Bits<8>>; 8],
    out_keep: DFF<Bits<8>>,
    out_last: DFF<Bit>,
    out_valid: DFF<Bit>,
    out_first: DFF<Bit>,
    out_ends: DFF<Bit>,
    out_broken: DFF<Bit>,
    out_long: DFF<Bit>,
    out_spoilt: DFF<Bit>,
    data: Signal<Local, Bits<64>>,
    words: DFF<Bits<12>>,

    summed_octets: DFF<Bits<3>>,
    summed_last: DFF<Bit>,
    summed_ends: DFF<Bit>,
    summed_broken: DFF<Bit>,
    summed_long: DFF<Bit>,
    summed_spoilt: DFF<Bit>,
    short: Signal<Local, Bit>,
    code: Signal<Local, Bits<6>>,

    judged: DFF<Bit>,
    judged_good: DFF<Bit>,
    judged_octets: DFF<Bits<3>>,
    raised: DFF<Bit>,
    raised_code: DFF<Bits<6>>,
    waiting: DFF<Bit>,
    waiting_code: DFF<Bits<6>>,
    ends: Signal<Local, Bit>,
    raises: Signal<Local, Bit>,

    seed: Constant<Bits<32>>,
    residues: [Constant<Bits<32>>; 8],
    shortest: Constant<Bits<12>>,
    frames_code: Constant<Bits<6>>,
    good_code: Constant<Bits<6>>,
    preamble_code: Constant<Bits<6>>,
    broken_code: Constant<Bits<6>>,
    undersize_code: Constant<Bits<6>>,
    fragment_code: Constant<Bits<6>>,
    oversize_code: Constant<Bits<6>>,
    jabber_code: Constant<Bits<6>>,
    fcs_code: Constant<Bits<6>>,
}

fn code(counter: Counter) -> Constant<Bits<6>> {
    Constant::new(counter.code.to_bits())
}

impl Default for XgmiiRx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rxd: Default::default(),
            rxc: Default::default(),
            enable: Default::default(),
            max_frame: Default::default(),
            frames: Default::default(),
            total: Default::default(),
            verdict: Default::default(),
            line: Default::default(),
            crc: Default::default(),
            sum: Default::default(),
            wanted: Default::default(),
            right: Default::default(),
            receiving: Default::default(),
            fresh: Default::default(),
            spoilt: Default::default(),
            left: Default::default(),
            tail: Default::default(),
            cut: Default::default(),
            last: Default::default(),
            over: Default::default(),
            beyond: Default::default(),
            out: array_init::array_init(|_| Default::default()),
            out_keep: Default::default(),
            out_last: Default::default(),
            out_valid: Default::default(),
            out_first: Default::default(),
            out_ends: Default::default(),
            out_broken: Default::default(),
            out_long: Default::default(),
            out_spoilt: Default::default(),
            data: Default::default(),
            words: Default::default(),
            summed_octets: Default::default(),
            summed_last: Default::default(),
            summed_ends: Default::default(),
            summed_broken: Default::default(),
            summed_long: Default::default(),
            summed_spoilt: Default::default(),
            short: Default::default(),
            code: Default::default(),
            judged: Default::default(),
            judged_good: Default::default(),
            judged_octets: Default::default(),
            raised: Default::default(),
            raised_code: Default::default(),
            waiting: Default::default(),
            waiting_code: Default::default(),
            ends: Default::default(),
            raises: Default::default(),
            seed: Constant::new(crc::SEED.to_bits()),
            // A frame that ends with `i` octets in its last word has 8 - `i` zeros behind it there.
            residues: std::array::from_fn(|i| Constant::new(crc::residue(8 - i).to_bits())),
            shortest: Constant::new((ethernet::MIN_FRAME_OCTETS / 8).to_bits()),
            frames_code: code(counters::RX_FRAMES),
            good_code: code(counters::RX_GOOD),
            preamble_code: code(counters::RX_PREAMBLE_ERROR),
            broken_code: code(counters::RX_CODE_ERROR),
            undersize_code: code(counters::RX_UNDERSIZE),
            fragment_code: code(counters::RX_FRAGMENT),
            oversize_code: code(counters::RX_OVERSIZE),
            jabber_code: code(counters::RX_JABBER),
            fcs_code: code(counters::RX_FCS_ERROR),
        }
    }
}

impl Logic for XgmiiRx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: mac_rx - frames from 64-bit XGMII");
        dff_setup!(self, clock, sum, receiving, fresh, spoilt, left, tail, cut);
        dff_setup!(
            self, clock, out_keep, out_last, out_valid, out_first, out_ends, out_broken, out_long, out_spoilt
        );
        dff_setup!(self, clock, words, summed_octets, summed_last, summed_ends, summed_broken);
        dff_setup!(self, clock, summed_long, summed_spoilt, judged, judged_good, judged_octets);
        dff_setup!(self, clock, raised, raised_code, waiting, waiting_code);
        self.line.clock.next = self.clock.val();
        self.line.reset.next = self.reset.val();
        self.line.rxd.next = self.rxd.val();
        self.line.rxc.next = self.rxc.val();

        // Pins: is this word a part of a frame, does the frame end here, is it beyond the limit?
        self.last.next = !self.line.keep.val().get_bit(7);
        self.beyond.next = false;
        for i in 0..8 {
            if self.tail.q.val().index() == i {
                self.beyond.next = self.line.keep.val().get_bit(i);
            }
        }
        self.over.next = !self.left.q.val().any() & self.beyond.val();
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.receiving.q.val() {
            self.cut.d.next = self.cut.q.val() | self.over.val();
            self.receiving.d.next = !self.last.val();
        }
        self.fresh.d.next = false;
        self.spoilt.d.next = false;
        if self.line.starts.val() {
            self.left.d.next = self.max_frame.val().get_bits::<12>(3);
            self.tail.d.next = self.max_frame.val().get_bits::<3>(0);
            self.cut.d.next = false;
            // A frame that ends here, too close in front of a START, still needs its sum.
            self.fresh.d.next = self.enable.val() & self.line.intact.val();
            self.receiving.d.next = self.enable.val() & self.line.intact.val();
            self.spoilt.d.next = self.enable.val() & !self.line.intact.val();
        }

        for i in 0..8 {
            self.out[i].clock.next = self.clock.val();
            self.out[i].d.next = self.line.data.val().get_bits::<8>(8 * i);
            if !self.line.keep.val().get_bit(i) {
                self.out[i].d.next = 0.into();
            }
        }
        self.out_keep.d.next = self.line.keep.val();
        self.out_valid.d.next = self.receiving.q.val() & !self.cut.q.val();
        self.out_last.d.next = self.last.val() | self.over.val();
        self.out_first.d.next = self.fresh.q.val();
        self.out_ends.d.next = self.receiving.q.val() & self.last.val();
        self.out_long.d.next = self.cut.q.val() | self.over.val();
        self.out_broken.d.next = !self.line.terminates.val();
        self.out_spoilt.d.next = self.spoilt.q.val();

        // Out. The number of words stays until behind the verdict, unless the next frame is too close.
        self.data.next = bit_cast::<64, 8>(self.out[7].q.val()) << 56
            | bit_cast::<64, 8>(self.out[6].q.val()) << 48
            | bit_cast::<64, 8>(self.out[5].q.val()) << 40
            | bit_cast::<64, 8>(self.out[4].q.val()) << 32
            | bit_cast::<64, 8>(self.out[3].q.val()) << 24
            | bit_cast::<64, 8>(self.out[2].q.val()) << 16
            | bit_cast::<64, 8>(self.out[1].q.val()) << 8
            | bit_cast::<64, 8>(self.out[0].q.val());
        self.frames.data.next = self.data.val();
        self.frames.keep.next = self.out_keep.q.val();
        self.frames.last.next = self.out_last.q.val();
        self.frames.valid.next = self.out_valid.q.val();
        if self.out_valid.q.val() {
            if self.out_first.q.val() {
                self.words.d.next = 0.into();
                if self.out_keep.q.val().get_bit(7) {
                    self.words.d.next = 1.into();
                }
            } else if self.out_keep.q.val().get_bit(7) {
                self.words.d.next = self.words.q.val() + 1;
            }
        }
        self.crc.old_crc.next = self.sum.q.val();
        self.crc.data.next = self.data.val();
        self.sum.d.next = self.crc.new_crc.val();
        if self.fresh.q.val() {
            self.sum.d.next = self.seed.val();
        }
        self.summed_octets.d.next = 0.into();
        for i in 0..7 {
            if self.out_keep.q.val().get_bit(i) & !self.out_keep.q.val().get_bit(i + 1) {
                self.summed_octets.d.next = (i + 1).to_bits();
            }
        }
        self.summed_last.d.next = self.out_valid.q.val() & self.out_last.q.val();
        self.summed_ends.d.next = self.out_ends.q.val();
        self.summed_broken.d.next = self.out_broken.q.val();
        self.summed_long.d.next = self.out_long.q.val();
        self.summed_spoilt.d.next = self.out_spoilt.q.val();

        // Summed: compare with what a right FCS and the zeros behind it leave in the register.
        match self.summed_octets.q.val().index() {
            1 => self.wanted.next = self.residues[1].val(),
            2 => self.wanted.next = self.residues[2].val(),
            3 => self.wanted.next = self.residues[3].val(),
            4 => self.wanted.next = self.residues[4].val(),
            5 => self.wanted.next = self.residues[5].val(),
            6 => self.wanted.next = self.residues[6].val(),
            7 => self.wanted.next = self.residues[7].val(),
            _ => self.wanted.next = self.residues[0].val(),
        }
        self.right.next = self.sum.q.val() == self.wanted.val();
        self.short.next = self.words.q.val() < self.shortest.val();
        self.code.next = self.good_code.val();
        if self.summed_spoilt.q.val() {
            self.code.next = self.preamble_code.val();
        } else if self.summed_broken.q.val() {
            self.code.next = self.broken_code.val();
        } else if self.summed_long.q.val() {
            self.code.next = self.jabber_code.val();
            if self.right.val() {
                self.code.next = self.oversize_code.val();
            }
        } else if self.short.val() {
            self.code.next = self.fragment_code.val();
            if self.right.val() {
                self.code.next = self.undersize_code.val();
            }
        } else if !self.right.val() {
            self.code.next = self.fcs_code.val();
        }
        self.judged.d.next = self.summed_last.q.val();
        self.judged_good.d.next =
            self.right.val() & !self.summed_broken.q.val() & !self.summed_long.q.val() & !self.short.val();
        self.judged_octets.d.next = self.summed_octets.q.val();
        self.frames.judged.next = self.judged.q.val();
        self.frames.good.next = self.judged_good.q.val();
        self.frames.octets.next =
            bit_cast::<15, 12>(self.words.q.val()) << 3 | bit_cast::<15, 3>(self.judged_octets.q.val());

        // Scraps of frames may end in neighbouring cycles, but events must not: the second waits.
        // Starts are two words apart, so that one place to wait is enough for any input.
        self.ends.next = self.summed_ends.q.val() | self.summed_spoilt.q.val();
        self.raises.next = (self.waiting.q.val() | self.ends.val()) & !self.raised.q.val();
        self.raised.d.next = self.raises.val();
        self.raised_code.d.next = self.code.val();
        if self.waiting.q.val() {
            self.raised_code.d.next = self.waiting_code.q.val();
        }
        self.waiting.d.next = (self.waiting.q.val() & !self.raises.val())
            | (self.ends.val() & (self.waiting.q.val() | !self.raises.val()));
        if self.ends.val() {
            self.waiting_code.d.next = self.code.val();
        }
        self.total.valid.next = self.raised.q.val();
        self.total.code.next = self.frames_code.val();
        self.verdict.valid.next = self.raised.q.val();
        self.verdict.code.next = self.raised_code.q.val();

        if self.reset.val() {
            self.receiving.d.next = false;
            self.fresh.d.next = false;
            self.spoilt.d.next = false;
            self.out_valid.d.next = false;
            self.out_ends.d.next = false;
            self.out_spoilt.d.next = false;
            self.summed_last.d.next = false;
            self.summed_ends.d.next = false;
            self.summed_spoilt.d.next = false;
            self.judged.d.next = false;
            self.raised.d.next = false;
            self.waiting.d.next = false;
        }
    }
}
