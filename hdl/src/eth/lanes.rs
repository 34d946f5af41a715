//! The lanes of the transmitted words.
use nicforge_layout::wire::xgmii;
use rust_hdl::prelude::*;

/// Puts words of a frame, check sequence, TERMINATE, idle and ordered sets into lanes.
///
/// A word is at the pins two cycles after it was at the input, if the frame starts in lane 0; its
/// second half is one cycle later if the frame starts in lane 4. The check sequence comes where the
/// words end: it must be there two cycles after the last one of them, and one more.
#[derive(LogicBlock)]
pub struct Lanes {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: the line is idle.
    pub reset: Signal<In, Bit>,
    /// The frame starts in lane 4. Steady from its preamble until one cycle behind its last word.
    pub lane_four: Signal<In, Bit>,
    /// The preamble, or a word of the frame.
    pub data: Signal<In, Bits<64>>,
    /// Its octets, contiguous from bit 0; none is no word.
    pub span: Signal<In, Bits<8>>,
    /// The first octet of the word is a control code.
    pub broken: Signal<In, Bit>,
    /// Without a frame: remote fault shall be sent.
    pub answers: Signal<In, Bit>,
    /// The check sequence; octet i belongs to every lane whose number modulo 4 is i.
    pub check: Signal<In, Bits<32>>,
    /// XGMII data, lane 0 in bits 7..0.
    pub txd: Signal<Out, Bits<64>>,
    /// XGMII control bits.
    pub txc: Signal<Out, Bits<8>>,

    held: DFF<Bits<32>>,
    held_span: DFF<Bits<4>>,
    early: DFF<Bits<32>>,
    late: DFF<Bits<32>>,
    early_span: DFF<Bits<4>>,
    late_span: DFF<Bits<4>>,
    early_code: DFF<Bit>,
    late_code: DFF<Bit>,
    ordered: DFF<Bit>,
    before: DFF<Bits<4>>,
    open: DFF<Bit>,
    words: Signal<Local, Bits<64>>,
    reach: Signal<Local, Bits<8>>,
    shows: Signal<Local, Bits<8>>,
    ended: Signal<Local, Bits<8>>,
    codes: Signal<Local, Bits<8>>,
    carries: Signal<Local, Bits<8>>,
    chosen: Signal<Local, Bits<8>>,
    octet: [Signal<Local, Bits<8>>; 8],
    lane: [Signal<Local, Bits<8>>; 8],
    txd_q: DFF<Bits<64>>,
    txc_q: DFF<Bits<8>>,

