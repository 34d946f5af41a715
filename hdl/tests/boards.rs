//! What a board's file may say, how its faults are reported, and how boards are found.

use std::fs;
use std::path::{Path, PathBuf};

use nicforge_hdl::config::{Boards, Config, Family, Fault, Flow, NO_BOARD, Top};

const BOARD: &str = "ecpix5";

fn shipped(board: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../constraints").join(board).join("board.toml");
    fs::read_to_string(file).unwrap()
}

/// A folder of boards with these texts.
struct Folder(tempfile::TempDir);

impl Folder {
    fn of(boards: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in boards {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("board.toml"), text).unwrap();
        }
        Self(folder)
    }
    fn file(&self, board: &str) -> PathBuf {
        self.0.path().join(board).join("board.toml")
    }
    fn boards(&self) -> Boards {
        Boards::built_in().clone().with_folder(self.0.path()).unwrap()
    }
    /// The faults of a configuration for a board, by line.
    fn faults(&self, board: &str) -> Vec<Fault> {
        let text = format!("board = {board:?}\n");
        let result = Config::parse_with(&text, "mine.toml", &self.boards());
        result.expect_err("the board has faults").list().to_vec()
    }
}

/// The shipped board under another name, with pieces of its text replaced.
fn changed(pieces: &[(&str, &str)]) -> String {
    let mut text = shipped(BOARD).replace("name = \"ecpix5\"", "name = \"mine\"");
    for (old, new) in pieces {
        assert!(text.contains(old), "{old:?} is not in the board's file");
        text = text.replacen(old, new, 1);
    }
    text
}

#[test]
fn the_shipped_boards_are_sound_and_named_as_their_folders() {
    let boards = Boards::built_in();
    let names: Vec<&str> = boards.names().collect();
    assert_eq!(names, ["colorlight_i5", "ecpix5", "ibob", "kc705", NO_BOARD]);
    assert_eq!(
        boards.faulty().map(|(_, faults)| faults.list().to_vec()).collect::<Vec<_>>().concat().len(),
        0
    );
    assert_eq!(boards.sound().count(), 4);
}

#[test]
fn what_the_shipped_boards_say_reaches_those_who_ask() {
    let board = |name: &str| Boards::built_in().find(name).unwrap().unwrap();
    let ibob = board("ibob");
    assert_eq!((ibob.part.family, ibob.tool.flow), (Family::Virtex2p, Flow::Ise));
    assert_eq!(ibob.part.name(), "xc2vp50-7-ff1152");
    assert_eq!(ibob.tops, [Top::Ibob]);
    assert!(!ibob.has_shell(Top::Ibob));
    let lane = &ibob.port("xaui1_tx").unwrap().pins[3];
    assert_eq!((lane.positive.as_str(), lane.negative.as_deref()), ("AP28", Some("AP29")));
    assert_eq!(ibob.port("sram1_dq").unwrap().pins.len(), 36);
    // Reset, LEDs, straps, SMA, GPIO, RS232, PHY, CX4, Z-DOK (two pairs of each are single pins), VSI, SRAM.
    let pins = 1 + 8 + 8 + 2 + 4 * 20 + 4 + 21 + 2 * 8 + 2 * 42 + 40 + 2 * (19 + 36 + 4 + 8);
    assert_eq!(ibob.assignments().len(), pins, "a pair counts once");
    assert_eq!(board("kc705").part.name(), "xc7k325tffg900-2");
    let ecpix = board("ecpix5");
    assert_eq!(ecpix.part.name(), "LFE5UM5G-85F-8-CABGA554");
    assert!(ecpix.has_shell(Top::Stream1g));
    let txd: Vec<_> = ecpix.assignments().into_iter().filter(|pin| pin.port == "rgmii_txd").collect();
    assert_eq!(txd.iter().map(|pin| pin.bit).collect::<Vec<_>>(), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(txd[3].pin.positive, "A8");
    let led: Vec<_> = board("colorlight_i5").leds.iter().map(|led| led.pin.positive.clone()).collect();
    assert_eq!(led, ["U16"]);
}

#[test]
fn a_configuration_takes_part_clock_and_design_from_its_board() {
    let config = Config::parse("board = \"colorlight_i5\"", "test").unwrap();
    assert_eq!((config.top, config.module_name()), (Top::Stream1g, "colorlight_i5"));
    assert_eq!(config.core_clock_hertz(), 62_500_000);
    assert_eq!(config.link_bits_a_second(), 1_000_000_000);
    let (clock, pll) = (config.clock().unwrap(), config.pll().unwrap());
    let detector = clock.hertz / pll.input_divider;
    assert_eq!(detector * pll.feedback_divider, 125_000_000);
    assert_eq!(125_000_000 * pll.transmit_divider / pll.core_divider, 62_500_000);
    let config = Config::parse("board = \"ibob\"\nclock = \"brefclk_bottom\"", "test").unwrap();
    assert_eq!((config.clock().unwrap().pin.positive.as_str(), config.module_name()), ("AK18", "ibob"));
    assert!(config.pll().is_none() && !config.has_shell());
    let config = Config::parse("board = \"kc705\"", "test").unwrap();
    assert_eq!((config.top, config.module_name()), (Top::UdpCore, "udp_core"));
}

/// A fault planted in a sound file: what is replaced by what, words that the fault must have, and how
/// many lines below the replacement it stands.
struct Plant {
    pieces: &'static [(&'static str, &'static str)],
    field: &'static str,
    words: &'static [&'static str],
    below: usize,
}

