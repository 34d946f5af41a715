//! The receiving half of the MAC: frames from 64-bit XGMII (IEEE 802.3 clauses 4 and 46).
//!
//! Promise: every frame that begins on the wire while `enable` is high gets exactly one verdict;
//! every word of it that comes out lies within the limit, without preamble and FCS; and the last
//! of them says whether the frame is bad in any way. Nothing that comes in can stop the receiver:
//! the frame after any damage is received. A word takes seven cycles from the pins to the output.
//!
//! A verdict is the first of these that holds: damaged preamble (or a START too close behind a
//! TERMINATE), control code inside or no TERMINATE, too short, too long, wrong FCS, good.
use crate::eth::{Aligner, Crc32, crc};
use crate::stream::{EventSource, FlowSource};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::ethernet;
use rust_hdl::prelude::*;

/// Receives frames.
///
/// A word goes through four stages: *fresh* from the aligner, *summed* when the CRC covers it,
/// *judged* when it is known whether the FCS is right should the frame end here, and *held* until
/// the word behind it shows how much of it is FCS.
#[derive(LogicBlock)]
pub struct MacRx {
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
    /// Longest good frame in octets, FCS included; taken over at the start of each frame.
    pub max_frame: Signal<In, Bits<15>>,
    /// Destination address to end of data. A bad frame has `error` on its last word; one that is cut
    /// off at the limit or inside has its last word there; one too short for a word has none.
    pub frames: FlowSource<64, 8>,
    /// `rx_frames`, once a frame, in the cycle of its verdict.
    pub total: EventSource,
    /// The verdict of each frame.
    pub verdict: EventSource,

    aligner: Aligner,
    crc: Crc32<64>,
    sum: DFF<Bits<32>>,
    wanted: Signal<Local, Bits<32>>,

    receiving: DFF<Bit>,
    skipping: DFF<Bit>,
    words: DFF<Bits<13>>,
    limit: DFF<Bits<15>>,
    judged_limit: DFF<Bits<15>>,
    begins: Signal<Local, Bit>,
    cuts: Signal<Local, Bit>,
    belongs: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    tops: Signal<Local, Bits<8>>,

    summed_data: DFF<Bits<64>>,
    summed_keep: DFF<Bits<8>>,
    summed_octets: DFF<Bits<3>>,
    summed_full: DFF<Bit>,
    summed_ends: DFF<Bit>,
    summed_broken: DFF<Bit>,
    summed_skipped: DFF<Bit>,

    judged_data: DFF<Bits<64>>,
    judged_keep: DFF<Bits<8>>,
    judged_full: DFF<Bit>,
    judged_ends: DFF<Bit>,
    judged_broken: DFF<Bit>,
    judged_skipped: DFF<Bit>,
    judged_good: DFF<Bit>,
    judged_length: DFF<Bits<16>>,
    short: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    spills: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    code: Signal<Local, Bits<6>>,

    held: DFF<Bit>,
    held_data: DFF<Bits<64>>,
    spilt: DFF<Bit>,
    spilt_keep: DFF<Bits<4>>,
    spilt_bad: DFF<Bit>,

    out_data: DFF<Bits<64>>,
    out_keep: DFF<Bits<8>>,
    out_last: DFF<Bit>,
    out_error: DFF<Bit>,
    out_valid: DFF<Bit>,

    raised: DFF<Bit>,
    raised_code: DFF<Bits<6>>,
    waiting: DFF<Bit>,
    waiting_code: DFF<Bits<6>>,
    raises: Signal<Local, Bit>,

