//! AXI4-Lite in, register bus out.
use nicforge_hdl::control::AxiLite as Block;
use nicforge_sim::link::{AxiLite, Stalls};
use nicforge_sim::model::{Input, Output};
use nicforge_sim::{Actor, Board, Error, Pins};
use nicforge_testbench::bench::Design;
use std::collections::{BTreeMap, VecDeque};
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("axi_lite", Block::default()).unwrap());
const SEEDS: u64 = 12;
const OKAY: u64 = 0;
const SLAVE_ERROR: u64 = 2;

/// Registers at every multiple of eight, on the bus behind the block.
struct Registers {
    ports: [Output; 4],
    answer: Input,
    hit: Input,
    words: BTreeMap<u32, u32>,
    /// What is due in the next cycles: the first of them now.
    due: VecDeque<Option<u32>>,
    accesses: u64,
    free_from: u64,
    violations: Vec<String>,
}

impl Registers {
    fn attach(board: &mut Board) -> Self {
        let model = board.pins().model();
        Self {
            ports: ["bus_address", "bus_data", "bus_write", "bus_read"].map(|p| model.output(p).unwrap()),
            answer: model.input("bus_answer").unwrap(),
            hit: model.input("bus_hit").unwrap(),
            words: (0..0x1000).step_by(8).map(|address| (address, address * 3)).collect(),
            due: [None; 2].into(),
            accesses: 0,
            free_from: 0,
            violations: Vec::new(),
        }
    }
}

impl Actor for Registers {
    fn drive(&mut self, pins: &mut Pins) {
        let now = self.due.pop_front().flatten();
        pins.set(self.hit, now.is_some().into());
        pins.set(self.answer, now.unwrap_or(0).into());
    }

    fn sample(&mut self, pins: &Pins) {
        let [address, data, write, read] = self.ports.map(|port| pins.get(port) as u32);
        let mut answer = None;
        if write != 0 || read != 0 {
            let now = pins.cycle();
            if (write != 0 && read != 0) || address % 4 != 0 || now < self.free_from {
                self.violations.push(format!("cycle {now}: {address:#x}, write {write}, read {read}"));
            }
            self.accesses += 1;
            self.free_from = now + 3;
            answer = self.words.get(&address).map(|word| if read != 0 { *word } else { 0 });
            if write != 0 && answer.is_some() {
                self.words.insert(address, data);
            }
        }
        self.due.push_back(answer);
    }
}

fn begin(seed: u64) -> (Board, Registers, AxiLite) {
    let mut board = DESIGN.board().unwrap();
    let registers = Registers::attach(&mut board);
    let stalls = if seed == 0 { Stalls::none() } else { Stalls::seeded(seed) };
    let master = AxiLite::attach(&mut board, "s_axil", stalls).unwrap();
    (board, registers, master)
}

fn refused(outcome: Result<impl std::fmt::Debug, Error>) -> bool {
    matches!(outcome, Err(Error::Refused { response, .. }) if response == SLAVE_ERROR)
}

