//! Which octets of each word belong to a span of the frame, such as the IPv4 header.
use rust_hdl::prelude::*;

/// The place of a word in a span of which `left` octets are left.
#[derive(LogicBlock, Default)]
pub struct SpanWord<const W: usize> {
    /// Octets of the span from the present word on.
    pub left: Signal<In, Bits<W>>,
    /// The octets of the present word that belong to the span.
    pub mask: Signal<Out, Bits<8>>,
    /// The span goes on behind the present word.
    pub goes_on: Signal<Out, Bit>,
    /// Octets of the span from the next word on.
    pub rest: Signal<Out, Bits<W>>,

    covers: Signal<Local, Bit>,
    odd: Signal<Local, Bits<3>>,
}

impl<const W: usize> Logic for SpanWord<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: span_word Place of a word in a span of octets");
        self.covers.next = self.left.val() >= 8;
        self.goes_on.next = self.left.val() > 8;
        self.odd.next = self.left.val().get_bits::<3>(0);
        match self.odd.val().index() {
            0 => self.mask.next = 0x00.into(),
            1 => self.mask.next = 0x01.into(),
            2 => self.mask.next = 0x03.into(),
            3 => self.mask.next = 0x07.into(),
            4 => self.mask.next = 0x0f.into(),
            5 => self.mask.next = 0x1f.into(),
            6 => self.mask.next = 0x3f.into(),
            _ => self.mask.next = 0x7f.into(),
        }
        self.rest.next = 0.into();
        if self.covers.val() {
            self.mask.next = 0xff.into();
            self.rest.next = self.left.val() - 8;
        }
    }
}

/// Counts the octets of a span down, word by word. The span is aligned to words where it is
/// loaded; `W` bits hold its length.
#[derive(LogicBlock, Default)]
pub struct Span<const W: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// From the next word on, the span has `count` octets. Wins over `step`.
    pub load: Signal<In, Bit>,
    /// Octets of the span from the next word on.
    pub count: Signal<In, Bits<W>>,
    /// The present word ends.
    pub step: Signal<In, Bit>,
    /// Octets of the span from the present word on.
    pub left: Signal<Out, Bits<W>>,
    /// The octets of the present word that belong to the span.
    pub mask: Signal<Out, Bits<8>>,
    /// The span goes on behind the present word.
    pub goes_on: Signal<Out, Bit>,

    word: SpanWord<W>,
    octets: DFF<Bits<W>>,
}

impl<const W: usize> Logic for Span<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: span Octets of a span of the frame, word by word");
        dff_setup!(self, clock, octets);

        self.word.left.next = self.octets.q.val();
        self.left.next = self.octets.q.val();
        self.mask.next = self.word.mask.val();
        self.goes_on.next = self.word.goes_on.val();
        if self.step.val() {
            self.octets.d.next = self.word.rest.val();
        }
        if self.load.val() {
            self.octets.d.next = self.count.val();
        }
    }
}
