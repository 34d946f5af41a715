//! Blocks of statements, each at several widths: branches, matches, loops, arrays, structs, links,
//! registers, and reads of values that are assigned again further down.
use crate::hierarchy::*;
use nicforge_testbench::subject;
use rust_hdl::prelude::*;

/// A block with the ports that all of them share.
macro_rules! pattern {
    ($name:ident { $($fields:tt)* } $($update:tt)*) => {
        #[derive(LogicBlock, Default)]
        pub(crate) struct $name<const W: usize> {
            pub(crate) clk: Signal<In, Clock>,
            pub(crate) rst: Signal<In, Bit>,
            pub(crate) a: Signal<In, Bits<W>>,
            pub(crate) b: Signal<In, Bits<W>>,
            pub(crate) c: Signal<In, Bit>,
            pub(crate) d: Signal<In, Bit>,
            pub(crate) n: Signal<In, Bits<4>>,
            pub(crate) y: Signal<Out, Bits<W>>,
            $($fields)*
        }

        impl<const W: usize> Logic for $name<W> {
            $($update)*
        }
    };
}

pattern! {
    IfElse {}
    #[hdl_gen]
    fn update(&mut self) {
        if self.c.val() {
            self.y.next = self.a.val() + self.b.val();
        } else {
            self.y.next = self.a.val() - self.b.val();
        }
    }
}

pattern! {
    IfDefault {}
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val();
        if self.c.val() {
            self.y.next = self.b.val();
        }
        if self.d.val() & (self.a.val() < self.b.val()) {
            self.y.next = self.a.val() ^ self.b.val();
        }
    }
}

pattern! {
    ElseChain {}
    #[hdl_gen]
    fn update(&mut self) {
        if self.a.val() == self.b.val() {
            self.y.next = 1.into();
        } else if self.c.val() {
            self.y.next = self.a.val() << 1;
        } else if self.d.val() && self.n.val().any() {
            self.y.next = self.b.val() >> self.n.val();
        } else {
            self.y.next = !self.a.val();
        }
    }
}

pattern! {
    NestedIf { z: Signal<Local, Bits<W>>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = 0.into();
        self.y.next = 7.into();
        if self.c.val() {
            if self.d.val() {
                self.z.next = self.a.val();
                if self.n.val() > 7 {
                    self.y.next = self.b.val();
                }
            } else {
                self.z.next = self.b.val();
                self.y.next = self.a.val() | self.b.val();
            }
        } else if self.n.val().get_bit(0) {
            self.z.next = self.a.val() & self.b.val();
        }
        if self.z.val().xor() {
            self.y.next = self.z.val() + 1;
        }
    }
}