const fn plant(
    old: &'static [(&'static str, &'static str)],
    field: &'static str,
    words: &'static [&'static str],
) -> Plant {
    Plant { pieces: old, field, words, below: 0 }
}

const PLANTS: &[Plant] = &[
    plant(&[("name = \"mine\"", "name = \"yours\"")], "name", &["\"mine\"", "folder", "\"yours\""]),
    plant(&[("name = \"mine\"", "name = \"No such\"")], "name", &["lower-case"]),
    plant(&[("name = \"mine\"", "name = \"none\"")], "name", &["lower-case"]),
    plant(&[("title = ", "titel = ")], "titel", &["unknown key", "\"title\""]),
    plant(
        &[("tops = [\"stream_1g\"]", "tops = [\"stream_9g\"]")],
        "tops",
        &["\"stream_1g\"", "\"stream_9g\""],
    ),
    plant(&[("tops = [\"stream_1g\"]", "tops = []")], "tops", &["at least one design"]),
    plant(&[("tops = [\"stream_1g\"]", "tops = \"stream_1g\"")], "tops", &["an array"]),
    plant(
        &[("tops = [\"stream_1g\"]", "tops = [\"stream_1g\", \"stream_1g\"]")],
        "tops",
        &["each design once"],
    ),
    plant(&[("\"ecp5\"", "\"ecp6\"")], "part.family", &["\"kintex7\"", "\"ecp6\""]),
    plant(&[("speed = \"8\"", "speed = 8")], "part.speed", &["speed grade", "8"]),
    plant(&[("luts = 83_640", "luts = 0")], "part.luts", &["from 1", "0"]),
    plant(
        &[("\"nextpnr-ecp5\"", "\"vivado\"")],
        "tool.flow",
        &["\"nextpnr-ecp5\"", "\"ecp5\"", "\"vivado\""],
    ),
    plant(&[("\"nextpnr-ecp5\"", "\"quartus\"")], "tool.flow", &["\"ise\"", "\"quartus\""]),
    plant(&[("volts = 3.3", "volts = 33")], "bank.volts", &["such as 3.3", "33"]),
    plant(
        &[("[[bank]]\nname = \"1\"", "[[bank]]\nname = \"0\"\n[[bank]]\nname = \"1\"")],
        "bank.name",
        &["of its own", "\"0\" a second time"],
    ),
    plant(&[("hertz = 100_000_000", "hertz = \"100 MHz\"")], "clock.hertz", &["whole number", "\"100 MHz\""]),
    plant(&[("clock = \"clk_100\"", "clock = \"clk_50\"")], "core.clock", &["\"clk_100\"", "\"clk_50\""]),
    plant(
        &[("hertz = 62_500_000", "hertz = 62_500_001")],
        "core.hertz",
        &["125000000 Hz and 62500001 Hz", "clk_100"],
    ),
    plant(&[("hertz = 62_500_000", "hertz = 900_000_000")], "core.hertz", &["from 20000000", "900000000"]),
    plant(&[("pin = \"A12\"", "pin = \"a12\"")], "pins.rgmii_txc.pin", &["such as", "\"a12\""]),
    plant(&[("pin = \"A13\"", "pin = \"C11\"")], "pins.mdio", &["nothing else uses", "\"C11\"", "pins.mdc"]),
    plant(&[("pin = \"R23\"", "pin = \"K23\"")], "led", &["nothing else uses", "clock \"clk_100\""]),
    plant(
        &[("pins = [\"D8\", \"C8\", \"B8\", \"A8\"]", "pins = [\"D8\", \"C8\", \"B8\", \"D8\"]")],
        "pins.rgmii_txd",
        &["nothing else uses", "\"D8\""],
    ),
    plant(
        &[(
            "pin = \"C13\"\ndirection = \"out\"\nstandard = \"LVCMOS33\"",
            "pin = \"C13\"\ndirection = \"out\"\nstandard = \"LVCMOS25\"",
        )],
        "pins.phy_rst_n.standard",
        &["3.3 V of bank \"1\"", "\"LVCMOS25\"", "2.5 V"],
    ),
    plant(
        &[(
            "slew = \"slow\"\nbank = \"3\"\n[[led]]\nstatus = \"link\"",
            "slew = \"slow\"\nbank = \"4\"\n[[led]]\nstatus = \"link\"",
        )],
        "led.bank",
        &["\"7\"", "\"4\""],
    ),
    plant(
        &[("standard = \"LVCMOS33\"", "standard = \"LVCMOS3\"")],
        "clock.standard",
        &["\"LVCMOS33\"", "\"LVCMOS3\""],
    ),
    plant(&[("slew = \"fast\"", "slew = \"steep\"")], "pins.rgmii_txc.slew", &["\"slow\"", "\"steep\""]),
    plant(&[("pull = \"up\"", "pull = \"high\"")], "pins.rst_n.pull", &["\"down\"", "\"high\""]),
    plant(&[("tx_delay_ps = 2000", "tx_delay_ps = 9000")], "rgmii.tx_delay_ps", &["to 3175", "9000"]),
    plant(&[("in_band_status = false", "in_band_status = 0")], "rgmii.in_band_status", &["true or false"]),
    plant(&[("status = \"link\"", "status = \"rainbow\"")], "led.status", &["\"heartbeat\"", "\"rainbow\""]),
    Plant {
        pieces: &[("[tool]", "[tool]\ncolour = 1")],
        field: "tool.colour",
        words: &["\"loader\"", "unknown key"],
        below: 0,
    },
];

