//! What a board puts around a design: resets, lamps, and the ports that its file names.
use nicforge_hdl::board::{InBand, StartUp};
use nicforge_hdl::config::{Boards, Config, Top};
use nicforge_hdl::top::{self, Lamps};
use nicforge_hdl::verilog::Direction;
use nicforge_layout::counters;
use nicforge_sim::Board;
use nicforge_testbench::bench;

fn set(board: &mut Board, port: &str, value: u64) {
    let port = board.pins().model().input(port).unwrap();
    board.pins().set(port, value);
}

fn get(board: &mut Board, port: &str) -> u64 {
    let port = board.pins().model().output(port).unwrap();
    board.pins().get(port)
}

#[test]
fn the_core_leaves_its_reset_when_clock_and_button_are_right_and_the_phy_later() {
    let mut board = bench::block("start_up", StartUp::with_phy_cycles(100)).unwrap();
    let resets = |board: &mut Board| {
        board.run(1, &mut ());
        (get(board, "reset"), get(board, "phy_reset_n"))
    };
    for _ in 0..50 {
        assert_eq!(resets(&mut board), (1, 0), "at power-up");
    }
    set(&mut board, "locked", 1);
    for _ in 0..50 {
        assert_eq!(resets(&mut board), (1, 0), "with the button pressed");
    }
    set(&mut board, "button_n", 1);
    let seen: Vec<_> = (0..200).map(|_| resets(&mut board)).collect();
    let core = seen.iter().position(|(reset, _)| *reset == 0).unwrap();
    let phy = seen.iter().position(|(_, ready)| *ready == 1).unwrap();
    assert!((16..20).contains(&core), "{core}");
    assert!((100..104).contains(&(phy - core)), "{phy}");
    assert!(seen[phy..].iter().all(|resets| *resets == (0, 1)));
    for port in ["locked", "button_n"] {
        set(&mut board, port, 0);
        board.run(3, &mut ());
        assert_eq!(resets(&mut board), (1, 0), "{port}");
        set(&mut board, port, 1);
        board.run(200, &mut ());
        assert_eq!(resets(&mut board), (0, 1), "{port}");
    }
}

#[test]
fn the_link_bit_is_taken_between_frames_only() {
    let mut board =
        Board::new(bench::Design::new("in_band", InBand::default()).unwrap().model().unwrap()).unwrap();
    board.add_clock("rx_clk", 8_000, 500).unwrap();
    let mut up = |data: u64, valid: u64, error: u64| {
        for (port, value) in [("data", data), ("valid", valid), ("error", error)] {
            set(&mut board, port, value);
        }
        board.run(8, &mut ());
        get(&mut board, "up")
    };
    assert_eq!(up(0x0d, 0, 0), 1);
    assert_eq!(up(0x00, 1, 0), 1, "octets of a frame say nothing");
    assert_eq!(up(0x0e, 0, 1), 1, "nor does a false carrier");
    assert_eq!(up(0x0c, 0, 0), 0);
}

/// Cycles of a tick in these tests.
const TICK: u64 = 10;

fn event(board: &mut Board, name: &str, code: u8) {
    set(board, &format!("{name}_code"), code.into());
    set(board, &format!("{name}_valid"), 1);
    board.run(1, &mut ());
    set(board, &format!("{name}_valid"), 0);
}

