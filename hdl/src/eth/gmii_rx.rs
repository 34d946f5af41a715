//! The receiving half of the 1 GbE MAC: frames from GMII (IEEE 802.3 clauses 4 and 35) to the core's clock.
//!
//! Promise: every frame that begins on the wire gets exactly one verdict, if `enable` was high when it
//! reached the core's clock; the words that come out hold destination address to end of data, none of
//! them begins beyond the limit, and the last of them says whether the frame is bad in any way.
//! Nothing that comes in can stop the receiver. A core clock of 31.25 MHz or more keeps up with the
//! line; a slower one loses whole frames, each counted as `rx_overrun`.
//!
//! A verdict is the first of these that holds: no room, no delimiter, `rx_er`,
//! too short, too long, wrong FCS, good. What is a frame [`GmiiOctets`] says.
use crate::eth::{Ending, GmiiOctets};
use crate::stream::{AsyncFifo, DomainReset, EventSource, FlowSource};
use nicforge_layout::counters::{self, Counter};
use nicforge_layout::wire::ethernet;
use rust_hdl::prelude::*;

/// Receives frames.
///
/// [`GmiiOctets`] works on the receive clock and an [`AsyncFifo`] takes its entries over. On the core's
/// clock an entry is *judged* one cycle after it left the FIFO and out in the next.
#[derive(LogicBlock)]
pub struct GmiiRx {
    /// The core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; resets the side of the receive clock too, when that runs.
    pub reset: Signal<In, Bit>,
    /// The receive clock, 125 MHz.
    pub rx_clk: Signal<In, Clock>,
    /// GMII receive data.
    pub rxd: Signal<In, Bits<8>>,
    /// GMII receive data valid.
    pub rx_dv: Signal<In, Bit>,
    /// GMII receive error.
    pub rx_er: Signal<In, Bit>,
    /// 0: frames that begin now are ignored and not counted.
    pub enable: Signal<In, Bit>,
    /// Longest good frame in octets, FCS included; taken over at the start of each frame.
    pub max_frame: Signal<In, Bits<15>>,
    /// Destination address to end of data. A bad frame has `error` on its last word; one that is cut
    /// off at the limit has its last word there; one too short for a word has none.
    pub frames: FlowSource<64, 8>,
    /// `rx_frames`, once a frame, in the cycle of its verdict.
    pub total: EventSource,
    /// The verdict of each frame.
    pub verdict: EventSource,

    resets: DomainReset,
    octets: GmiiOctets,
    fifo: AsyncFifo<72, 4, 5>,

    takes: Signal<Local, Bit>,
    number: Signal<Local, Bits<4>>,
    last: Signal<Local, Bit>,
    /// An ending left the FIFO in the cycle before: events must not be neighbours.
    ended: DFF<Bit>,
    /// The entry in the FIFO is not the first of its frame.
    inside: DFF<Bit>,
    words: DFF<Bits<12>>,
    wanted: DFF<Bit>,
    limit: DFF<Bits<15>>,
    wanted_now: Signal<Local, Bit>,
    limit_now: Signal<Local, Bits<15>>,
    words_now: Signal<Local, Bits<12>>,

    judged: DFF<Bit>,
    judged_data: DFF<Bits<64>>,
    judged_number: DFF<Bits<4>>,
    judged_last: DFF<Bit>,
    judged_ending: DFF<Bits<3>>,
    judged_length: DFF<Bits<16>>,
    judged_limit: DFF<Bits<16>>,
    good: Signal<Local, Bit>,
    short: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    crosses: Signal<Local, Bit>,
    code: Signal<Local, Bits<6>>,
    /// Words of the frame came out, and the last has not.
    open: DFF<Bit>,
    /// The frame was ended at the limit.
    cut: DFF<Bit>,

    out_valid: DFF<Bit>,
    out_data: DFF<Bits<64>>,
    out_keep: DFF<Bits<8>>,
    out_last: DFF<Bit>,
    out_error: DFF<Bit>,
    emits: Signal<Local, Bit>,
    raised: DFF<Bit>,
    raised_code: DFF<Bits<6>>,

    check_octets: Constant<Bits<16>>,
    shortest: Constant<Bits<16>>,
    good_ending: Constant<Bits<3>>,
    broken_ending: Constant<Bits<3>>,
    preamble_ending: Constant<Bits<3>>,
    overrun_ending: Constant<Bits<3>>,
    frames_code: Constant<Bits<6>>,
    good_code: Constant<Bits<6>>,
    preamble_code: Constant<Bits<6>>,
    broken_code: Constant<Bits<6>>,
    undersize_code: Constant<Bits<6>>,
    fragment_code: Constant<Bits<6>>,
    oversize_code: Constant<Bits<6>>,
    jabber_code: Constant<Bits<6>>,
    fcs_code: Constant<Bits<6>>,
    overrun_code: Constant<Bits<6>>,
}

