//! A chain of checksum stages: the yardstick for how fast emitted Verilog simulates.
use nicforge_hdl::comment;
use rust_hdl::prelude::*;

/// One pipeline register that adds up the 16-bit words passing through it.
#[derive(LogicBlock, Default)]
pub struct Stage {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Word in.
    pub s_data: Signal<In, Bits<64>>,
    /// Octets of the word in.
    pub s_keep: Signal<In, Bits<8>>,
    /// Last word of a packet in.
    pub s_last: Signal<In, Bit>,
    /// Word in is there.
    pub s_valid: Signal<In, Bit>,
    /// Word in is taken.
    pub s_ready: Signal<Out, Bit>,
    /// Word out.
    pub m_data: Signal<Out, Bits<64>>,
    /// Octets of the word out.
    pub m_keep: Signal<Out, Bits<8>>,
    /// Last word of a packet out.
    pub m_last: Signal<Out, Bit>,
    /// Word out is there.
    pub m_valid: Signal<Out, Bit>,
    /// Word out is taken.
    pub m_ready: Signal<In, Bit>,
    /// Sum with the end-around carries above bit 15.
    pub sum: Signal<Out, Bits<20>>,

    data: DFF<Bits<64>>,
    keep: DFF<Bits<8>>,
    last: DFF<Bit>,
    valid: DFF<Bit>,
    total: DFF<Bits<20>>,
    free: Signal<Local, Bit>,
    words: Signal<Local, Bits<20>>,
}

impl Logic for Stage {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: chain_stage");
        dff_setup!(self, clock, data, keep, last, valid, total);
        self.free.next = self.m_ready.val() | !self.valid.q.val();
        self.words.next = bit_cast::<20, 16>(self.s_data.val().get_bits::<16>(0))
            + bit_cast::<20, 16>(self.s_data.val().get_bits::<16>(16))
            + bit_cast::<20, 16>(self.s_data.val().get_bits::<16>(32))
            + bit_cast::<20, 16>(self.s_data.val().get_bits::<16>(48));
        self.s_ready.next = self.free.val();
        self.m_data.next = self.data.q.val();
        self.m_keep.next = self.keep.q.val();
        self.m_last.next = self.last.q.val();
        self.m_valid.next = self.valid.q.val();
        self.sum.next = self.total.q.val();
        if self.s_valid.val() & self.free.val() {
            self.data.d.next = self.s_data.val();
            self.keep.d.next = self.s_keep.val();
            self.last.d.next = self.s_last.val();
            self.valid.d.next = true;
            self.total.d.next = bit_cast::<20, 16>(self.total.q.val().get_bits::<16>(0))
                + bit_cast::<20, 4>(self.total.q.val().get_bits::<4>(16))
                + self.words.val();
        } else if self.m_ready.val() {
            self.valid.d.next = false;
        }
        if self.reset.val() {
            self.valid.d.next = false;
            self.total.d.next = 0.into();
        }
    }
}

/// 32 stages behind one another.
#[derive(LogicBlock)]
pub struct Chain {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Word in.
    pub s_data: Signal<In, Bits<64>>,
    /// Octets of the word in.
    pub s_keep: Signal<In, Bits<8>>,
    /// Last word of a packet in.
    pub s_last: Signal<In, Bit>,
    /// Word in is there.
    pub s_valid: Signal<In, Bit>,
    /// Word in is taken.
    pub s_ready: Signal<Out, Bit>,
    /// Word out.
    pub m_data: Signal<Out, Bits<64>>,
    /// Octets of the word out.
    pub m_keep: Signal<Out, Bits<8>>,
    /// Last word of a packet out.
    pub m_last: Signal<Out, Bit>,
    /// Word out is there.
    pub m_valid: Signal<Out, Bit>,
    /// Word out is taken.
    pub m_ready: Signal<In, Bit>,
    /// The last stage's sum.
    pub sum: Signal<Out, Bits<20>>,

    stages: [Stage; 32],
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_data: Default::default(),
            s_keep: Default::default(),
            s_last: Default::default(),
            s_valid: Default::default(),
            s_ready: Default::default(),
            m_data: Default::default(),
            m_keep: Default::default(),
            m_last: Default::default(),
            m_valid: Default::default(),
            m_ready: Default::default(),
            sum: Default::default(),
            stages: array_init::array_init(|_| Default::default()),
        }
    }
}

impl Logic for Chain {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: chain");
        for i in 0..32 {
            self.stages[i].clock.next = self.clk.val();
            self.stages[i].reset.next = self.rst.val();
        }
        self.stages[0].s_data.next = self.s_data.val();
        self.stages[0].s_keep.next = self.s_keep.val();
        self.stages[0].s_last.next = self.s_last.val();
        self.stages[0].s_valid.next = self.s_valid.val();
        self.s_ready.next = self.stages[0].s_ready.val();
        for i in 1..32 {
            self.stages[i].s_data.next = self.stages[i - 1].m_data.val();
            self.stages[i].s_keep.next = self.stages[i - 1].m_keep.val();
            self.stages[i].s_last.next = self.stages[i - 1].m_last.val();
            self.stages[i].s_valid.next = self.stages[i - 1].m_valid.val();
            self.stages[i - 1].m_ready.next = self.stages[i].s_ready.val();
        }
        self.m_data.next = self.stages[31].m_data.val();
        self.m_keep.next = self.stages[31].m_keep.val();
        self.m_last.next = self.stages[31].m_last.val();
        self.m_valid.next = self.stages[31].m_valid.val();
        self.stages[31].m_ready.next = self.m_ready.val();
        self.sum.next = self.stages[31].sum.val();
    }
}
