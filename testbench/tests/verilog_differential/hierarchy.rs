//! Blocks with blocks below them, each at several widths: links, shared interfaces, Verilog of their own,
//! and choices made by constants.
use rust_hdl::prelude::*;
use rust_hdl::widgets::edge_ff::EdgeDFF;

/// Adds its input to a register: the child of the blocks below.
#[derive(LogicBlock, Default)]
pub(crate) struct Adder<const W: usize> {
    pub(crate) clk: Signal<In, Clock>,
    add: Signal<In, Bits<W>>,
    sum: Signal<Out, Bits<W>>,
    through: Signal<Out, Bits<W>>,
    total: DFF<Bits<W>>,
}

impl<const W: usize> Logic for Adder<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, total);
        self.total.d.next = self.total.q.val() + self.add.val();
        self.sum.next = self.total.q.val();
        self.through.next = !self.add.val();
    }
}

pattern! {
    BlockArray { adder: [Adder<W>; 3], }
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..3 {
            self.adder[i].clk.next = self.clk.val();
        }
        self.adder[0].add.next = self.a.val();
        self.adder[1].add.next = self.adder[0].sum.val();
        self.adder[2].add.next = self.adder[1].through.val() + self.b.val();
        self.y.next = self.adder[2].sum.val() ^ self.adder[2].through.val();
    }
}

/// A block with a list of blocks below.
#[derive(LogicBlock)]
pub(crate) struct BlockList<const W: usize> {
    pub(crate) clk: Signal<In, Clock>,
    pub(crate) rst: Signal<In, Bit>,
    pub(crate) a: Signal<In, Bits<W>>,
    pub(crate) b: Signal<In, Bits<W>>,
    pub(crate) c: Signal<In, Bit>,
    pub(crate) d: Signal<In, Bit>,
    pub(crate) n: Signal<In, Bits<4>>,
    pub(crate) y: Signal<Out, Bits<W>>,
    first: Constant<Bits<W>>,
    adders: Vec<Adder<W>>,
}

impl<const W: usize> Default for BlockList<W> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            a: Default::default(),
            b: Default::default(),
            c: Default::default(),
            d: Default::default(),
            n: Default::default(),
            y: Default::default(),
            first: Constant::new(6_u64.into()),
            adders: (0..4).map(|_| Adder::default()).collect(),
        }
    }
}

impl<const W: usize> Logic for BlockList<W> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..4 {
            self.adders[i].clk.next = self.clk.val();
            self.adders[i].add.next = self.first.val();
            if self.n.val().get_bit(i) {
                self.adders[i].add.next = self.a.val() + self.first.val();
            }
        }
        self.y.next = self.adders[0].sum.val() + self.adders[1].sum.val() + self.adders[2].sum.val()
            - self.adders[3].sum.val();
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Default, LogicStruct)]
pub(crate) struct Header {
    kind: Bits<3>,
    good: Bit,
    length: Bits<9>,
}

pattern! {
    StructWire { header: Signal<Local, Header>, other: Signal<Local, Header>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.header.next.kind = bit_cast::<3, W>(self.a.val());
        self.header.next.good = self.c.val();
        self.header.next.length = bit_cast::<9, W>(self.b.val()) + 1;
        self.other.next = self.header.val();
        if self.d.val() {
            self.other.next.length = bit_cast::<9, 4>(self.n.val());
        }
        self.y.next = bit_cast::<W, 9>(self.other.val().length) + self.other.val().good;
        if self.other.val().kind == 2 {
            self.y.next = bit_cast::<W, 3>(self.header.val().kind);
        }
    }
}

pattern! {
    StructRegister { header: DFF<Header>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, header);
        if self.c.val() {
            self.header.d.next.length = self.header.q.val().length + 1;
            self.header.d.next.good = self.d.val();
        }
        if self.n.val() == 3 {
            self.header.d.next.kind = bit_cast::<3, W>(self.a.val());
        }
        self.y.next = bit_cast::<W, 9>(self.header.q.val().length) ^ bit_cast::<W, 3>(self.header.q.val().kind);
        if self.header.q.val().good {
            self.y.next = self.b.val();
        }
    }
}

#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "Eater"]
pub(crate) struct Feeder<const W: usize> {
    pub(crate) word: Signal<Out, Bits<W>>,
    pub(crate) valid: Signal<Out, Bit>,
    pub(crate) ready: Signal<In, Bit>,
}

#[derive(Clone, Debug, Default, LogicInterface)]
#[join = "Feeder"]
pub(crate) struct Eater<const W: usize> {
    pub(crate) word: Signal<In, Bits<W>>,
    pub(crate) valid: Signal<In, Bit>,
    pub(crate) ready: Signal<Out, Bit>,
}

/// Keeps a word until it is taken.
#[derive(LogicBlock, Default)]
pub(crate) struct Keeper<const W: usize> {
    pub(crate) clk: Signal<In, Clock>,
    eats: Eater<W>,
    feeds: Feeder<W>,
    word: DFF<Bits<W>>,
    full: DFF<Bit>,
}