fn code(counter: Counter) -> Constant<Bits<6>> {
    Constant::new(counter.code.to_bits())
}

impl Default for GmiiRx {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rx_clk: Default::default(),
            rxd: Default::default(),
            rx_dv: Default::default(),
            rx_er: Default::default(),
            enable: Default::default(),
            max_frame: Default::default(),
            frames: Default::default(),
            total: Default::default(),
            verdict: Default::default(),
            resets: Default::default(),
            octets: Default::default(),
            fifo: Default::default(),
            takes: Default::default(),
            number: Default::default(),
            last: Default::default(),
            ended: Default::default(),
            inside: Default::default(),
            words: Default::default(),
            wanted: Default::default(),
            limit: Default::default(),
            wanted_now: Default::default(),
            limit_now: Default::default(),
            words_now: Default::default(),
            judged: Default::default(),
            judged_data: Default::default(),
            judged_number: Default::default(),
            judged_last: Default::default(),
            judged_ending: Default::default(),
            judged_length: Default::default(),
            judged_limit: Default::default(),
            good: Default::default(),
            short: Default::default(),
            long: Default::default(),
            crosses: Default::default(),
            code: Default::default(),
            open: Default::default(),
            cut: Default::default(),
            out_valid: Default::default(),
            out_data: Default::default(),
            out_keep: Default::default(),
            out_last: Default::default(),
            out_error: Default::default(),
            emits: Default::default(),
            raised: Default::default(),
            raised_code: Default::default(),
            check_octets: Constant::new(ethernet::FCS_OCTETS.to_bits()),
            shortest: Constant::new(ethernet::MIN_FRAME_OCTETS.to_bits()),
            good_ending: Ending::Good.code(),
            broken_ending: Ending::Broken.code(),
            preamble_ending: Ending::Preamble.code(),
            overrun_ending: Ending::Overrun.code(),
            frames_code: code(counters::RX_FRAMES),
            good_code: code(counters::RX_GOOD),
            preamble_code: code(counters::RX_PREAMBLE_ERROR),
            broken_code: code(counters::RX_CODE_ERROR),
            undersize_code: code(counters::RX_UNDERSIZE),
            fragment_code: code(counters::RX_FRAGMENT),
            oversize_code: code(counters::RX_OVERSIZE),
            jabber_code: code(counters::RX_JABBER),
            fcs_code: code(counters::RX_FCS_ERROR),
            overrun_code: code(counters::RX_OVERRUN),
        }
    }
}

impl Logic for GmiiRx {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: gmii_rx - frames from GMII to the core clock");
        dff_setup!(self, clock, ended, inside, words, wanted, limit);
        dff_setup!(self, clock, judged, judged_data, judged_number, judged_last, judged_ending);
        dff_setup!(self, clock, judged_length, judged_limit, open, cut);
        dff_setup!(self, clock, out_valid, out_data, out_keep, out_last, out_error, raised, raised_code);

        self.resets.clock.next = self.clock.val();
        self.resets.reset.next = self.reset.val();
        self.resets.far_clock.next = self.rx_clk.val();
        self.octets.clock.next = self.rx_clk.val();
        self.octets.reset.next = self.resets.far_reset.val();
        self.octets.rxd.next = self.rxd.val();
        self.octets.rx_dv.next = self.rx_dv.val();
        self.octets.rx_er.next = self.rx_er.val();
        self.fifo.write_clock.next = self.rx_clk.val();
        self.fifo.write_reset.next = self.resets.far_reset.val();
        self.fifo.write_data.next = self.octets.entry.val();
        self.fifo.write_valid.next = self.octets.valid.val();
        self.octets.ready.next = self.fifo.write_ready.val();
        self.fifo.read_clock.next = self.clock.val();
        self.fifo.read_reset.next = self.resets.near_reset.val();