/// The number of the first line in which two texts differ.
fn first_difference(one: &str, other: &str) -> usize {
    let same = one.lines().zip(other.lines()).take_while(|(one, other)| one == other).count();
    same + 1
}

#[test]
fn each_fault_planted_in_a_board_is_reported_at_its_line_and_nothing_else_is() {
    let sound = changed(&[]);
    for plant in PLANTS {
        let text = changed(plant.pieces);
        let folder = Folder::of(&[("mine", &text)]);
        let faults = folder.faults("mine");
        // A misspelt key is missing as well.
        let faults: Vec<_> = faults.iter().filter(|fault| !fault.found.contains("is missing")).collect();
        let said: Vec<String> = faults.iter().map(|fault| fault.to_string()).collect();
        assert_eq!(faults.len(), 1, "{:?}: {said:#?}", plant.pieces);
        let fault = faults[0];
        assert_eq!(fault.field, plant.field, "{fault}");
        assert_eq!(fault.file, folder.file("mine").display().to_string());
        let said = fault.to_string();
        for word in plant.words {
            assert!(said.contains(word), "{word}: {said}");
        }
        let line = first_difference(&sound, &text) + plant.below;
        assert_eq!(fault.line, Some(line), "{said}");
    }
}

/// Removes one table with all its lines.
fn without(text: &str, table: &str) -> String {
    let start = text.find(&format!("{table}\n")).unwrap_or_else(|| panic!("no {table}"));
    let rest = &text[start..];
    let end = rest.find("\n\n").map_or(rest.len(), |end| end + 1);
    format!("{}{}", &text[..start], &rest[end..])
}