#[test]
fn words_written_are_read_back_and_the_others_stay() {
    for seed in 0..SEEDS {
        let (mut board, mut registers, mut master) = begin(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut wanted = registers.words.clone();
        for _ in 0..300 {
            let address = rng.u32(0..0x200) * 8;
            if rng.bool() {
                let data = rng.u32(..);
                master.write(&mut board, &mut registers, address, data).unwrap();
                wanted.insert(address, data);
            } else {
                let found = master.read(&mut board, &mut registers, address).unwrap();
                assert_eq!(found, wanted[&address], "seed {seed}, {address:#x}");
            }
        }
        assert_eq!(registers.words, wanted, "seed {seed}");
        assert!(registers.violations.is_empty(), "seed {seed}: {:?}", registers.violations);
        assert_eq!(master.violations(), 0, "seed {seed}");
    }
}

#[test]
fn an_address_that_nobody_has_is_refused_and_the_next_access_is_fine() {
    for seed in 0..SEEDS {
        let (mut board, mut registers, mut master) = begin(seed);
        let before = registers.words.clone();
        for address in (4..0x1000).step_by(8 * 13) {
            assert!(refused(master.read(&mut board, &mut registers, address)), "seed {seed}");
            assert_eq!(master.read(&mut board, &mut registers, address - 4).unwrap(), (address - 4) * 3);
            assert!(refused(master.write(&mut board, &mut registers, address, 1)), "seed {seed}");
            master.write(&mut board, &mut registers, address - 4, (address - 4) * 3).unwrap();
        }
        assert_eq!(registers.words, before, "seed {seed}");
    }
}

#[test]
fn partial_strobes_and_crooked_addresses_are_refused_without_touching_the_bus() {
    let (mut board, mut registers, mut master) = begin(3);
    for strobes in 0..0b1111 {
        let outcome = master.write_octets(&mut board, &mut registers, 0x40, u32::MAX, strobes);
        assert!(refused(outcome), "strobes {strobes:#06b}");
    }
    for crooked in 1..4 {
        assert!(refused(master.read(&mut board, &mut registers, 0x40 + crooked)), "{crooked}");
        assert!(refused(master.write(&mut board, &mut registers, 0x40 + crooked, 1)), "{crooked}");
    }
    assert_eq!(registers.accesses, 0);
    assert_eq!(master.read(&mut board, &mut registers, 0x40).unwrap(), 0x40 * 3);
}

/// A master that keeps all five channels busy at once, each with waits of its own.
struct Busy {
    /// Words to offer: write addresses, write data, read addresses.
    offers: [Offer; 3],
    takes: [Take; 2],
    violations: Vec<String>,
}

struct Offer {
    valid: Input,
    ready: Output,
    word: Input,
    queue: VecDeque<u32>,
    offered: bool,
    stalls: Stalls,
}

struct Take {
    valid: Output,
    ready: Input,
    words: [Output; 2],
    takes: bool,
    waiting: Option<[u64; 2]>,
    /// Response, data and cycle of each answer.
    answers: Vec<(u64, u64, u64)>,
    stalls: Stalls,
}

impl Busy {
    fn attach(board: &mut Board, seed: u64, writes: &[(u32, u32)], reads: &[u32]) -> Self {
        let model = board.pins().model();
        let stalls = |n: u64| if seed == 0 { Stalls::none() } else { Stalls::seeded(seed * 10 + n) };
        let output = |name: &str| model.output(&format!("s_axil_{name}")).unwrap();
        let input = |name: &str| model.input(&format!("s_axil_{name}")).unwrap();
        let offer = |channel: &str, word: &str, n, queue: Vec<u32>| Offer {
            valid: input(&format!("{channel}valid")),
            ready: output(&format!("{channel}ready")),
            word: input(word),
            queue: queue.into(),
            offered: false,
            stalls: stalls(n),
        };
        let take = |channel: &str, words: [&str; 2], n| Take {
            valid: output(&format!("{channel}valid")),
            ready: input(&format!("{channel}ready")),
            words: words.map(output),
            takes: false,
            waiting: None,
            answers: Vec::new(),
            stalls: stalls(n),
        };
        let strobes = input("wstrb");
        let busy = Self {
            offers: [
                offer("aw", "awaddr", 1, writes.iter().map(|write| write.0).collect()),
                offer("w", "wdata", 2, writes.iter().map(|write| write.1).collect()),
                offer("ar", "araddr", 3, reads.into()),
            ],
            takes: [take("b", ["bresp", "bresp"], 4), take("r", ["rresp", "rdata"], 5)],
            violations: Vec::new(),
        };
        board.pins().set(strobes, 0b1111);
        busy
    }

    fn done(&self, writes: usize, reads: usize) -> bool {
        self.takes[0].answers.len() == writes && self.takes[1].answers.len() == reads
    }
}

impl Actor for Busy {
    fn drive(&mut self, pins: &mut Pins) {
        for offer in &mut self.offers {
            offer.offered |= !offer.queue.is_empty() && !offer.stalls.stalled();
            pins.set(offer.valid, offer.offered.into());
            let word = offer.queue.front().copied().filter(|_| offer.offered);
            pins.set(offer.word, word.unwrap_or(0xeee).into());
        }
        for take in &mut self.takes {
            take.takes = !take.stalls.stalled();
            pins.set(take.ready, take.takes.into());
        }
    }

    fn sample(&mut self, pins: &Pins) {
        for offer in &mut self.offers {
            if offer.offered && pins.is_set(offer.ready) {
                offer.offered = false;
                offer.queue.pop_front();
            }
        }
        for take in &mut self.takes {
            let found = pins.is_set(take.valid).then(|| take.words.map(|word| pins.get(word)));
            if take.waiting.is_some() && found != take.waiting {
                self.violations.push(format!("cycle {}: {:?} became {found:?}", pins.cycle(), take.waiting));
            }
            take.waiting = found.filter(|_| !take.takes);
            if let Some([response, data]) = found.filter(|_| take.takes) {
                take.answers.push((response, data, pins.cycle()));
            }
        }
    }
}

#[test]
fn reads_and_writes_under_way_at_once_all_end_well_and_in_order() {
    for seed in 0..SEEDS {
        let mut board = DESIGN.board().unwrap();
        let mut registers = Registers::attach(&mut board);
        let mut rng = fastrand::Rng::with_seed(seed);
        // Writes to the upper half, reads from the lower: their order among each other is free.
        let writes: Vec<_> = (0..200).map(|_| (0x800 + rng.u32(0..0x200) * 4, rng.u32(..))).collect();
        let reads: Vec<_> = (0..200).map(|_| rng.u32(0..0x200) * 4).collect();
        let mut busy = Busy::attach(&mut board, seed, &writes, &reads);
        let mut wanted = registers.words.clone();
        for (address, data) in writes.iter().filter(|(address, _)| address % 8 == 0) {
            wanted.insert(*address, *data);
        }
        board
            .run_until("answers", 60_000, &mut (&mut busy, &mut registers), |(busy, _)| busy.done(200, 200))
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for ((address, _), (response, _, _)) in writes.iter().zip(&busy.takes[0].answers) {
            assert_eq!(*response, if address % 8 == 0 { OKAY } else { SLAVE_ERROR }, "seed {seed}");
        }
        for (address, (response, data, _)) in reads.iter().zip(&busy.takes[1].answers) {
            let exists = address % 8 == 0;
            assert_eq!(*response, if exists { OKAY } else { SLAVE_ERROR }, "seed {seed}");
            assert_eq!(*data, if exists { u64::from(address * 3) } else { 0 }, "seed {seed}");
        }
        assert_eq!(registers.words, wanted, "seed {seed}");
        assert!(busy.violations.is_empty(), "seed {seed}: {:?}", busy.violations);
        assert!(registers.violations.is_empty(), "seed {seed}: {:?}", registers.violations);
    }
}

#[test]
fn waiting_reads_and_writes_take_turns() {
    let mut board = DESIGN.board().unwrap();
    let mut registers = Registers::attach(&mut board);
    let writes = vec![(0x800, 1); 100];
    let mut busy = Busy::attach(&mut board, 0, &writes, &[8; 100]);
    board
        .run_until("answers", 4_000, &mut (&mut busy, &mut registers), |(busy, _)| busy.done(100, 100))
        .unwrap();
    let ends = |kind: usize| busy.takes[kind].answers.iter().map(move |answer| (answer.2, kind));
    let mut order: Vec<(u64, usize)> = ends(0).chain(ends(1)).collect();
    order.sort_unstable();
    assert!(order.windows(2).all(|pair| pair[0].1 != pair[1].1), "{order:?}");
}

#[test]
fn an_answer_comes_five_cycles_after_its_address() {
    let mut board = DESIGN.board().unwrap();
    let mut registers = Registers::attach(&mut board);
    let mut busy = Busy::attach(&mut board, 0, &[], &[8]);
    let begun = board.cycle();
    board.run(20, &mut (&mut busy, &mut registers));
    assert_eq!(busy.takes[1].answers, [(OKAY, 24, begun + 5)]);
}

#[test]
fn a_reset_at_any_step_of_an_access_leaves_none_behind() {
    for steps in 0..12 {
        let mut board = DESIGN.board().unwrap();
        let mut registers = Registers::attach(&mut board);
        let mut busy = Busy::attach(&mut board, 0, &[(0x808, 1)], &[8]);
        board.run(steps, &mut (&mut busy, &mut registers));
        for offer in &busy.offers {
            board.pins().set(offer.valid, 0);
        }
        board.reset();
        let mut registers = Registers::attach(&mut board);
        let mut idle = Busy::attach(&mut board, 0, &[], &[]);
        board.run(20, &mut (&mut idle, &mut registers));
        assert!(idle.done(0, 0), "an answer to an access from before the reset, after {steps} steps");
        let mut master = AxiLite::attach(&mut board, "s_axil", Stalls::none()).unwrap();
        assert_eq!(master.read(&mut board, &mut registers, 16).unwrap(), 48, "after {steps} steps");
        master.write(&mut board, &mut registers, 16, 7).unwrap();
        assert_eq!(registers.words[&16], 7, "after {steps} steps");
    }
}