        // Fresh from the FIFO: how long is the frame with this entry?
        self.number.next = self.fifo.read_data.val().get_bits::<4>(64);
        self.last.next = self.fifo.read_data.val().get_bit(68);
        self.fifo.read_ready.next = !(self.ended.q.val() & self.last.val());
        self.takes.next = self.fifo.read_valid.val() & !(self.ended.q.val() & self.last.val());
        self.ended.d.next = self.takes.val() & self.last.val();
        self.wanted_now.next = self.enable.val();
        self.limit_now.next = self.max_frame.val();
        self.words_now.next = 0.into();
        if self.inside.q.val() {
            self.wanted_now.next = self.wanted.q.val();
            self.limit_now.next = self.limit.q.val();
            self.words_now.next = self.words.q.val();
        }
        if self.takes.val() {
            self.inside.d.next = !self.last.val();
            self.wanted.d.next = self.wanted_now.val();
            self.limit.d.next = self.limit_now.val();
            self.words.d.next = self.words_now.val();
            if !self.words_now.val().all() {
                self.words.d.next = self.words_now.val() + 1;
            }
        }
        self.judged.d.next = self.takes.val() & self.wanted_now.val();
        self.judged_data.d.next = self.fifo.read_data.val().get_bits::<64>(0);
        self.judged_number.d.next = self.number.val();
        self.judged_last.d.next = self.last.val();
        self.judged_ending.d.next = self.fifo.read_data.val().get_bits::<3>(69);
        self.judged_limit.d.next = bit_cast::<16, 15>(self.limit_now.val());
        self.judged_length.d.next = (bit_cast::<16, 12>(self.words_now.val()) << 3)
            + bit_cast::<16, 4>(self.number.val())
            + self.check_octets.val();

        // Judged: what becomes of it. Behind an entry that is not the last there is an octet more.
        self.good.next = self.judged_ending.q.val() == self.good_ending.val();
        self.short.next = self.judged_length.q.val() < self.shortest.val();
        self.long.next = self.judged_length.q.val() > self.judged_limit.q.val();
        self.crosses.next =
            !self.judged_last.q.val() & (self.judged_length.q.val() >= self.judged_limit.q.val());
        self.emits.next =
            self.judged.q.val() & !self.cut.q.val() & (self.judged_number.q.val().any() | self.open.q.val());
        self.out_valid.d.next = self.emits.val();
        self.out_data.d.next = self.judged_data.q.val();
        // A frame that was cut off between two words ends with an octet that means nothing.
        match self.judged_number.q.val().index() {
            2 => self.out_keep.d.next = 0x03.into(),
            3 => self.out_keep.d.next = 0x07.into(),
            4 => self.out_keep.d.next = 0x0f.into(),
            5 => self.out_keep.d.next = 0x1f.into(),
            6 => self.out_keep.d.next = 0x3f.into(),
            7 => self.out_keep.d.next = 0x7f.into(),
            8 => self.out_keep.d.next = 0xff.into(),
            _ => self.out_keep.d.next = 0x01.into(),
        }
        self.out_last.d.next = self.judged_last.q.val() | self.crosses.val();
        self.out_error.d.next = self.crosses.val()
            | (self.judged_last.q.val() & (!self.good.val() | self.short.val() | self.long.val()));
        if self.judged.q.val() {
            self.open.d.next = !self.judged_last.q.val() & !self.crosses.val() & !self.cut.q.val();
            self.cut.d.next = !self.judged_last.q.val() & (self.cut.q.val() | self.crosses.val());
        }
        self.frames.data.next = self.out_data.q.val();
        self.frames.keep.next = self.out_keep.q.val();
        self.frames.last.next = self.out_last.q.val();
        self.frames.error.next = self.out_error.q.val();
        self.frames.valid.next = self.out_valid.q.val();

        // The verdict.
        self.code.next = self.good_code.val();
        if self.judged_ending.q.val() == self.overrun_ending.val() {
            self.code.next = self.overrun_code.val();
        } else if self.judged_ending.q.val() == self.preamble_ending.val() {
            self.code.next = self.preamble_code.val();
        } else if self.judged_ending.q.val() == self.broken_ending.val() {
            self.code.next = self.broken_code.val();
        } else if self.short.val() {
            self.code.next = self.fragment_code.val();
            if self.good.val() {
                self.code.next = self.undersize_code.val();
            }
        } else if self.long.val() {
            self.code.next = self.jabber_code.val();
            if self.good.val() {
                self.code.next = self.oversize_code.val();
            }
        } else if !self.good.val() {
            self.code.next = self.fcs_code.val();
        }
        self.raised.d.next = self.judged.q.val() & self.judged_last.q.val();
        self.raised_code.d.next = self.code.val();
        self.total.valid.next = self.raised.q.val();
        self.total.code.next = self.frames_code.val();
        self.verdict.valid.next = self.raised.q.val();
        self.verdict.code.next = self.raised_code.q.val();

        if self.reset.val() {
            self.ended.d.next = false;
            self.inside.d.next = false;
            self.judged.d.next = false;
            self.open.d.next = false;
            self.cut.d.next = false;
            self.out_valid.d.next = false;
            self.raised.d.next = false;
        }
    }
}