pattern! {
    MatchIndex {}
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.b.val();
        match self.n.val().index() {
            0 => self.y.next = self.a.val(),
            1 => {
                self.y.next = self.a.val() + 1;
            }
            3 => {
                if self.c.val() {
                    self.y.next = 5.into();
                }
            }
            8 => {}
            0xF => self.y.next = self.a.val() - self.b.val(),
            _ => self.y.next = self.a.val() & self.b.val(),
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub(crate) enum Light {
    Red,
    Green,
    Amber,
}

pattern! {
    MatchEnum { state: DFF<Light>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, state);
        match self.state.q.val() {
            Light::Red => {
                self.y.next = self.a.val();
                if self.c.val() {
                    self.state.d.next = Light::Green;
                }
            }
            Light::Green => {
                self.y.next = self.b.val();
                self.state.d.next = Light::Amber;
            }
            Light::Amber => {
                self.y.next = self.a.val() ^ self.b.val();
                if self.d.val() {
                    self.state.d.next = Light::Red;
                }
            }
        }
        if self.rst.val() {
            self.state.d.next = Light::Red;
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub(crate) enum Phase {
    Idle,
    Head,
    Body,
    Tail,
    Lost,
}

pattern! {
    MatchDefault { phase: DFF<Phase>, count: DFF<Bits<W>>, busy: Signal<Local, Bit>, }
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, phase, count);
        self.busy.next = true;
        match self.phase.q.val() {
            Phase::Idle => {
                self.busy.next = false;
                if self.c.val() {
                    self.phase.d.next = Phase::Head;
                }
            }
            Phase::Head => self.phase.d.next = Phase::Body,
            Phase::Body => {
                self.count.d.next = self.count.q.val() + self.a.val();
                if self.d.val() {
                    self.phase.d.next = Phase::Tail;
                }
            }
            _ => self.phase.d.next = Phase::Idle,
        }
        if self.phase.q.val() == Phase::Tail {
            self.phase.d.next = Phase::Lost;
        }
        self.y.next = self.count.q.val() + self.busy.val();
        if self.rst.val() {
            self.count.d.next = 0.into();
        }
    }
}

pattern! {
    LoopSum { sum: Signal<Local, Bits<W>>, }
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = 0.into();
        for i in 0..3 {
            if self.a.val().get_bit(i) {
                self.sum.next = self.sum.val() + self.b.val();
            }
            if i == 1 {
                self.sum.next = self.sum.val() ^ self.a.val();
            }
        }
        self.y.next = self.sum.val();
    }
}

pattern! {
    LoopArray { part: [Signal<Local, Bits<W>>; 5], }
    #[hdl_gen]
    fn update(&mut self) {
        self.part[0].next = self.a.val();
        for i in 1..5 {
            self.part[i].next = self.part[i - 1].val() + self.b.val();
            if self.n.val().get_bit(i - 1) {
                self.part[i].next = self.part[(i + 4) % 5].val() ^ self.b.val();
            }
        }
        self.y.next = self.part[2 * 2].val();
    }
}

pattern! {
    ShiftRegister { stage: [DFF<Bits<W>>; 4], }
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..4 {
            self.stage[i].clock.next = self.clk.val();
            self.stage[i].d.next = self.stage[i].q.val();
        }
        if self.c.val() {
            self.stage[0].d.next = self.a.val();
            for i in 1..4 {
                self.stage[i].d.next = self.stage[i - 1].q.val();
            }
        }
        self.y.next = self.stage[3].q.val();
    }
}

/// All the blocks at one width, side by side.
macro_rules! together {
    ($name:ident $W:tt: $($block:ident $out:ident $child:ident;)*) => {
        subject! {
            clocked $name {
                in { rst: Bit; a: Bits<$W>; b: Bits<$W>; c: Bit; d: Bit; n: Bits<4> }
                out { $($out: Bits<$W>);* }
                with { $($child: $block<$W>,)* }
            }
            #[hdl_gen]
            fn update(&mut self) {
                $(
                    self.$child.clk.next = self.clk.val();
                    self.$child.rst.next = self.rst.val();
                    self.$child.a.next = self.a.val();
                    self.$child.b.next = self.b.val();
                    self.$child.c.next = self.c.val();
                    self.$child.d.next = self.d.val();
                    self.$child.n.next = self.n.val();
                    self.$out.next = self.$child.y.val();
                )*
            }
        }
    };
}

macro_rules! at_widths {
    ($($name:ident $W:tt;)*) => {$(
        together! { $name $W:
            IfElse if_else u_if_else;
            IfDefault if_default u_if_default;
            ElseChain else_chain u_else_chain;
            NestedIf nested_if u_nested_if;
            MatchIndex match_index u_match_index;
            MatchEnum match_enum u_match_enum;
            MatchDefault match_default u_match_default;
            LoopSum loop_sum u_loop_sum;
            LoopArray loop_array u_loop_array;
            ShiftRegister shift_register u_shift_register;
            BlockArray block_array u_block_array;
            BlockList block_list u_block_list;
            StructWire struct_wire u_struct_wire;
            StructRegister struct_register u_struct_register;
            Joined joined u_joined;
            Intermediate intermediate u_intermediate;
            IntermediateRegister intermediate_register u_intermediate_register;
            Counter counter u_counter;
            Hold hold u_hold;
            BitByBit bit_by_bit u_bit_by_bit;
            OwnOutput own_output u_own_output;
            Saturate saturate u_saturate;
            OwnVerilog own_verilog u_own_verilog;
            Handshake handshake u_handshake;
            Fixed fixed u_fixed;
        }
    )*};
}

at_widths! {
    Statements3 3;
    Statements8 8;
    Statements17 17;
    Statements33 33;
    Statements64 64;
}
