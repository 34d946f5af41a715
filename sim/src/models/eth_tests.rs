use super::*;
use crate::models::worked;
use proptest::prelude::*;

/// A frame of so many octets, FCS included.
fn frame(length: usize) -> Vec<u8> {
    with_fcs(&(0..length - 4).map(|i| i as u8).collect::<Vec<u8>>())
}

fn verdicts(words: &[Word]) -> Vec<&'static str> {
    decode(words, 1518).iter().map(|received| received.verdict.name).collect()
}

/// A frame of 64 octets whose symbols are changed on the way.
fn changed(change: impl Fn(&mut Vec<(u8, bool)>)) -> Vec<&'static str> {
    let mut symbols = symbols(&encode(&[frame(64)], Spacing::Fixed { gap: 12, lane: 0 }));
    change(&mut symbols);
    verdicts(&words(&symbols))
}

fn symbols(words: &[Word]) -> Vec<(u8, bool)> {
    words.iter().flat_map(|word| (0..8).map(|lane| word.lane(lane))).collect()
}

#[test]
fn the_check_string_has_its_published_fcs() {
    assert_eq!(fcs(b"123456789"), [0x26, 0x39, 0xf4, 0xcb]);
}

#[test]
fn a_frame_with_its_fcs_leaves_the_published_residue_for_every_number_of_zeros_behind_it() {
    let residues = [
        0x2144_df1c,
        0xc622_f71d,
        0xb1c2_a1a3,
        0x9d6c_df7e,
        0x6522_df69,
        0xe609_14ae,
        0xe38a_6876,
        0x6b87_b1ec,
    ];
    for (zeros, residue) in residues.into_iter().enumerate() {
        let mut octets = worked::octets(worked::V08);
        octets.resize(octets.len() + zeros, 0);
        assert_eq!(CRC.checksum(&octets), residue, "{zeros} zeros");
    }
}

#[test]
fn the_worked_words_start_in_either_lane() {
    let lane_0 = [
        (0xd555_5555_5555_55fb, 0x01),
        (0x0002_8000_0000_0002, 0x00),
        (0x0045_0008_0100_0000, 0x00),
        (0x1140_0040_0000_2e00, 0x00),
        (0xa8c0_0101_a8c0_edb6, 0x00),
        (0x1a00_1027_50c3_8001, 0x00),
        (0x0504_0302_0100_3649, 0x00),
        (0x0d0c_0b0a_0908_0706, 0x00),
        (0x4315_1c08_1110_0f0e, 0x00),
        (0x0707_0707_0707_07fd, 0xff),
    ];
    let lane_4 = [
        (0x5555_55fb_0707_0707, 0x1f),
        (0x0000_0002_d555_5555, 0x00),
        (0x0100_0000_0002_8000, 0x00),
        (0x0000_2e00_0045_0008, 0x00),
        (0xa8c0_edb6_1140_0040, 0x00),
        (0x50c3_8001_a8c0_0101, 0x00),
        (0x0100_3649_1a00_1027, 0x00),
        (0x0908_0706_0504_0302, 0x00),
        (0x1110_0f0e_0d0c_0b0a, 0x00),
        (0x0707_07fd_4315_1c08, 0xf0),
    ];
    for (lane, wanted) in [(0, lane_0), (4, lane_4)] {
        let words = encode(&[worked::octets(worked::V08)], Spacing::Fixed { gap: 12, lane });
        assert_eq!(words[0], Word::IDLE);
        for (word, (data, control)) in words[1..].iter().zip(wanted) {
            assert_eq!(*word, Word { data, control }, "start in lane {lane}");
        }
    }
}

#[test]
fn the_deficit_idle_count_follows_the_table_of_the_standard() {
    let table = [
        [(12, 0), (12, 1), (12, 2), (12, 3)],
        [(11, 1), (11, 2), (11, 3), (15, 0)],
        [(10, 2), (10, 3), (14, 0), (14, 1)],
        [(9, 3), (13, 0), (13, 1), (13, 2)],
    ];
    for (beyond, row) in table.into_iter().enumerate() {
        for (count, wanted) in row.into_iter().enumerate() {
            let mut deficit = DeficitIdle { count };
            assert_eq!(
                (deficit.gap(64 + beyond), deficit.count),
                wanted,
                "length 64 + {beyond}, count {count}"
            );
        }
    }
}

#[test]
fn the_deficit_idle_count_follows_the_worked_sequence() {
    let mut deficit = DeficitIdle::default();
    let lengths = [64, 65, 65, 65, 66, 66, 67, 67, 67, 64];
    let steps = lengths.map(|length| (deficit.gap(length), deficit.count));
    let gaps = [12, 11, 11, 11, 14, 10, 13, 13, 13, 12];
    let counts = [0, 1, 2, 3, 1, 3, 2, 1, 0, 0];
    assert_eq!(steps.map(|(gap, _)| gap), gaps);
    assert_eq!(steps.map(|(_, count)| count), counts);
}