    idle: Constant<Bits<8>>,
    terminate: Constant<Bits<8>>,
    remote_fault: Constant<Bits<32>>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            lane_four: Default::default(),
            data: Default::default(),
            span: Default::default(),
            broken: Default::default(),
            answers: Default::default(),
            check: Default::default(),
            txd: Default::default(),
            txc: Default::default(),
            held: Default::default(),
            held_span: Default::default(),
            early: Default::default(),
            late: Default::default(),
            early_span: Default::default(),
            late_span: Default::default(),
            early_code: Default::default(),
            late_code: Default::default(),
            ordered: Default::default(),
            before: Default::default(),
            open: Default::default(),
            words: Default::default(),
            reach: Default::default(),
            shows: Default::default(),
            ended: Default::default(),
            codes: Default::default(),
            carries: Default::default(),
            chosen: Default::default(),
            octet: array_init::array_init(|_| Default::default()),
            lane: array_init::array_init(|_| Default::default()),
            txd_q: Default::default(),
            txc_q: Default::default(),
            idle: Constant::new(xgmii::IDLE.to_bits()),
            terminate: Constant::new(xgmii::TERMINATE.to_bits()),
            remote_fault: Constant::new(u32::from_le_bytes(xgmii::REMOTE_FAULT).to_bits()),
        }
    }
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: xgmii_lanes - the lanes of the transmitted words");
        dff_setup!(self, clock, held, held_span, early, late, early_span, late_span);
        dff_setup!(self, clock, early_code, late_code, ordered, before, open, txd_q, txc_q);

        // A frame that starts in lane 4 is half a word behind one that starts in lane 0.
        self.held.d.next = self.data.val().get_bits::<32>(32);
        self.held_span.d.next = self.span.val().get_bits::<4>(4);
        self.early.d.next = self.data.val().get_bits::<32>(0);
        self.early_span.d.next = self.span.val().get_bits::<4>(0);
        self.early_code.d.next = self.broken.val() & !self.lane_four.val();
        self.late.d.next = self.data.val().get_bits::<32>(32);
        self.late_span.d.next = self.span.val().get_bits::<4>(4);
        self.late_code.d.next = self.broken.val() & self.lane_four.val();
        if self.lane_four.val() {
            self.early.d.next = self.held.q.val();
            self.early_span.d.next = self.held_span.q.val();
            self.late.d.next = self.data.val().get_bits::<32>(0);
            self.late_span.d.next = self.span.val().get_bits::<4>(0);
        }
        self.ordered.d.next = self.answers.val();
        if self.answers.val() {
            self.early.d.next = self.remote_fault.val();
            self.late.d.next = self.remote_fault.val();
            self.early_code.d.next = true;
            self.late_code.d.next = true;
        }

        // Behind data, preamble included, come four lanes of check sequence and one of TERMINATE.
        self.words.next =
            bit_cast::<64, 32>(self.late.q.val()) << 32 | bit_cast::<64, 32>(self.early.q.val());
        self.before.d.next = self.late_span.q.val();
        self.reach.next = bit_cast::<8, 4>(self.late_span.q.val() | self.early_span.q.val()) << 4
            | bit_cast::<8, 4>(self.early_span.q.val() | self.before.q.val());
        self.open.d.next = self.reach.val().get_bit(7);
        self.ended.next = !self.reach.val() & (self.reach.val() << 1);
        if self.open.q.val() {
            self.ended.next = !self.reach.val() & (self.reach.val() << 1 | 1);
        }
        self.shows.next =
            bit_cast::<8, 4>(self.late_span.q.val()) << 4 | bit_cast::<8, 4>(self.early_span.q.val());
        if self.ordered.q.val() {
            self.shows.next = 0xff.into();
        }
        self.carries.next = self.shows.val() | self.reach.val();
        self.chosen.next = self.shows.val() | (self.ended.val() & !self.reach.val());
        for i in 0..4 {
            self.octet[i].next = self.check.val().get_bits::<8>(8 * i);
            self.octet[i + 4].next = self.check.val().get_bits::<8>(8 * i);
        }
        for i in 0..8 {
            if self.carries.val().get_bit(i) {
                self.lane[i].next = self.octet[i].val();
                if self.chosen.val().get_bit(i) {
                    self.lane[i].next = self.words.val().get_bits::<8>(8 * i);
                }
            } else {
                self.lane[i].next = self.idle.val();
                if self.chosen.val().get_bit(i) {
                    self.lane[i].next = self.terminate.val();
                }
            }
        }
        self.txd_q.d.next = bit_cast::<64, 8>(self.lane[7].val()) << 56
            | bit_cast::<64, 8>(self.lane[6].val()) << 48
            | bit_cast::<64, 8>(self.lane[5].val()) << 40
            | bit_cast::<64, 8>(self.lane[4].val()) << 32
            | bit_cast::<64, 8>(self.lane[3].val()) << 24
            | bit_cast::<64, 8>(self.lane[2].val()) << 16
            | bit_cast::<64, 8>(self.lane[1].val()) << 8
            | bit_cast::<64, 8>(self.lane[0].val());
        self.codes.next = 0.into();
        if self.early_code.q.val() & self.late_code.q.val() {
            self.codes.next = 0x11.into();
        } else if self.early_code.q.val() {
            self.codes.next = 0x01.into();
        } else if self.late_code.q.val() {
            self.codes.next = 0x10.into();
        }
        self.txc_q.d.next = !self.carries.val() | self.codes.val();
        self.txd.next = self.txd_q.q.val();
        self.txc.next = self.txc_q.q.val();

        if self.reset.val() {
            self.held_span.d.next = 0.into();
            self.early_span.d.next = 0.into();
            self.late_span.d.next = 0.into();
            self.early_code.d.next = false;
            self.late_code.d.next = false;
            self.ordered.d.next = false;
            self.before.d.next = 0.into();
            self.open.d.next = false;
        }
    }
}
