//! Words of frames from words of the wire.
//!
//! A frame may start in lane 0 or in lane 4. Promise: whatever the lane, the frame's octet 0 stands
//! in lane 0 of a word in the cycle behind `starts`.
use nicforge_layout::wire::xgmii;
use rust_hdl::prelude::*;

/// Registers the pins and puts two columns together to each word.
///
/// Everything at the outputs is about the word that was at the pins one cycle ago, and if the
/// current frame starts in lane 4, about the late half of the word before and the early half of
/// this one. What a START means is decided when the second half of its preamble is here; only the
/// words behind it are put together anew. So the last words of a frame come out as they should,
/// however close the next START.
///
/// Two kinds of damaged start are told apart here:
/// * less than five octets behind a TERMINATE (IEEE 802.3 clause 4.4.2 lets the gap shrink to five,
///   not further): its preamble is never `intact`;
/// * less than 16 octets behind another START, which may be no start at all but a part of the
///   damage of the first one. `starts` is therefore never raised twice in a row, whatever comes in.
#[derive(LogicBlock)]
pub struct LineWords {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// XGMII data, lane 0 in bits 7..0.
    pub rxd: Signal<In, Bits<64>>,
    /// XGMII control bits.
    pub rxc: Signal<In, Bits<8>>,
    /// The word, whatever it is.
    pub data: Signal<Out, Bits<64>>,
    /// The data octets before its first control code, contiguous from bit 0.
    pub keep: Signal<Out, Bits<8>>,
    /// Its first control code is TERMINATE.
    pub terminates: Signal<Out, Bit>,
    /// A preamble is complete: the next word is the first one of a frame, and this one is none of it.
    pub starts: Signal<Out, Bit>,
    /// With `starts`: the preamble is whole, undamaged and at a legal distance.
    pub intact: Signal<Out, Bit>,

    pins: DFF<Bits<64>>,
    marks: DFF<Bits<8>>,
    held: DFF<Bits<32>>,
    held_marks: DFF<Bits<4>>,
    held_end: [DFF<Bit>; 4],
    held_start: DFF<Bit>,
    held_opens: DFF<Bit>,
    held_crowded: DFF<Bit>,
    shifted: DFF<Bit>,
    begun: DFF<Bit>,

    early: Signal<Local, Bits<32>>,
    late: Signal<Local, Bits<32>>,
    early_marks: Signal<Local, Bits<4>>,
    late_marks: Signal<Local, Bits<4>>,
    end: [Signal<Local, Bit>; 8],
    word_end: [Signal<Local, Bit>; 8],
    late_ended: Signal<Local, Bit>,
    codes: Signal<Local, Bits<8>>,
    run: Signal<Local, Bits<8>>,
    early_start: Signal<Local, Bit>,
    late_start: Signal<Local, Bit>,
    early_closes: Signal<Local, Bit>,
    late_closes: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,

    start: Constant<Bits<8>>,
    terminate: Constant<Bits<8>>,
    opening: Constant<Bits<32>>,
    closing: Constant<Bits<32>>,
}

impl Default for LineWords {
    fn default() -> Self {
        let opening = [xgmii::START, xgmii::PREAMBLE, xgmii::PREAMBLE, xgmii::PREAMBLE];
        let closing = [xgmii::PREAMBLE, xgmii::PREAMBLE, xgmii::PREAMBLE, xgmii::SFD];
        Self {
            clock: Default::default(),
            reset: Default::default(),
            rxd: Default::default(),
            rxc: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            terminates: Default::default(),
            starts: Default::default(),
            intact: Default::default(),
            pins: Default::default(),
            marks: Default::default(),
            held: Default::default(),
            held_marks: Default::default(),
            held_end: array_init::array_init(|_| Default::default()),
            held_start: Default::default(),
            held_opens: Default::default(),
            held_crowded: Default::default(),
            shifted: Default::default(),
            begun: Default::default(),
            early: Default::default(),
            late: Default::default(),
            early_marks: Default::default(),
            late_marks: Default::default(),
            end: array_init::array_init(|_| Default::default()),
            word_end: array_init::array_init(|_| Default::default()),
            late_ended: Default::default(),
            codes: Default::default(),
            run: Default::default(),
            early_start: Default::default(),
            late_start: Default::default(),
            early_closes: Default::default(),
            late_closes: Default::default(),
            begins: Default::default(),
            start: Constant::new(xgmii::START.to_bits()),
            terminate: Constant::new(xgmii::TERMINATE.to_bits()),
            opening: Constant::new(u32::from_le_bytes(opening).to_bits()),
            closing: Constant::new(u32::from_le_bytes(closing).to_bits()),
        }
    }
}