    seed: Constant<Bits<32>>,
    residues: [Constant<Bits<32>>; 8],
    shortest: Constant<Bits<16>>,
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

impl Default for MacRx {
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
            aligner: Default::default(),
            crc: Default::default(),
            sum: Default::default(),
            wanted: Default::default(),
            receiving: Default::default(),
            skipping: Default::default(),
            words: Default::default(),
            limit: Default::default(),
            judged_limit: Default::default(),
            begins: Default::default(),
            cuts: Default::default(),
            belongs: Default::default(),
            full: Default::default(),
            tops: Default::default(),
            summed_data: Default::default(),
            summed_keep: Default::default(),
            summed_octets: Default::default(),
            summed_full: Default::default(),
            summed_ends: Default::default(),
            summed_broken: Default::default(),
            summed_skipped: Default::default(),
            judged_data: Default::default(),
            judged_keep: Default::default(),
            judged_full: Default::default(),
            judged_ends: Default::default(),
            judged_broken: Default::default(),
            judged_skipped: Default::default(),
            judged_good: Default::default(),
            judged_length: Default::default(),
            short: Default::default(),
            long: Default::default(),
            bad: Default::default(),
            stops: Default::default(),
            spills: Default::default(),
            ends: Default::default(),
            code: Default::default(),
            held: Default::default(),
            held_data: Default::default(),
            spilt: Default::default(),
            spilt_keep: Default::default(),
            spilt_bad: Default::default(),
            out_data: Default::default(),
            out_keep: Default::default(),
            out_last: Default::default(),
            out_error: Default::default(),
            out_valid: Default::default(),
            raised: Default::default(),
            raised_code: Default::default(),
            waiting: Default::default(),
            waiting_code: Default::default(),
            raises: Default::default(),
            seed: Constant::new(crc::SEED.to_bits()),
            // A frame that ends with `i` octets in its last word has 8 - `i` zeros behind it there.
            residues: std::array::from_fn(|i| Constant::new(crc::residue((8 - i) % 8).to_bits())),
            shortest: Constant::new(ethernet::MIN_FRAME_OCTETS.to_bits()),
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

impl Logic for MacRx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: mac_rx - frames from 64-bit XGMII");
        dff_setup!(self, clock, sum, receiving, skipping, words, limit);
        dff_setup!(self, clock, summed_data, summed_keep, summed_octets, summed_full);
        dff_setup!(self, clock, summed_ends, summed_broken, summed_skipped);
        dff_setup!(self, clock, judged_data, judged_keep, judged_full, judged_ends, judged_broken);
        dff_setup!(self, clock, judged_skipped, judged_good, judged_length, judged_limit);
        dff_setup!(self, clock, held, held_data, spilt, spilt_keep, spilt_bad);
        dff_setup!(self, clock, out_data, out_keep, out_last, out_error, out_valid);
        dff_setup!(self, clock, raised, raised_code, waiting, waiting_code);

        self.aligner.clock.next = self.clock.val();
        self.aligner.reset.next = self.reset.val();
        self.aligner.rxd.next = self.rxd.val();
        self.aligner.rxc.next = self.rxc.val();

        // Fresh: is this word a part of a frame, and does the frame end here?
        self.full.next = self.aligner.keep.val().get_bit(7);
        self.begins.next = self.aligner.begins.val() & self.enable.val();
        self.cuts.next = self.aligner.begins.val() & !self.aligner.crowded.val();
        self.belongs.next = self.receiving.q.val() & !self.cuts.val();
        self.summed_data.d.next = self.aligner.data.val();
        self.summed_keep.d.next = self.aligner.keep.val();
        self.summed_full.d.next = self.belongs.val() & self.full.val();
        self.summed_ends.d.next = self.receiving.q.val() & (self.aligner.begins.val() | !self.full.val());
        self.summed_broken.d.next = self.cuts.val() | !self.aligner.terminates.val();
        self.summed_skipped.d.next = self.skipping.q.val() & (self.aligner.begins.val() | !self.full.val());
        if self.begins.val() {
            self.receiving.d.next = self.aligner.intact.val();
            self.skipping.d.next = !self.aligner.intact.val();
        } else if self.aligner.begins.val() | !self.full.val() {
            self.receiving.d.next = false;
            self.skipping.d.next = false;
        }

        // The number of octets in a word that is not full, from the highest one of its run.
        self.tops.next = self.aligner.keep.val() & !(self.aligner.keep.val() >> 1);
        self.summed_octets.d.next = 0.into();
        for i in 0..7 {
            if self.tops.val().get_bit(i) {
                self.summed_octets.d.next = (i + 1).to_bits();
            }
        }

        self.crc.old_crc.next = self.sum.q.val();
        self.crc.data.next = self.aligner.data.val();
        if self.cuts.val() {
            self.sum.d.next = self.seed.val();
            self.words.d.next = 0.into();
            self.limit.d.next = self.max_frame.val();
        } else if self.receiving.q.val() & self.aligner.keep.val().get_bit(0) {
            self.sum.d.next = self.crc.new_crc.val();
            if self.full.val() & !self.words.q.val().all() {
                self.words.d.next = self.words.q.val() + 1;
            }
        }

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
        self.judged_data.d.next = self.summed_data.q.val();
        self.judged_keep.d.next = self.summed_keep.q.val();
        self.judged_full.d.next = self.summed_full.q.val();
        self.judged_ends.d.next = self.summed_ends.q.val();
        self.judged_broken.d.next = self.summed_broken.q.val();
        self.judged_skipped.d.next = self.summed_skipped.q.val();
        self.judged_good.d.next = self.sum.q.val() == self.wanted.val();
        self.judged_length.d.next =
            bit_cast::<16, 13>(self.words.q.val()) << 3 | bit_cast::<16, 3>(self.summed_octets.q.val());