impl<const W: usize> Logic for Keeper<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, word, full);
        self.feeds.word.next = self.word.q.val();
        self.feeds.valid.next = self.full.q.val();
        self.eats.ready.next = !self.full.q.val() | self.feeds.ready.val();
        if self.feeds.ready.val() {
            self.full.d.next = false;
        }
        if self.eats.valid.val() & self.eats.ready.val() {
            self.full.d.next = true;
            self.word.d.next = self.eats.word.val();
        }
    }
}

/// A block whose ports belong to the block below.
#[derive(LogicBlock, Default)]
pub(crate) struct Shell<const W: usize> {
    pub(crate) clk: Signal<In, Clock>,
    eats: Eater<W>,
    feeds: Feeder<W>,
    keeper: Keeper<W>,
}

impl<const W: usize> Logic for Shell<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.keeper.clk.next = self.clk.val();
        Eater::<W>::link(&mut self.eats, &mut self.keeper.eats);
        Feeder::<W>::link(&mut self.feeds, &mut self.keeper.feeds);
    }
}

pattern! {
    Joined { shell: Shell<W>, keepers: [Keeper<W>; 2], }
    #[hdl_gen]
    fn update(&mut self) {
        self.shell.clk.next = self.clk.val();
        for i in 0..2 {
            self.keepers[i].clk.next = self.clk.val();
        }
        self.shell.eats.word.next = self.a.val();
        self.shell.eats.valid.next = self.c.val();
        Feeder::<W>::join(&mut self.shell.feeds, &mut self.keepers[0].eats);
        Feeder::<W>::join(&mut self.keepers[0].feeds, &mut self.keepers[1].eats);
        self.keepers[1].feeds.ready.next = self.d.val();
        self.y.next = self.keepers[1].feeds.word.val() + self.keepers[1].feeds.valid.val();
        if !self.shell.eats.ready.val() {
            self.y.next = self.b.val();
        }
    }
}

pattern! {
    Intermediate { x: Signal<Local, Bits<W>>, z: Signal<Local, Bits<W>>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.x.next = self.a.val();
        self.z.next = self.x.val() + 1;
        if self.c.val() {
            self.x.next = self.x.val() ^ self.b.val();
        }
        if self.x.val() > self.z.val() {
            self.z.next = self.x.val();
        }
        self.x.next = self.z.val() - self.x.val();
        self.y.next = self.x.val();
    }
}

pattern! {
    IntermediateRegister { x: Signal<Local, Bits<W>>, before: DFF<Bits<W>>, after: DFF<Bits<W>>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, before, after);
        self.x.next = self.a.val();
        if self.c.val() {
            self.before.d.next = self.x.val();
        }
        self.x.next = self.x.val() + self.b.val();
        if self.d.val() {
            self.after.d.next = self.x.val();
        }
        self.y.next = self.before.q.val() ^ (self.after.q.val() << 1);
    }
}

pattern! {
    Counter { count: DFF<Bits<W>>, wraps: DFF<Bits<3>>, last: Signal<Local, Bit>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, count, wraps);
        self.last.next = self.count.q.val().all();
        if self.c.val() {
            self.count.d.next = self.count.q.val() + self.a.val();
            if self.last.val() {
                self.wraps.d.next = self.wraps.q.val() + 1;
            }
        }
        self.y.next = self.count.q.val() + bit_cast::<W, 3>(self.wraps.q.val());
        if self.rst.val() {
            self.count.d.next = 0.into();
            self.wraps.d.next = 0.into();
        }
    }
}

pattern! {
    Hold { value: DFF<Bits<W>>, edge_value: EdgeDFF<Bits<W>>, idle: DFF<Bits<W>>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, value, idle);
        self.edge_value.clk.next = self.clk.val();
        self.edge_value.d.next = self.value.q.val();
        self.value.d.next = self.value.q.val() + 1;
        if self.c.val() {
            self.value.d.next = self.a.val();
        }
        // Takes back what is above.
        if self.d.val() {
            self.value.d.next = self.value.q.val();
        }
        self.y.next = self.edge_value.q.val() ^ self.idle.q.val();
    }
}

pattern! {
    BitByBit { bits: Signal<Local, Bits<W>>, kept: DFF<Bits<W>>, low: Signal<Local, Bits<2>>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, kept);
        self.low.next = self.n.val().get_bits::<2>(0);
        self.bits.next = self.a.val();
        self.bits.next = self.bits.val().replace_bit(0, self.c.val());
        if self.low.val() < 3 {
            self.bits.next = self.bits.val().replace_bit(self.low.val().index(), self.d.val());
            self.kept.d.next = self.kept.q.val().replace_bit(self.low.val().index(), self.b.val().get_bit(2));
        }
        self.y.next = self.bits.val() + self.kept.q.val();
    }
}

pattern! {
    OwnOutput { twice: Signal<Local, Bits<W>>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val();
        if self.c.val() {
            self.y.next = self.y.val() + self.b.val();
        }
        self.twice.next = self.y.val() << 1;
        if self.twice.val() == 4 {
            self.y.next = 3.into();
        }
    }
}

