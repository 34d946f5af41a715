//! Every operator at every width, alone and where widths go wrong: under comparisons, shifts and
//! reductions.
use nicforge_testbench::subject;
use rust_hdl::prelude::*;

/// One block of expressions over `Bits<W>`; `D` is twice the width, `K` an exclusive bound for indices.
macro_rules! operators {
    ($($name:ident $W:tt $D:tt;)*) => {$(
        subject! {
            $name {
                in {
                    a: Bits<$W>; b: Bits<$W>; c: Bit; n: Bits<7>; i: Bits<7>, below $W; s: Bits<8>
                }
                out {
                    add: Bits<$W>; sub: Bits<$W>; both: Bits<$W>; either: Bits<$W>; differ: Bits<$W>; flip: Bits<$W>;
                    shl: Bits<$W>; shr: Bits<$W>; shl_one: Bits<$W>; shr_one: Bits<$W>;
                    eq: Bit; ne: Bit; lt: Bit; le: Bit; gt: Bit; ge: Bit;
                    inc: Bits<$W>; one_add: Bits<$W>; dec: Bits<$W>; one_sub: Bits<$W>;
                    and_one: Bits<$W>; one_or: Bits<$W>; xor_one: Bits<$W>;
                    eq_one: Bit; one_ne: Bit; lt_one: Bit; one_le: Bit;
                    every: Bit; some: Bit; parity: Bit; all_of: Bit; any_of: Bit; parity_of: Bit;
                    bit_at: Bit; bit_of: Bit; bit_first: Bit; put: Bits<$W>; put_of: Bits<$W>;
                    put_first: Bits<$W>; add_bit: Bits<$W>; add_no_bit: Bits<$W>;
                    half: Bits<$W>; wrapped_shift: Bits<$W>; wrapped_eq: Bit; wrapped_lt: Bit; carry: Bit;
                    flip_eq: Bit; both_eq: Bit; xor_ne: Bit; chain: Bits<$W>; negate: Bits<$W>;
                    rotate: Bits<$W>; mixed: Bits<$W>; not_sum: Bits<$W>; logic: Bit; wide: Bits<$D>;
                    wide_sum: Bits<$D>; index_eq: Bit; index_wide: Bit; literal_shift: Bits<64>;
                    slice: Bits<3>; slice_of: Bits<3>; minus_chain: Bits<$W>; group: Bits<$W>; flag: Bit
                }
                with {}
            }
            #[hdl_gen]
            fn update(&mut self) {
                self.add.next = self.a.val() + self.b.val();
                self.sub.next = self.a.val() - self.b.val();
                self.both.next = self.a.val() & self.b.val();
                self.either.next = self.a.val() | self.b.val();
                self.differ.next = self.a.val() ^ self.b.val();
                self.flip.next = !self.a.val();
                self.shl.next = self.a.val() << self.n.val();
                self.shr.next = self.a.val() >> self.n.val();
                self.shl_one.next = self.a.val() << 1;
                self.shr_one.next = self.a.val() >> 1;
                self.eq.next = self.a.val() == self.b.val();
                self.ne.next = self.a.val() != self.b.val();
                self.lt.next = self.a.val() < self.b.val();
                self.le.next = self.a.val() <= self.b.val();
                self.gt.next = self.a.val() > self.b.val();
                self.ge.next = self.a.val() >= self.b.val();
                self.inc.next = self.a.val() + 1;
                self.one_add.next = 1 + self.a.val();
                self.dec.next = self.a.val() - 1;
                self.one_sub.next = 1 - self.a.val();
                self.and_one.next = self.a.val() & 1;
                self.one_or.next = 1 | self.a.val();
                self.xor_one.next = self.a.val() ^ 1;
                self.eq_one.next = self.a.val() == 1;
                self.one_ne.next = 1 != self.a.val();
                self.lt_one.next = self.a.val() < 1;
                self.one_le.next = 1 <= self.a.val();
                self.every.next = self.a.val().all();
                self.some.next = self.a.val().any();
                self.parity.next = self.a.val().xor();
                self.all_of.next = (self.a.val() ^ self.b.val()).all();
                self.any_of.next = (self.a.val() + self.b.val()).any();
                self.parity_of.next = (self.a.val() - self.b.val()).xor();
                self.bit_at.next = self.a.val().get_bit(self.i.val().index());
                self.bit_of.next = (self.a.val() + self.b.val()).get_bit(self.i.val().index());
                self.bit_first.next = (self.a.val() - self.b.val()).get_bit(0);
                self.put.next = self.a.val().replace_bit(self.i.val().index(), self.c.val());
                self.put_of.next =
                    (self.a.val() + self.b.val()).replace_bit(self.i.val().index(), self.c.val());
                self.put_first.next = self.a.val().replace_bit(0, self.c.val());
                self.add_bit.next = self.a.val() + self.c.val();
                self.add_no_bit.next = self.a.val() + !self.c.val();
                self.half.next = (self.a.val() + self.b.val()) >> 1;
                self.wrapped_shift.next = (self.a.val() + 1) >> self.n.val();
                self.wrapped_eq.next = self.a.val() + 1 == self.b.val();
                self.wrapped_lt.next = self.a.val() - 1 < self.b.val();
                self.carry.next = self.a.val() + self.b.val() < self.a.val();
                self.flip_eq.next = !self.a.val() == self.b.val();
                self.both_eq.next = self.a.val() & self.b.val() == self.b.val();
                self.xor_ne.next = self.a.val() ^ self.b.val() != self.a.val();
                self.chain.next = self.a.val() + self.b.val() - 1 + self.a.val();
                self.negate.next = !self.a.val() + 1;
                self.rotate.next = (self.a.val() << 1) | (self.a.val() >> 1);
                self.mixed.next = (self.a.val() | self.b.val()) - (self.a.val() & self.b.val());
                self.not_sum.next = !(self.a.val() + self.b.val());
                self.logic.next =
                    self.c.val() && self.a.val().any() || self.a.val() < self.b.val() && !self.c.val();
                self.wide.next = bit_cast::<$D, $W>(self.a.val()) << $W | bit_cast::<$D, $W>(self.b.val());
                self.wide_sum.next = bit_cast::<$D, $W>(self.a.val()) + bit_cast::<$D, $W>(self.b.val());
                self.index_eq.next = self.i.val().index() == 1;
                self.index_wide.next = self.i.val().index() < 300;
                self.literal_shift.next = 3 << self.s.val().get_bits::<6>(1);
                self.slice.next = self.a.val().get_bits::<3>(self.i.val().index());
                self.slice_of.next = (self.a.val() + self.b.val()).get_bits::<3>(1);
                self.minus_chain.next = self.a.val() - (self.b.val() - (self.a.val() - 1));
                self.group.next = self.a.val() & (self.b.val() ^ (self.a.val() | !self.b.val()));
                self.flag.next = (self.a.val() == self.b.val()) == (self.c.val() != self.a.val().all());
            }
        }
    )*};
}

