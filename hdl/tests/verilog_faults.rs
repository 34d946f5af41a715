//! What the Verilog back end refuses, and that it says where.
use nicforge_hdl::verilog::{Error, Fault, Options, emit_block};
use rust_hdl::prelude::*;

fn refusal<B: Block>(mut block: B) -> Error {
    emit_block(&mut block, &Options { top: "top", header: "" }).unwrap_err()
}

fn at(block: &str, signal: &str, fault: Fault) -> Error {
    Error::Signal { block: block.into(), signal: signal.into(), fault }
}

/// A block of one input, one output, one register and one Local around the given body.
macro_rules! block {
    ($name:ident { $($fields:tt)* } $($update:tt)*) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            clock: Signal<In, Clock>,
            a: Signal<In, Bits<8>>,
            c: Signal<In, Bit>,
            y: Signal<Out, Bits<8>>,
            $($fields)*
        }
        impl Logic for $name {
            $($update)*
        }
    };
}

const LIMIT: u64 = 3;

block! {
    RustConstant {}
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + LIMIT;
    }
}

#[test]
fn a_rust_constant_is_named_with_block_and_signal() {
    let error = refusal(RustConstant::default());
    assert_eq!(error, at("top", "y", Fault::UnknownName("LIMIT".into())));
    let text = error.to_string();
    assert!(text.starts_with("block `top`, signal `y`: `LIMIT` is neither a signal"), "{text}");
    assert!(text.ends_with("use a Constant<T> field"), "{text}");
}

block! {
    Below { inner: RustConstant, }
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.clock.next = self.clock.val();
        self.inner.a.next = self.a.val();
        self.inner.c.next = self.c.val();
        self.y.next = self.inner.y.val();
    }
}

#[test]
fn a_block_below_is_named_by_its_path() {
    assert_eq!(refusal(Below::default()), at("top.inner", "y", Fault::UnknownName("LIMIT".into())));
}

block! {
    Latch { kept: Signal<Local, Bits<8>>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0.into();
        if self.c.val() {
            self.kept.next = self.a.val();
            self.y.next = self.kept.val();
        }
    }
}

block! {
    HalfLatch { kept: Signal<Local, Bits<8>>, }
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..7 {
            self.kept.next = self.kept.val().replace_bit(i, self.c.val());
        }
        self.y.next = self.kept.val();
    }
}

#[test]
fn latches_are_reported_also_those_of_single_bits() {
    assert_eq!(refusal(Latch::default()), at("top", "kept", Fault::Latch));
    assert_eq!(refusal(HalfLatch::default()), at("top", "kept", Fault::Latch));
}

block! {
    NoSetup { kept: DFF<Bits<8>>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.kept.clock.next = self.clock.val();
        if self.c.val() {
            self.kept.d.next = self.a.val();
        }
        self.y.next = self.kept.q.val();
    }
}

#[test]
fn a_register_without_default_is_told_of_dff_setup() {
    let error = refusal(NoSetup::default());
    assert_eq!(error, at("top", "kept.d", Fault::NoDefault));
    assert!(error.to_string().contains("dff_setup!"));
}

block! {
    EarlyCondition { soon: Signal<Local, Bit>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val();
        if self.soon.val() {
            self.y.next = 0.into();
        }
        self.soon.next = self.c.val();
    }
}

#[test]
fn a_local_must_be_written_before_it_is_read_also_by_a_condition() {
    assert_eq!(refusal(EarlyCondition::default()), at("top", "soon", Fault::ReadBeforeWrite));
}

block! {
    NextState { kept: DFF<Bits<8>>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept);
        self.kept.d.next = self.a.val();
        self.y.next = self.kept.d.val();
    }
}

#[test]
fn the_next_state_of_a_register_must_not_be_read() {
    let error = refusal(NextState::default());
    assert_eq!(error, at("top", "kept.d", Fault::ReadsNextState));
    assert!(error.to_string().contains("read d before the clock edge"));
}

block! {
    Undriven { loose: Signal<Local, Bits<8>>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.loose.val();
    }
}

block! {
    OpenInput { inner: Straight, }
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.clock.next = self.clock.val();
        self.inner.a.next = self.a.val();
        self.y.next = self.inner.y.val();
    }
}