pattern! {
    Saturate { total: DFF<Signed<W>>, sum: Signal<Local, Signed<W>>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, total);
        self.sum.next = self.total.q.val() + signed_cast(self.a.val());
        if self.c.val() & (self.sum.val() > self.total.q.val()) {
            self.total.d.next = self.sum.val();
        }
        if self.rst.val() {
            self.total.d.next = signed_cast(self.b.val());
        }
        self.y.next = unsigned_cast(self.total.q.val());
    }
}

/// Verilog of its own, with ports of an interface.
#[derive(LogicBlock, Default)]
pub(crate) struct Reverse<const W: usize> {
    eats: Eater<W>,
    feeds: Feeder<W>,
}

impl<const W: usize> Logic for Reverse<W> {
    fn update(&mut self) {
        let mut word = Bits::<W>::default();
        for bit in 0..W {
            word = word.replace_bit(W - 1 - bit, self.eats.word.val().get_bit(bit));
        }
        self.feeds.word.next = word;
        self.feeds.valid.next = self.eats.valid.val();
        self.eats.ready.next = self.feeds.ready.val();
    }

    fn connect(&mut self) {
        self.feeds.word.connect();
        self.feeds.valid.connect();
        self.eats.ready.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// module: reverse_{W}\ninteger i;\nassign feeds$valid = eats$valid;\nassign eats$ready = feeds$ready;\n\
             always @* begin\n    for (i = 0; i < {W}; i = i + 1) feeds$word[{W} - 1 - i] = eats$word[i];\nend\n"
        ))
    }
}

pattern! {
    OwnVerilog { reverse: Reverse<W>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.reverse.eats.word.next = self.a.val() - self.b.val();
        self.reverse.eats.valid.next = self.c.val();
        self.reverse.feeds.ready.next = self.d.val();
        self.y.next = self.reverse.feeds.word.val();
        if self.reverse.feeds.valid.val() & self.reverse.eats.ready.val() {
            self.y.next = self.b.val();
        }
    }
}

/// Two outputs that follow from two inputs, each from one, with defaults that are overwritten.
#[derive(LogicBlock, Default)]
pub(crate) struct Relay {
    enable: Signal<In, Bit>,
    run: Signal<In, Bit>,
    ready: Signal<Out, Bit>,
    busy: Signal<Out, Bit>,
}

impl Logic for Relay {
    #[hdl_gen]
    fn update(&mut self) {
        self.ready.next = false;
        self.busy.next = false;
        if self.enable.val() {
            self.ready.next = true;
        }
        if self.run.val() {
            self.busy.next = true;
        }
    }
}

// An event-driven simulator runs for ever if parent and child each have one `always` block here.
pattern! {
    Handshake { relay: Relay, }
    #[hdl_gen]
    fn update(&mut self) {
        self.relay.enable.next = false;
        self.relay.run.next = false;
        self.y.next = self.a.val();
        if self.c.val() {
            self.relay.enable.next = self.d.val();
            self.y.next = self.b.val();
        }
        if self.relay.ready.val() {
            self.relay.run.next = !self.n.val().get_bit(0);
        }
        if self.relay.busy.val() {
            self.y.next = self.a.val() ^ self.b.val();
        }
    }
}

/// Choices that depend on Constants only.
#[derive(LogicBlock)]
pub(crate) struct Fixed<const W: usize> {
    pub(crate) clk: Signal<In, Clock>,
    pub(crate) rst: Signal<In, Bit>,
    pub(crate) a: Signal<In, Bits<W>>,
    pub(crate) b: Signal<In, Bits<W>>,
    pub(crate) c: Signal<In, Bit>,
    pub(crate) d: Signal<In, Bit>,
    pub(crate) n: Signal<In, Bits<4>>,
    pub(crate) y: Signal<Out, Bits<W>>,
    size: Constant<Bits<W>>,
    enabled: Constant<Bit>,
    mask: Signal<Local, Bits<W>>,
    half: Signal<Local, Bits<W>>,
}

impl<const W: usize> Default for Fixed<W> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            a: Default::default(),
            b: Default::default(),
            c: Default::default(),
            d: Default::default(),
            n: Default::default(),
            y: Default::default(),
            size: Constant::new(5_u64.into()),
            enabled: Constant::new(true),
            mask: Default::default(),
            half: Default::default(),
        }
    }
}

impl<const W: usize> Logic for Fixed<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.mask.next = 0.into();
        self.mask.next = self.mask.val().replace_bit(1, self.enabled.val());
        self.half.next = self.size.val();
        if self.enabled.val() {
            if self.size.val().get_bit(2) {
                self.mask.next = self.mask.val() + self.size.val();
            }
            self.half.next = self.mask.val() - 1;
        }
        self.mask.next = self.mask.val() ^ self.half.val();
        self.y.next = (self.a.val() & self.mask.val()) + self.half.val();
    }
}