#[test]
fn a_port_that_the_design_has_and_the_board_lacks_is_reported_at_the_design() {
    let sound = changed(&[]);
    let line = 1 + sound.lines().position(|line| line.starts_with("tops")).unwrap();
    for port in
        ["rgmii_txc", "rgmii_tx_ctl", "rgmii_txd", "rgmii_rxc", "rgmii_rx_ctl", "rgmii_rxd", "phy_rst_n"]
    {
        let table = format!("[pins.{port}]");
        let folder = Folder::of(&[("mine", &without(&sound, &table))]);
        let [fault] = &folder.faults("mine")[..] else { panic!("{:#?}", folder.faults("mine")) };
        assert_eq!((fault.line, fault.field.as_str()), (Some(line), format!("pins.{port}").as_str()));
        assert!(fault.to_string().contains("stream_1g"), "{fault}");
    }
    let folder = Folder::of(&[("mine", &without(&sound, "[rgmii]"))]);
    assert_eq!(folder.faults("mine")[0].field, "rgmii");
    // A reset button is not needed.
    let folder = Folder::of(&[("mine", &without(&sound, "[pins.rst_n]"))]);
    Config::parse_with("board = \"mine\"", "test", &folder.boards()).unwrap();
}

#[test]
fn a_port_of_another_width_or_direction_is_refused() {
    let cases = [
        (("pins = [\"D8\", \"C8\", \"B8\", \"A8\"]", "pins = [\"D8\", \"C8\", \"B8\"]"), "pins.rgmii_txd"),
        (("pin = \"A12\"\ndirection = \"out\"", "pin = \"A12\"\ndirection = \"in\""), "pins.rgmii_txc"),
        (("pin = \"A12\"", "pins = [\"A12\"]"), "pins.rgmii_txc"),
    ];
    for (piece, field) in cases {
        let folder = Folder::of(&[("mine", &changed(&[piece]))]);
        let [fault] = &folder.faults("mine")[..] else { panic!("{:#?}", folder.faults("mine")) };
        assert_eq!(fault.field, field, "{fault}");
    }
}

#[test]
fn every_fault_of_a_board_is_listed_at_once_beside_those_of_the_configuration() {
    let text = changed(&[
        ("\"ecp5\"", "\"ecp6\""),
        ("pin = \"A13\"", "pin = \"C11\""),
        ("tx_delay_ps = 2000", "tx_delay_ps = -1"),
        ("status = \"link\"", "state = \"link\""),
    ]);
    let folder = Folder::of(&[("mine", &text)]);
    let own = "board = \"mine\"\n[stream]\nttl = 300\n";
    let faults = Config::parse_with(own, "mine.toml", &folder.boards()).unwrap_err();
    let fields: Vec<_> = faults.list().iter().map(|fault| fault.field.as_str()).collect();
    let wanted = ["stream.ttl", "part.family", "rgmii.tx_delay_ps", "pins.mdio", "led.status", "led.state"];
    assert_eq!(fields, wanted, "{:#?}", faults.list());
    assert!(faults.list()[1..].iter().all(|fault| fault.file.ends_with("board.toml")));
}