#[test]
fn a_short_frame_is_padded_with_zeros_to_64_octets() {
    let sent = transmit(&[0xff; 14]);
    assert_eq!((sent.len(), &sent[14..60]), (64, &[0; 46][..]));
    assert!(fcs_is_good(&sent));
}

#[test]
fn length_and_fcs_decide_on_a_frame_without_code_errors() {
    let bad = |length| {
        let mut frame = frame(length);
        frame[7] ^= 0x10;
        frame
    };
    for (frame, wanted) in [
        (frame(63), "rx_undersize"),
        (bad(63), "rx_fragment"),
        (vec![], "rx_fragment"),
        (frame(64), "rx_good"),
        (bad(64), "rx_fcs_error"),
        (frame(1518), "rx_good"),
        (bad(1518), "rx_fcs_error"),
        (frame(1519), "rx_oversize"),
        (bad(1519), "rx_jabber"),
    ] {
        assert_eq!(receive(&frame, 1518).name, wanted, "{} octets", frame.len());
    }
}

// In these, symbols 0..8 are idle, 8..16 the preamble, 16..80 the frame, and TERMINATE is at 80.

#[test]
fn a_damaged_preamble_octet_or_delimiter_loses_the_frame() {
    for place in 9..16 {
        assert_eq!(changed(|symbols| symbols[place].0 ^= 0x01), ["rx_preamble_error"], "symbol {place}");
        assert_eq!(changed(|symbols| symbols[place] = (xgmii::ERROR, true)), ["rx_preamble_error"]);
    }
}

#[test]
fn a_control_code_inside_makes_a_frame_bad_whatever_its_fcs() {
    for code in [xgmii::ERROR, 0x9c, 0x5c, 0x00] {
        assert_eq!(changed(|symbols| symbols[40] = (code, true)), ["rx_code_error"], "code {code:02x}");
    }
    assert_eq!(changed(|symbols| symbols[41] = (xgmii::START, true)), ["rx_code_error"]);
}

#[test]
fn idle_instead_of_terminate_ends_the_frame_as_a_code_error() {
    assert_eq!(changed(|symbols| symbols[80] = (xgmii::IDLE, true)), ["rx_code_error"]);
}

#[test]
fn a_start_inside_a_frame_ends_it_and_begins_the_next() {
    let frames = [frame(64), frame(72)];
    let mut symbols = symbols(&encode(&frames, Spacing::Fixed { gap: 16, lane: 0 }));
    symbols.drain(80..96);
    let received = decode(&words(&symbols), 1518);
    assert_eq!(received[0].verdict.name, "rx_code_error");
    assert_eq!((received[1].verdict.name, &received[1].octets), ("rx_good", &frames[1]));
}

#[test]
fn a_start_less_than_five_octets_behind_terminate_is_a_damaged_preamble() {
    let cases = [(71, 1, false), (70, 2, false), (68, 4, false), (67, 5, true), (66, 6, true)];
    for (length, gap, passes) in cases {
        let words = encode(&[frame(length), frame(64)], Spacing::Fixed { gap, lane: 0 });
        let wanted = if passes { "rx_good" } else { "rx_preamble_error" };
        assert_eq!(verdicts(&words), ["rx_good", wanted], "gap {gap}");
    }
}

#[test]
fn a_start_in_a_wrong_lane_begins_nothing() {
    let symbols: Vec<(u8, bool)> =
        [vec![(xgmii::IDLE, true); 2], symbols(&encode(&[frame(64)], Spacing::Deficit))].concat();
    assert_eq!(verdicts(&words(&symbols)), Vec::<&str>::new());
}

proptest! {
    #[test]
    fn frames_come_back_from_the_line_as_they_were_sent(
        lengths in proptest::collection::vec(64usize..200, 1..20),
        gap in 5usize..17,
        lane in prop_oneof![Just(0usize), Just(4)],
        deficit: bool,
    ) {
        let frames: Vec<Vec<u8>> = lengths.into_iter().map(frame).collect();
        let spacing = if deficit { Spacing::Deficit } else { Spacing::Fixed { gap, lane } };
        let received = decode(&encode(&frames, spacing), 1518);
        prop_assert!(received.iter().all(|received| received.verdict == counters::RX_GOOD));
        let octets: Vec<Vec<u8>> = received.into_iter().map(|received| received.octets).collect();
        prop_assert_eq!(octets, frames);
    }

    #[test]
    fn any_words_are_taken_and_a_good_frame_passes_after_them(
        noise in proptest::collection::vec((any::<u64>(), any::<u8>()), 0..40)
    ) {
        let mut words: Vec<Word> = noise.into_iter().map(|(data, control)| Word { data, control }).collect();
        words.push(Word::IDLE);
        words.extend(encode(&[frame(64)], Spacing::Fixed { gap: 12, lane: 4 }));
        let last = decode(&words, 1518).pop().expect("the good frame ends at least");
        prop_assert_eq!(last, Received { octets: frame(64), verdict: counters::RX_GOOD });
    }
}