#[test]
fn lamps_show_events_for_a_hundred_ticks_and_the_heart_beats_every_thousand() {
    let mut board = bench::block("lamps", Lamps::new(TICK)).unwrap();
    board.run(1, &mut ());
    assert_eq!(get(&mut board, "status"), 1);
    let mut beats = Vec::new();
    for cycle in 0..4 * 500 * TICK {
        let before = get(&mut board, "status") & 1;
        board.run(1, &mut ());
        if get(&mut board, "status") & 1 != before {
            beats.push(cycle);
        }
    }
    assert!(beats.windows(2).all(|pair| pair[1] - pair[0] == 500 * TICK), "{beats:?}");
    assert!(beats.len() >= 3);

    let cases = [
        ("received", counters::RX_GOOD, 4),
        ("received", counters::RX_FCS_ERROR, 0),
        ("sent", counters::TX_GOOD, 4),
        ("sent", counters::TX_UNDERRUN, 0),
        ("packets", counters::SAMPLER_PACKETS, 8),
    ];
    for (port, counter, bit) in cases {
        event(&mut board, port, counter.code);
        assert_eq!(get(&mut board, "status") & 0xe, bit, "{port} {}", counter.name);
        board.run(98 * TICK, &mut ());
        assert_eq!(get(&mut board, "status") & 0xe, bit, "{port} {}", counter.name);
        board.run(3 * TICK, &mut ());
        assert_eq!(get(&mut board, "status") & 0xe, 0, "{port} {}", counter.name);
    }
    for _ in 0..10 {
        event(&mut board, "packets", counters::SAMPLER_PACKETS.code);
        board.run(90 * TICK, &mut ());
        assert_eq!(get(&mut board, "status") & 8, 8, "packets that come more often keep the lamp lit");
    }
    set(&mut board, "link", 1);
    board.run(1, &mut ());
    assert_eq!(get(&mut board, "status") & 2, 2);
}

#[test]
fn a_shell_has_the_boards_name_and_the_ports_of_its_file() {
    let mut shells = 0;
    for board in Boards::built_in().sound().filter(|board| board.has_shell(Top::Stream1g)) {
        let config = Config::parse(&format!("board = {:?}", board.name), "test.toml").unwrap();
        let design = top::emit(&config).unwrap();
        assert_eq!(design.top, board.name);
        let names: Vec<_> = design.ports.iter().map(|port| port.name.as_str()).collect();
        assert_eq!(names.contains(&"rst_n"), board.port("rst_n").is_some(), "{}", board.name);
        for port in design.ports.iter().filter(|port| !["clk_in", "led"].contains(&port.name.as_str())) {
            let group =
                board.port(&port.name).unwrap_or_else(|| panic!("{} lacks {}", board.name, port.name));
            assert_eq!(port.width, group.pins.len(), "{} {}", board.name, port.name);
        }
        let led = design.ports.iter().find(|port| port.name == "led").unwrap();
        assert_eq!((led.width, led.direction), (board.leds.len(), Direction::Output));
        // The design itself is the one that is simulated.
        let core = top::emit_core(&config).unwrap();
        let body = |text: &str| text.split_once(" (\n").map(|(_, body)| body.to_owned());
        let inner = core.modules.iter().find(|module| module.name == core.top).unwrap();
        assert!(
            design.modules.iter().any(|module| body(&module.text) == body(&inner.text)),
            "{}",
            board.name
        );
        shells += 1;
    }
    assert!(shells >= 2, "{shells} shells");
}

#[test]
fn a_shell_has_the_dividers_of_its_clock_and_the_delays_of_its_file() {
    let text = |board: &str| {
        let config = Config::parse(&format!("board = {board:?}"), "test.toml").unwrap();
        top::emit(&config).unwrap().verilog()
    };
    let (large, small) = (text("ecpix5"), text("colorlight_i5"));
    // 100 MHz / 4 x 5 = 125 MHz, x 4 = 500 MHz, / 8 = 62.5 MHz.
    for wanted in [".CLKI_DIV(4)", ".CLKFB_DIV(5)", ".CLKOP_DIV(4)", ".CLKOS_DIV(8)"] {
        assert!(large.contains(wanted), "{wanted}");
    }
    assert!(small.contains(".CLKI_DIV(1)") && small.contains(".CLKFB_DIV(5)"));
    assert!(large.contains(".DEL_VALUE(80)) clock_delay") && large.contains(".DEL_VALUE(0)) control_delay"));
    assert!(small.contains(".DEL_VALUE(0)) clock_delay") && small.contains(".DEL_VALUE(80)) control_delay"));
}
