//! Every pair of widths: casts of signals and of expressions, slices, concatenations, sign extension.
use nicforge_testbench::subject;
use rust_hdl::prelude::*;

/// A block for source width `N`, with a set of outputs for each destination width.
macro_rules! casts {
    ($name:ident $N:tt => $($M:tt ($cast:ident $sum:ident $not:ident $sub:ident $shift:ident $slice:ident $sign:ident))*) => {
        subject! {
            $name {
                in { a: Bits<$N>; b: Bits<$N>; c: Bit; n: Bits<6>; i: Bits<8>, below $N; s: Signed<$N> }
                out {
                    $($cast: Bits<$M>; $sum: Bits<$M>; $not: Bits<$M>; $sub: Bits<$M>; $shift: Bits<$M>;
                      $slice: Bits<$M>; $sign: Signed<$M>);*
                }
                with {}
            }
            #[hdl_gen]
            fn update(&mut self) {
                $(
                    self.$cast.next = bit_cast::<$M, $N>(self.a.val());
                    self.$sum.next = bit_cast::<$M, $N>(self.a.val() + self.b.val())
                        + bit_cast::<$M, $N>(self.b.val() + 1);
                    self.$not.next = bit_cast::<$M, $N>(!self.a.val() ^ (self.b.val() << 1)) - 1;
                    self.$sub.next = bit_cast::<$M, $N>((self.a.val() - self.b.val()) >> self.n.val());
                    self.$shift.next = bit_cast::<$M, $N>(self.a.val() - 1) << 1 | bit_cast::<$M, $N>(self.b.val() & 1);
                    self.$slice.next = self.a.val().get_bits::<$M>(self.i.val().index());
                    self.$sign.next = signed_bit_cast::<$M, $N>(self.s.val());
                )*
            }
        }
    };
}

macro_rules! from_widths {
    ($($name:ident $N:tt;)*) => {$(
        casts! { $name $N =>
            1 (cast_1 sum_1 not_1 sub_1 shift_1 slice_1 sign_1)
            2 (cast_2 sum_2 not_2 sub_2 shift_2 slice_2 sign_2)
            7 (cast_7 sum_7 not_7 sub_7 shift_7 slice_7 sign_7)
            8 (cast_8 sum_8 not_8 sub_8 shift_8 slice_8 sign_8)
            9 (cast_9 sum_9 not_9 sub_9 shift_9 slice_9 sign_9)
            16 (cast_16 sum_16 not_16 sub_16 shift_16 slice_16 sign_16)
            31 (cast_31 sum_31 not_31 sub_31 shift_31 slice_31 sign_31)
            32 (cast_32 sum_32 not_32 sub_32 shift_32 slice_32 sign_32)
            33 (cast_33 sum_33 not_33 sub_33 shift_33 slice_33 sign_33)
            63 (cast_63 sum_63 not_63 sub_63 shift_63 slice_63 sign_63)
            64 (cast_64 sum_64 not_64 sub_64 shift_64 slice_64 sign_64)
            65 (cast_65 sum_65 not_65 sub_65 shift_65 slice_65 sign_65)
            96 (cast_96 sum_96 not_96 sub_96 shift_96 slice_96 sign_96)
            128 (cast_128 sum_128 not_128 sub_128 shift_128 slice_128 sign_128)
        }
    )*};
}

from_widths! {
    From1 1;
    From2 2;
    From7 7;
    From8 8;
    From9 9;
    From16 16;
    From31 31;
    From32 32;
    From33 33;
    From63 63;
    From64 64;
    From65 65;
    From96 96;
    From128 128;
}

subject! {
    Fields {
        in { a: Bits<8>; b: Bits<8>; w: Bits<16>; q: Bits<64>; c: Bit; n: Bits<4>; r: Bits<96> }
        out {
            three: Bits<96>; gap: Bits<40>; overlap: Bits<16>; cut: Bits<12>; swapped: Bits<64>; flags: Bits<3>;
            past: Bits<4>; high: Bits<8>; nested: Bits<8>; of_cast: Bits<8>; of_xor: Bit; narrowed: Bits<8>;
            masked: Bits<8>; cast_eq: Bit; small_eq: Bit; deep: Bits<5>; literal: Bits<100>; put: Bits<64>;
            mixed: Bits<24>; carry_in: Bits<9>
        }
        with {}
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.three.next = bit_cast::<96, 64>(self.q.val()) << 32
            | bit_cast::<96, 16>(self.w.val()) << 8
            | bit_cast::<96, 8>(self.a.val());
        self.gap.next = bit_cast::<40, 8>(self.a.val()) << 28 | bit_cast::<40, 16>(self.w.val()) << 4;
        self.overlap.next = bit_cast::<16, 8>(self.a.val()) << 4 | bit_cast::<16, 8>(self.b.val());
        self.cut.next = bit_cast::<12, 8>(self.a.val()) << 8 | bit_cast::<12, 8>(self.b.val());
        self.swapped.next = bit_cast::<64, 32>(self.q.val().get_bits::<32>(0)) << 32
            | bit_cast::<64, 32>(self.q.val().get_bits::<32>(32));
        self.flags.next = bit_cast::<3, 1>(self.c.val().into()) << 2
            | bit_cast::<3, 1>((self.a.val() < self.b.val()).into()) << 1
            | bit_cast::<3, 1>(self.a.val().any().into());
        self.past.next = self.w.val().get_bits::<4>(14);
        self.high.next = self.r.val().get_bits::<8>(88) ^ self.a.val();
        self.nested.next = self.q.val().get_bits::<32>(8).get_bits::<16>(4).get_bits::<8>(2);
        self.of_cast.next = bit_cast::<16, 8>(self.a.val()).get_bits::<8>(4);
        self.of_xor.next = (self.a.val() ^ self.b.val()).get_bit(3);
        self.narrowed.next = bit_cast::<8, 16>(self.w.val()) + self.a.val();
        self.masked.next = self.a.val() & 0x0f | 0x30;
        self.cast_eq.next = bit_cast::<8, 16>(self.w.val()) + self.a.val() == self.b.val();
        self.small_eq.next = bit_cast::<4, 8>(self.a.val()) - bit_cast::<4, 8>(self.b.val()) == self.n.val();
        self.deep.next = ((self.a.val() | self.b.val()) - 3).get_bits::<5>(3);
        self.literal.next = bit_cast::<100, 64>(self.q.val()) << 36 | bits::<100>(0x5_a5a5_a5a5_u64);
        self.put.next = self.q.val().replace_bit(self.a.val().get_bits::<6>(1).index(), self.c.val());
        self.mixed.next = bit_cast::<24, 16>(self.w.val() + 1) << 8 | bit_cast::<24, 8>(!self.a.val());
        self.carry_in.next =
            bit_cast::<9, 8>(self.a.val()) + bit_cast::<9, 8>(self.b.val()) + (self.c.val() && self.a.val().any());
    }
}
