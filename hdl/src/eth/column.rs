//! What one XGMII column says.
//!
//! A column is the four octets of one edge of the 32-bit XGMII (IEEE 802.3 clause 46.3); two of
//! them make a 64-bit word. A START may stand in the first lane of either, so the receiver looks
//! at columns first and puts words together afterwards.
use nicforge_layout::wire::xgmii;
use rust_hdl::prelude::*;

/// Classifies a column; the answer comes two cycles later.
#[derive(LogicBlock)]
pub struct Column {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Four octets, the first in bits 7..0.
    pub octets: Signal<In, Bits<32>>,
    /// One for each octet that is a control code.
    pub controls: Signal<In, Bits<4>>,
    /// The data octets before the first control code; zeros from there on.
    pub data: Signal<Out, Bits<32>>,
    /// Which octets these are: ones from bit 0 on, as many as octets.
    pub keep: Signal<Out, Bits<4>>,
    /// The first control code is TERMINATE.
    pub terminates: Signal<Out, Bit>,
    /// Some lane holds TERMINATE.
    pub ended: Signal<Out, Bit>,
    /// The first lane holds START.
    pub starts: Signal<Out, Bit>,
    /// The column is the first half of a preamble.
    pub opens: Signal<Out, Bit>,
    /// The column is the second half of a preamble.
    pub closes: Signal<Out, Bit>,

    pins: DFF<Bits<32>>,
    marks: DFF<Bits<4>>,
    clean_q: DFF<Bits<32>>,
    run_q: DFF<Bits<4>>,
    terminates_q: DFF<Bit>,
    ended_q: DFF<Bit>,
    starts_q: DFF<Bit>,
    opens_q: DFF<Bit>,
    closes_q: DFF<Bit>,
    run: Signal<Local, Bits<4>>,
    ends: [Signal<Local, Bit>; 4],
    start: Constant<Bits<8>>,
    terminate: Constant<Bits<8>>,
    opening: Constant<Bits<32>>,
    closing: Constant<Bits<32>>,
}

impl Default for Column {
    fn default() -> Self {
        let opening = [xgmii::START, xgmii::PREAMBLE, xgmii::PREAMBLE, xgmii::PREAMBLE];
        let closing = [xgmii::PREAMBLE, xgmii::PREAMBLE, xgmii::PREAMBLE, xgmii::SFD];
        Self {
            clock: Default::default(),
            octets: Default::default(),
            controls: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            terminates: Default::default(),
            ended: Default::default(),
            starts: Default::default(),
            opens: Default::default(),
            closes: Default::default(),
            pins: Default::default(),
            marks: Default::default(),
            clean_q: Default::default(),
            run_q: Default::default(),
            terminates_q: Default::default(),
            ended_q: Default::default(),
            starts_q: Default::default(),
            opens_q: Default::default(),
            closes_q: Default::default(),
            run: Default::default(),
            ends: array_init::array_init(|_| Default::default()),
            start: Constant::new(xgmii::START.to_bits()),
            terminate: Constant::new(xgmii::TERMINATE.to_bits()),
            opening: Constant::new(u32::from_le_bytes(opening).to_bits()),
            closing: Constant::new(u32::from_le_bytes(closing).to_bits()),
        }
    }
}

impl Logic for Column {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: xgmii_column - what one XGMII column says");
        dff_setup!(
            self,
            clock,
            pins,
            marks,
            clean_q,
            run_q,
            terminates_q,
            ended_q,
            starts_q,
            opens_q,
            closes_q
        );
        self.pins.d.next = self.octets.val();
        self.marks.d.next = self.controls.val();

        // An octet counts as data if neither it nor one before it is a control code.
        self.run.next = !(self.marks.q.val()
            | (self.marks.q.val() << 1)
            | (self.marks.q.val() << 2)
            | (self.marks.q.val() << 3));
        for i in 0..4 {
            self.ends[i].next = self.marks.q.val().get_bit(i)
                & (self.pins.q.val().get_bits::<8>(8 * i) == self.terminate.val());
        }

        self.run_q.d.next = self.run.val();
        self.clean_q.d.next = self.pins.q.val();
        if !self.run.val().get_bit(0) {
            self.clean_q.d.next = 0.into();
        } else if !self.run.val().get_bit(1) {
            self.clean_q.d.next = self.pins.q.val() & 0xff;
        } else if !self.run.val().get_bit(2) {
            self.clean_q.d.next = self.pins.q.val() & 0xffff;
        } else if !self.run.val().get_bit(3) {
            self.clean_q.d.next = self.pins.q.val() & 0xff_ffff;
        }
        self.terminates_q.d.next = self.ends[0].val()
            | (self.run.val().get_bit(0) & self.ends[1].val())
            | (self.run.val().get_bit(1) & self.ends[2].val())
            | (self.run.val().get_bit(2) & self.ends[3].val());
        self.ended_q.d.next =
            self.ends[0].val() | self.ends[1].val() | self.ends[2].val() | self.ends[3].val();
        self.starts_q.d.next =
            self.marks.q.val().get_bit(0) & (self.pins.q.val().get_bits::<8>(0) == self.start.val());
        self.opens_q.d.next = (self.marks.q.val() == 1) & (self.pins.q.val() == self.opening.val());
        self.closes_q.d.next = (self.marks.q.val() == 0) & (self.pins.q.val() == self.closing.val());

        self.data.next = self.clean_q.q.val();
        self.keep.next = self.run_q.q.val();
        self.terminates.next = self.terminates_q.q.val();
        self.ended.next = self.ended_q.q.val();
        self.starts.next = self.starts_q.q.val();
        self.opens.next = self.opens_q.q.val();
        self.closes.next = self.closes_q.q.val();
    }
}