block! {
    Straight {}
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val();
    }
}

#[test]
fn undriven_signals_are_reported_but_for_the_inputs_of_the_top() {
    assert_eq!(refusal(Undriven::default()), at("top", "loose", Fault::Undriven));
    assert_eq!(refusal(OpenInput::default()), at("top.inner", "c", Fault::Undriven));
    assert!(emit_block(&mut Straight::default(), &Options { top: "top", header: "" }).is_ok());
}

block! {
    WritesInput {}
    #[hdl_gen]
    fn update(&mut self) {
        self.a.next = 0.into();
        self.y.next = self.a.val();
    }
}

#[test]
fn an_input_is_not_written_by_its_own_block() {
    assert_eq!(refusal(WritesInput::default()), at("top", "a", Fault::WritesInput));
}

block! {
    WideLiteral {}
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + 256;
    }
}

#[test]
fn a_literal_that_does_not_fit_is_refused() {
    let fault = Fault::LiteralTooWide { value: "256".into(), width: 8 };
    assert_eq!(refusal(WideLiteral::default()), at("top", "y", fault));
}

#[derive(LogicBlock)]
struct LastOf<const N: usize> {
    a: [Signal<In, Bits<8>>; N],
    y: Signal<Out, Bits<8>>,
}

impl<const N: usize> Logic for LastOf<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a[N - 1].val();
    }
}

#[test]
fn an_index_of_const_generics_is_refused() {
    let block = LastOf::<4> { a: array_init::array_init(|_| Default::default()), y: Default::default() };
    assert_eq!(refusal(block), at("top", "y", Fault::ArrayIndex("N-1".into())));
}

#[derive(LogicBlock, Default)]
struct LostWidth {
    a: Signal<In, Signed<8>>,
    b: Signal<In, Signed<8>>,
    y: Signal<Out, Bit>,
}

impl Logic for LostWidth {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = signed_bit_cast::<16, 8>(self.a.val()) + signed_bit_cast::<16, 8>(self.b.val())
            > signed_bit_cast::<16, 8>(self.b.val());
    }
}

#[test]
fn a_sum_whose_width_the_source_does_not_tell_is_refused() {
    assert_eq!(refusal(LostWidth::default()), at("top", "y", Fault::UnknownWidth));
}

/// `ready` follows `enable` at once, `busy` follows `run` at once.
#[derive(LogicBlock, Default)]
struct Relay {
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

#[derive(LogicBlock, Default)]
struct Ring {
    a: Signal<In, Bit>,
    y: Signal<Out, Bit>,
    first: Relay,
    second: Relay,
}

impl Logic for Ring {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.enable.next = self.second.ready.val() & self.a.val();
        self.second.enable.next = self.first.ready.val();
        self.first.run.next = self.a.val();
        self.second.run.next = self.first.busy.val();
        self.y.next = self.second.busy.val();
    }
}

#[test]
fn a_loop_through_two_blocks_is_reported_with_the_signals_on_it() {
    let error = refusal(Ring::default());
    let Error::Signal { block, fault: Fault::Loop(names), .. } = &error else { panic!("{error}") };
    assert_eq!(block, "top");
    assert_eq!(names.first(), names.last());
    let mut names = names[1..].to_vec();
    names.sort();
    assert_eq!(names, ["first.enable", "first.ready", "second.enable", "second.ready"]);
    assert!(error.to_string().contains("combinational loop: "));
}

#[derive(LogicBlock, Default)]
struct Zigzag {
    a: Signal<In, Bit>,
    y: Signal<Out, Bit>,
    first: Relay,
    second: Relay,
}

impl Logic for Zigzag {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.enable.next = self.a.val();
        self.second.enable.next = self.first.ready.val();
        self.second.run.next = self.second.ready.val();
        self.first.run.next = self.second.busy.val();
        self.y.next = self.first.busy.val();
    }
}

#[test]
fn a_path_that_visits_a_block_twice_is_no_loop() {
    assert!(emit_block(&mut Zigzag::default(), &Options { top: "top", header: "" }).is_ok());
}