operators! {
    Operators1 1 2;
    Operators2 2 4;
    Operators7 7 14;
    Operators8 8 16;
    Operators9 9 18;
    Operators16 16 32;
    Operators31 31 62;
    Operators32 32 64;
    Operators33 33 66;
    Operators63 63 126;
    Operators64 64 128;
    Operators65 65 130;
    Operators96 96 192;
    Operators128 128 256;
}

/// Expressions over `Signed<W>`.
macro_rules! signed_operators {
    ($($name:ident $W:tt;)*) => {$(
        subject! {
            $name {
                in { a: Bits<$W>; s: Signed<$W>; t: Signed<$W> }
                out {
                    add: Signed<$W>; sub: Signed<$W>; neg: Signed<$W>; eq: Bit; ne: Bit; lt: Bit; le: Bit;
                    gt: Bit; ge: Bit; cast_lt: Bit; wrapped_lt: Bit; bits: Bits<$W>; sum_bits: Bits<$W>;
                    cast: Signed<$W>; cast_sum: Signed<$W>; neg_lt: Bit; chain: Signed<$W>
                }
                with {}
            }
            #[hdl_gen]
            fn update(&mut self) {
                self.add.next = self.s.val() + self.t.val();
                self.sub.next = self.s.val() - self.t.val();
                self.neg.next = -self.s.val();
                self.eq.next = self.s.val() == self.t.val();
                self.ne.next = self.s.val() != self.t.val();
                self.lt.next = self.s.val() < self.t.val();
                self.le.next = self.s.val() <= self.t.val();
                self.gt.next = self.s.val() > self.t.val();
                self.ge.next = self.s.val() >= self.t.val();
                self.cast_lt.next = signed_cast(self.a.val()) < self.t.val();
                self.wrapped_lt.next = self.s.val() - self.t.val() < self.t.val();
                self.bits.next = unsigned_cast(self.s.val());
                self.sum_bits.next = unsigned_cast(self.s.val() + self.t.val()) + self.a.val();
                self.cast.next = signed_cast(self.a.val());
                self.cast_sum.next = signed_cast(self.a.val() + 1) + self.t.val();
                self.neg_lt.next = -self.s.val() < self.t.val();
                self.chain.next = self.s.val() - self.t.val() - self.s.val() + self.t.val() + self.s.val();
            }
        }
    )*};
}

signed_operators! {
    Signed2 2;
    Signed7 7;
    Signed8 8;
    Signed9 9;
    Signed16 16;
    Signed31 31;
    Signed32 32;
    Signed33 33;
    Signed63 63;
    Signed64 64;
    Signed65 65;
    Signed96 96;
    Signed128 128;
}

subject! {
    Product {
        in { s: Signed<16>; t: Signed<16> }
        out { product: Signed<32>; sum: Signed<32>; less: Bit; squares: Signed<32> }
        with {}
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.product.next = self.s.val() * self.t.val();
        self.sum.next = self.s.val() * self.t.val() + self.s.val() * self.s.val();
        self.less.next = self.s.val() * self.t.val() < self.s.val() * self.s.val();
        self.squares.next = (self.s.val() + self.t.val()) * (self.s.val() - self.t.val());
    }
}