#[test]
fn two_standards_that_need_different_supplies_clash_in_a_bank_of_unknown_supply() {
    let text = changed(&[
        ("name = \"1\"\nvolts = 3.3", "name = \"1\""),
        (
            "pin = \"B13\"\ndirection = \"in\"\nstandard = \"LVCMOS33\"",
            "pin = \"B13\"\ndirection = \"in\"\nstandard = \"LVCMOS18\"",
        ),
    ]);
    let folder = Folder::of(&[("mine", &text)]);
    let [fault] = &folder.faults("mine")[..] else { panic!("{:#?}", folder.faults("mine")) };
    let said = fault.to_string();
    assert!(said.contains("3.3 V of bank \"1\" (\"LVCMOS33\" in line"), "{said}");
    assert!(said.contains("\"LVCMOS18\", which needs 1.8 V"), "{said}");
}

#[test]
fn a_receiver_of_a_pair_needs_no_supply_unless_it_is_terminated() {
    let clock = "hertz = 100_000_000\npin = \"K23\"\nstandard = \"LVCMOS33\"\n";
    let pair = "hertz = 100_000_000\npin = \"K23\"\nstandard = \"LVDS\"\n";
    let folder = Folder::of(&[("mine", &changed(&[(clock, pair)]))]);
    Config::parse_with("board = \"mine\"", "test", &folder.boards()).unwrap();
    let terminated = format!("{pair}termination = true\n");
    let folder = Folder::of(&[("mine", &changed(&[(clock, &terminated)]))]);
    let [fault] = &folder.faults("mine")[..] else { panic!("{:#?}", folder.faults("mine")) };
    assert!(fault.to_string().contains("\"LVDS\", which needs 2.5 V"), "{fault}");
}

#[test]
fn a_pair_has_two_pins_and_a_single_standard_one() {
    let kc705 = shipped("kc705").replace("name = \"kc705\"", "name = \"mine\"");
    let one = kc705.replace("pin_n = \"AD11\"\n", "");
    let two = kc705.replace("pin = \"AB7\"\n", "pin = \"AB7\"\npin_n = \"AB6\"\n");
    for (text, field, word) in [(one, "clock", "pin_n"), (two, "pins.cpu_reset", "not differential")] {
        let folder = Folder::of(&[("mine", &text)]);
        let [fault] = &folder.faults("mine")[..] else { panic!("{:#?}", folder.faults("mine")) };
        assert!(fault.field == field && fault.to_string().contains(word), "{fault}");
    }
}

#[test]
fn a_design_that_the_part_cannot_have_is_refused() {
    let kc705 = shipped("kc705").replace("name = \"kc705\"", "name = \"mine\"");
    let folder = Folder::of(&[("mine", &kc705.replace("[\"udp_core\"]", "[\"udp_core\", \"stream_1g\"]"))]);
    let [fault] = &folder.faults("mine")[..] else { panic!("{:#?}", folder.faults("mine")) };
    assert!(fault.field == "tops" && fault.to_string().contains("\"kintex7\""), "{fault}");
    let slow = kc705.replace("clock = \"user_156\"", "clock = \"clk_200\"");
    let folder = Folder::of(&[("mine", &slow)]);
    let [fault] = &folder.faults("mine")[..] else { panic!("{:#?}", folder.faults("mine")) };
    assert!(fault.field == "core.clock" && fault.to_string().contains("156250000 Hz"), "{fault}");
    let named = changed(&[("name = \"mine\"", "name = \"udp_core\"")]);
    let folder = Folder::of(&[("udp_core", &named)]);
    let [fault] = &folder.faults("udp_core")[..] else { panic!("{:#?}", folder.faults("udp_core")) };
    assert!(fault.field == "name" && fault.to_string().contains("no design"), "{fault}");
}

