//! The packer against the reference model.
use nicforge_hdl::comment;
use nicforge_hdl::sampler::Pack8;
use nicforge_sim::models::vdif::offset_binary;
use nicforge_testbench::bench;
use rust_hdl::prelude::*;

/// The packer between pins, with the clock that a bench needs.
#[derive(LogicBlock, Default)]
struct Packer {
    clock: Signal<In, Clock>,
    lanes: Signal<In, Bits<64>>,
    octets: Signal<Out, Bits<64>>,
    taken: DFF<Bits<64>>,
    pack: Pack8,
}

impl Logic for Packer {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: packer");
        dff_setup!(self, clock, taken);
        self.taken.d.next = self.lanes.val();
        self.pack.lanes.next = self.taken.q.val();
        self.octets.next = self.pack.octets.val();
    }
}

#[test]
fn every_sample_becomes_its_offset_binary_octet_in_the_place_of_its_lane() {
    let mut board = bench::block("packer", Packer::default()).unwrap();
    let lanes = board.pins().model().input("lanes").unwrap();
    let octets = board.pins().model().output("octets").unwrap();
    let mut rng = fastrand::Rng::with_seed(2);
    for lane in 0..8 {
        for sample in i8::MIN..=i8::MAX {
            let mut samples: [i8; 8] = std::array::from_fn(|_| rng.i8(..));
            samples[lane] = sample;
            board.pins().set(lanes, u64::from_le_bytes(samples.map(|sample| sample as u8)));
            board.run(1, &mut ());
            let found = board.pins().get(octets).to_le_bytes();
            assert_eq!(found, samples.map(offset_binary), "{samples:?}");
        }
    }
}