impl Logic for LineWords {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: line_words - frames that start in lane 0 or 4 begin a word");
        dff_setup!(self, clock, pins, marks, held, held_marks, held_start, held_opens);
        dff_setup!(self, clock, held_crowded, shifted, begun);
        self.pins.d.next = self.rxd.val();
        self.marks.d.next = self.rxc.val();

        // Each column by itself.
        self.early.next = self.pins.q.val().get_bits::<32>(0);
        self.late.next = self.pins.q.val().get_bits::<32>(32);
        self.early_marks.next = self.marks.q.val().get_bits::<4>(0);
        self.late_marks.next = self.marks.q.val().get_bits::<4>(4);
        for i in 0..8 {
            self.end[i].next = self.marks.q.val().get_bit(i)
                & (self.pins.q.val().get_bits::<8>(8 * i) == self.terminate.val());
        }
        for i in 0..4 {
            self.held_end[i].clock.next = self.clock.val();
            self.held_end[i].d.next = self.end[i + 4].val();
        }
        self.early_start.next =
            self.marks.q.val().get_bit(0) & (self.pins.q.val().get_bits::<8>(0) == self.start.val());
        self.late_start.next =
            self.marks.q.val().get_bit(4) & (self.pins.q.val().get_bits::<8>(32) == self.start.val());
        self.early_closes.next = (self.early_marks.val() == 0) & (self.early.val() == self.closing.val());
        self.late_closes.next = (self.late_marks.val() == 0) & (self.late.val() == self.closing.val());

        self.held.d.next = self.late.val();
        self.held_marks.d.next = self.late_marks.val();
        self.held_start.d.next = self.late_start.val();
        self.held_opens.d.next = (self.late_marks.val() == 1) & (self.late.val() == self.opening.val());
        self.held_crowded.d.next =
            self.end[0].val() | self.end[1].val() | self.end[2].val() | self.end[3].val();
        self.late_ended.next = self.held_end[0].q.val()
            | self.held_end[1].q.val()
            | self.held_end[2].q.val()
            | self.held_end[3].q.val();

        // A START in lane 4 is acted on one word later, when the second half of its preamble is here.
        self.begins.next = (self.held_start.q.val() | self.early_start.val()) & !self.begun.q.val();
        self.begun.d.next = self.begins.val();
        self.starts.next = self.begins.val();
        self.intact.next = (self.early_marks.val() == 1)
            & (self.early.val() == self.opening.val())
            & self.late_closes.val()
            & !self.late_ended.val();
        if self.held_start.q.val() {
            self.intact.next = self.held_opens.q.val() & self.early_closes.val() & !self.held_crowded.q.val();
        }
        if self.begins.val() {
            self.shifted.d.next = self.held_start.q.val();
        }

        // The word of the frame before still has that frame's place.
        self.data.next = self.pins.q.val();
        self.codes.next = self.marks.q.val();
        for i in 0..8 {
            self.word_end[i].next = self.end[i].val();
        }
        if self.shifted.q.val() {
            self.data.next =
                bit_cast::<64, 32>(self.early.val()) << 32 | bit_cast::<64, 32>(self.held.q.val());
            self.codes.next =
                bit_cast::<8, 4>(self.early_marks.val()) << 4 | bit_cast::<8, 4>(self.held_marks.q.val());
            for i in 0..4 {
                self.word_end[i].next = self.held_end[i].q.val();
                self.word_end[i + 4].next = self.end[i].val();
            }
        }
        // An octet counts as data if neither it nor one before it is a control code.
        self.run.next = !(self.codes.val()
            | (self.codes.val() << 1)
            | (self.codes.val() << 2)
            | (self.codes.val() << 3)
            | (self.codes.val() << 4)
            | (self.codes.val() << 5)
            | (self.codes.val() << 6)
            | (self.codes.val() << 7));
        self.keep.next = self.run.val();
        self.terminates.next = self.word_end[0].val()
            | (self.run.val().get_bit(0) & self.word_end[1].val())
            | (self.run.val().get_bit(1) & self.word_end[2].val())
            | (self.run.val().get_bit(2) & self.word_end[3].val())
            | (self.run.val().get_bit(3) & self.word_end[4].val())
            | (self.run.val().get_bit(4) & self.word_end[5].val())
            | (self.run.val().get_bit(5) & self.word_end[6].val())
            | (self.run.val().get_bit(6) & self.word_end[7].val());

        if self.reset.val() {
            self.begun.d.next = false;
            self.held_start.d.next = false;
            self.shifted.d.next = false;
        }
    }
}