#[test]
fn a_clock_that_the_board_has_not_or_that_cannot_serve_is_refused_with_what_there_is() {
    let fault = |text: &str| {
        let faults = Config::parse(text, "clock.toml").unwrap_err();
        let [fault] = faults.list() else { panic!("{:#?}", faults.list()) };
        assert_eq!((fault.line, fault.field.as_str()), (Some(2), "clock"));
        fault.to_string()
    };
    let said = fault("board = \"ibob\"\nclock = \"clk_100\"\n");
    assert!(said.contains("\"brefclk_top\", \"brefclk_bottom\" or \"sysclk\""), "{said}");
    let said = fault("board = \"ibob\"\nclock = \"sysclk\"\n");
    assert!(said.contains("a clock of 156250000 Hz") && said.contains("100000000 Hz"), "{said}");
    let said = fault("top = \"stream_1g\"\nclock = \"clk_100\"\n");
    assert!(said.contains("wanted a board"), "{said}");
}

#[test]
fn broken_text_is_a_fault_with_its_line_and_hinders_no_other_board() {
    let folder = Folder::of(&[("broken", "name = \"broken\"\ntitle = = 3\n"), ("mine", &changed(&[]))]);
    let faults = folder.faults("broken");
    assert!(
        faults.iter().any(|fault| fault.line == Some(2) && fault.found.contains("syntax")),
        "{faults:#?}"
    );
    Config::parse_with("board = \"mine\"", "test", &folder.boards()).unwrap();
    assert_eq!(folder.boards().faulty().count(), 1);
}

#[test]
fn a_name_that_another_board_has_is_refused_unless_the_boards_are_the_same() {
    let same = shipped(BOARD).replace('#', "# ");
    let folder = Folder::of(&[(BOARD, &same)]);
    let config = Config::parse_with("board = \"ecpix5\"", "test", &folder.boards()).unwrap();
    assert_eq!(config.board.unwrap().file(), "constraints/ecpix5/board.toml");
    let other = shipped(BOARD).replace("\"R23\"", "\"R22\"");
    let folder = Folder::of(&[(BOARD, &other)]);
    let [fault] = &folder.faults(BOARD)[..] else { panic!("{:#?}", folder.faults(BOARD)) };
    let line = 1 + other.lines().position(|line| line.starts_with("name")).unwrap();
    assert_eq!((fault.line, fault.field.as_str()), (Some(line), "name"));
    assert!(fault.to_string().contains("constraints/ecpix5/board.toml"), "{fault}");
}

#[test]
fn boards_beside_the_configuration_are_found_and_change_its_digest() {
    let folder = Folder::of(&[]);
    let beside = folder.0.path().join("constraints").join("mine");
    fs::create_dir_all(&beside).unwrap();
    fs::write(beside.join("board.toml"), changed(&[])).unwrap();
    let file = folder.0.path().join("mine.toml");
    fs::write(&file, "board = \"mine\"\n").unwrap();
    let before = Config::load(&file).unwrap();
    fs::write(beside.join("board.toml"), changed(&[("# LambdaConcept", "# Another comment")])).unwrap();
    assert_eq!(Config::load(&file).unwrap().digest(), before.digest(), "comments are no facts");
    fs::write(beside.join("board.toml"), changed(&[("\"R23\"", "\"P23\"")])).unwrap();
    assert_ne!(Config::load(&file).unwrap().digest(), before.digest(), "a pin is a fact");
    let missing = Boards::built_in().clone().with_folder(&folder.0.path().join("nowhere")).unwrap_err();
    assert!(missing.to_string().contains("nowhere"), "{missing}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 40, ..Default::default() })]
    #[test]
    fn a_cut_or_changed_file_is_read_or_refused(cut in 0usize..16_000, word in "[\\PC]{0,8}") {
        for name in ["ecpix5", "ibob"] {
            let mut text = shipped(name);
            let at = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let cut = text[..at].to_owned();
            text.insert_str(at, &word);
            let folder = Folder::of(&[("cut", &cut), ("changed", &text)]);
            let boards = folder.boards();
            proptest::prop_assert!(boards.find("cut").is_some() && boards.find("changed").is_some());
        }
    }
}
