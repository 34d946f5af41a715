//! Link faults: the gateware against the state diagram of clause 46.3.4, column by column.
use fastrand::Rng;
use nicforge_hdl::eth::LinkFault;
use nicforge_layout::counters;
use nicforge_sim::Board;
use nicforge_sim::link::EventLog;
use nicforge_sim::link::xgmii::Word;
use nicforge_sim::models::fault::{self, Fault};
use nicforge_testbench::bench::Design;
use nicforge_testbench::network::set;
use std::sync::LazyLock;

static DESIGN: LazyLock<Design> = LazyLock::new(|| Design::new("link_fault", LinkFault::default()).unwrap());

/// Cycles from a word at the pins to the status behind it.
const LATENCY: usize = 2;

type Column = ([u8; 4], [bool; 4]);

const IDLE: Column = ([7; 4], [true; 4]);

fn sequence(kind: Fault) -> Column {
    let last = if kind == Fault::Local { 1 } else { 2 };
    ([0x9c, 0, 0, last], [true, false, false, false])
}

fn word(early: Column, late: Column) -> Word {
    let octets: Vec<_> = early.0.iter().chain(&late.0).copied().collect();
    let marks = early.1.iter().chain(&late.1).enumerate();
    Word {
        data: u64::from_le_bytes(octets.try_into().unwrap()),
        control: marks.fold(0, |control, (lane, mark)| control | u8::from(*mark) << lane),
    }
}

/// Plays columns and gives the status behind each word.
fn play(columns: &[Column]) -> (Vec<Option<Fault>>, Vec<u64>) {
    let mut board = DESIGN.board().unwrap();
    let mut events = EventLog::attach(&mut board, "event").unwrap();
    board.reset();
    let [local, remote] =
        ["local_fault", "remote_fault"].map(|name| board.pins().model().output(name).unwrap());
    let idle = [IDLE; 2 * LATENCY];
    let words = columns.chunks(2).chain(idle.chunks(2)).map(|pair| word(pair[0], pair[1]));
    let mut status = Vec::new();
    for word in words {
        set(&mut board, &[("rxd", word.data), ("rxc", word.control.into())]).unwrap();
        board.run(1, &mut events);
        status.push(now(&mut board, local, remote));
    }
    (status.split_off(LATENCY - 1), events.codes())
}

fn now(
    board: &mut Board,
    local: nicforge_sim::model::Output,
    remote: nicforge_sim::model::Output,
) -> Option<Fault> {
    match (board.pins().is_set(local), board.pins().is_set(remote)) {
        (false, false) => None,
        (true, false) => Some(Fault::Local),
        (false, true) => Some(Fault::Remote),
        (true, true) => panic!("two faults at once"),
    }
}

#[track_caller]
fn compare(columns: &[Column], context: &str) {
    let mut link = fault::LinkFault::default();
    let wanted: Vec<_> = columns
        .iter()
        .map(|(octets, marks)| link.column(fault::sequence(*octets, *marks)))
        .skip(1)
        .step_by(2)
        .collect();
    let (found, events) = play(columns);
    let wrong = wanted.iter().zip(&found).position(|(wanted, found)| wanted != found);
    assert_eq!(wrong, None, "{context}: the first wrong word");
    let mut before = None;
    let mut raised: Vec<u64> = Vec::new();
    for status in wanted {
        match status {
            Some(Fault::Local) if status != before => raised.push(counters::LINK_LOCAL_FAULT.code.into()),
            Some(Fault::Remote) if status != before => raised.push(counters::LINK_REMOTE_FAULT.code.into()),
            _ => {}
        }
        before = status;
    }
    assert_eq!(events, raised, "{context}");
}

#[test]
fn four_sequences_make_a_fault_whichever_columns_they_stand_in() {
    for kind in [Fault::Local, Fault::Remote] {
        for count in 1..=5 {
            for offset in 0..2 {
                for step in [1, 2, 3, 64, 127, 128, 129] {
                    let mut columns = vec![IDLE; 6 + offset];
                    for _ in 0..count {
                        columns.push(sequence(kind));
                        columns.resize(columns.len() + step - 1, IDLE);
                    }
                    columns.resize((columns.len() + 300).next_multiple_of(2), IDLE);
                    compare(&columns, &format!("{count} of {kind:?}, {step} columns apart, offset {offset}"));
                }
            }
        }
    }
}

#[test]
fn a_fault_ends_after_128_quiet_columns() {
    for offset in 0..2 {
        for quiet in 120..140 {
            let mut columns = vec![IDLE; offset];
            columns.extend([sequence(Fault::Local); 4]);
            columns.resize(columns.len() + quiet, IDLE);
            columns.extend([sequence(Fault::Local); 4]);
            columns.resize((columns.len() + 10).next_multiple_of(2), IDLE);
            compare(&columns, &format!("{quiet} columns, offset {offset}"));
        }
    }
}

#[test]
fn random_sequences_give_the_status_of_the_state_diagram() {
    for seed in 0..64 {
        let mut rng = Rng::with_seed(seed);
        let mut columns = Vec::new();
        while columns.len() < 6000 {
            let kind = if rng.bool() { Fault::Local } else { Fault::Remote };
            for _ in 0..rng.usize(1..6) {
                columns.push(sequence(kind));
                let gap = [0, 0, 1, 2, 126, 127, 128, 129][rng.usize(..8)];
                columns.resize(columns.len() + gap, IDLE);
            }
            // Nearly a fault sequence: one bit is wrong.
            let (mut octets, mut marks) = sequence(kind);
            match rng.usize(..36) {
                bit @ 0..32 => octets[bit / 8] ^= 1 << (bit % 8),
                mark => marks[mark - 32] ^= true,
            }
            columns.push((octets, marks));
        }
        columns.resize(columns.len().next_multiple_of(2), IDLE);
        compare(&columns, &format!("seed {seed}"));
    }
}