        // One limit for all of a frame: the next frame may bring another one before this is judged.
        self.judged_limit.d.next = self.limit.q.val();

        // Judged: what becomes of the frame.
        self.short.next = self.judged_length.q.val() < self.shortest.val();
        self.long.next = self.judged_length.q.val() > bit_cast::<16, 15>(self.judged_limit.q.val());
        self.bad.next =
            self.judged_broken.q.val() | self.short.val() | self.long.val() | !self.judged_good.q.val();
        self.stops.next = self.judged_full.q.val() & self.long.val();
        // More than four octets in the last word: not all of them are FCS.
        self.spills.next = self.judged_ends.q.val()
            & !self.judged_broken.q.val()
            & !self.long.val()
            & self.judged_keep.q.val().get_bit(4);

        // Held: the word behind it decides how it leaves.
        if self.judged_full.q.val() | self.judged_ends.q.val() | self.spilt.q.val() {
            self.held.d.next = (self.judged_full.q.val() & !self.stops.val()) | self.spills.val();
        }
        if self.judged_full.q.val() | self.spills.val() {
            self.held_data.d.next = self.judged_data.q.val();
        }
        self.spilt.d.next = self.spills.val();
        self.spilt_keep.d.next = self.judged_keep.q.val().get_bits::<4>(4);
        self.spilt_bad.d.next = self.bad.val();

        self.out_valid.d.next =
            self.held.q.val() & (self.judged_full.q.val() | self.judged_ends.q.val() | self.spilt.q.val());
        self.out_data.d.next = self.held_data.q.val();
        // Four octets of FCS reach from the end back into this word.
        self.out_keep.d.next = bit_cast::<8, 4>(self.judged_keep.q.val().get_bits::<4>(0)) << 4 | 0x0f;
        self.out_last.d.next = self.stops.val() | (self.judged_ends.q.val() & !self.spills.val());
        self.out_error.d.next =
            self.stops.val() | (self.judged_ends.q.val() & !self.spills.val() & self.bad.val());
        if self.spilt.q.val() {
            self.out_keep.d.next = bit_cast::<8, 4>(self.spilt_keep.q.val());
            self.out_last.d.next = true;
            self.out_error.d.next = self.spilt_bad.q.val();
        }
        self.frames.data.next = self.out_data.q.val();
        self.frames.keep.next = self.out_keep.q.val();
        self.frames.last.next = self.out_last.q.val();
        self.frames.error.next = self.out_error.q.val();
        self.frames.valid.next = self.out_valid.q.val();

        // The verdict.
        self.code.next = self.good_code.val();
        if self.judged_skipped.q.val() {
            self.code.next = self.preamble_code.val();
        } else if self.judged_broken.q.val() {
            self.code.next = self.broken_code.val();
        } else if self.short.val() {
            self.code.next = self.fragment_code.val();
            if self.judged_good.q.val() {
                self.code.next = self.undersize_code.val();
            }
        } else if self.long.val() {
            self.code.next = self.jabber_code.val();
            if self.judged_good.q.val() {
                self.code.next = self.oversize_code.val();
            }
        } else if !self.judged_good.q.val() {
            self.code.next = self.fcs_code.val();
        }

        // Scraps of frames may end in neighbouring cycles, but events must not: the second waits.
        // Starts are two words apart, so that one place to wait is enough for any input.
        self.ends.next = self.judged_ends.q.val() | self.judged_skipped.q.val();
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
            self.skipping.d.next = false;
            self.summed_full.d.next = false;
            self.summed_ends.d.next = false;
            self.summed_skipped.d.next = false;
            self.judged_full.d.next = false;
            self.judged_ends.d.next = false;
            self.judged_skipped.d.next = false;
            self.held.d.next = false;
            self.spilt.d.next = false;
            self.out_valid.d.next = false;
            self.raised.d.next = false;
            self.waiting.d.next = false;
        }
    }
}
