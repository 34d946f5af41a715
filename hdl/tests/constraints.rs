//! Constraint files, read back by readers of their own and compared with the data of the board.

use std::collections::{BTreeMap, BTreeSet};

use nicforge_hdl::config::{Assignment, Board, Boards, Config, Direction, Flow, Pad, Pin, Pull, Slew};
use nicforge_hdl::outputs::constraints::CrossingKind;
use nicforge_hdl::outputs::{Constraints, Outputs};
use nicforge_hdl::top;
use nicforge_hdl::verilog::Emitted;

/// What a constraint file says of one pin, or what it should say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Facts {
    site: String,
    standard: Option<String>,
    slew: Option<String>,
    drive: Option<String>,
    pull: Option<String>,
    terminated: bool,
}

/// Pins by port and bit, such as `txd[0]`; periods in picoseconds by port.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reading {
    pins: BTreeMap<String, Facts>,
    periods: BTreeMap<String, u64>,
}

impl Reading {
    fn pin(&mut self, name: &str) -> &mut Facts {
        let empty = Facts {
            site: String::new(),
            standard: None,
            slew: None,
            drive: None,
            pull: None,
            terminated: false,
        };
        self.pins.entry(name.to_owned()).or_insert(empty)
    }
}

/// Lines that count; with `spare` those behind a comment sign, which are there for other designs.
fn lines(text: &str, spare: bool) -> Vec<String> {
    let statement = |line: &str| {
        ["LOCATE ", "IOBUF ", "FREQUENCY ", "set_property ", "create_clock ", "NET ", "TIMESPEC "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let lines = text.lines().filter_map(|line| match line.strip_prefix("# ") {
        Some(rest) => (spare && statement(rest)).then_some(rest),
        None => (!spare && !line.starts_with('#') && !line.is_empty()).then_some(line),
    });
    lines.map(str::to_owned).collect()
}

fn quoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

fn read_lpf(lines: &[String]) -> Reading {
    let mut reading = Reading::default();
    for line in lines {
        let words: Vec<&str> = line.strip_suffix(';').expect("LPF statements end in ;").split(' ').collect();
        match words[..] {
            ["LOCATE", "COMP", port, "SITE", site] => {
                reading.pin(quoted(port)).site = quoted(site).to_owned()
            }
            ["FREQUENCY", "PORT", port, megahertz, "MHz"] => {
                let picoseconds = (1e6 / megahertz.parse::<f64>().unwrap()).floor() as u64;
                reading.periods.insert(quoted(port).to_owned(), picoseconds);
            }
            ["IOBUF", "PORT", port, ref settings @ ..] => {
                let pin = reading.pin(quoted(port));
                for setting in settings {
                    let (key, value) = setting.split_once('=').unwrap();
                    let value = Some(value.to_owned());
                    match key {
                        "IO_TYPE" => pin.standard = value,
                        "SLEWRATE" => pin.slew = value,
                        "DRIVE" => pin.drive = value,
                        "PULLMODE" => pin.pull = value,
                        "DIFFRESISTOR" => pin.terminated = true,
                        _ => panic!("{line}"),
                    }
                }
            }
            _ => panic!("no LPF: {line}"),
        }
    }
    reading
}

fn read_xdc(lines: &[String]) -> Reading {
    let mut reading = Reading::default();
    let port = |text: &str| {
        text.trim().trim_matches(['{', '}', ']', '[']).trim_start_matches("get_ports {").to_owned()
    };
    for line in lines {
        if let Some(rest) = line.strip_prefix("create_clock -name ") {
            let words: Vec<&str> = rest.split(' ').collect();
            assert_eq!((words[1], words[3]), ("-period", "[get_ports"), "{line}");
            let name = words[4].trim_matches(['{', '}', ']']);
            assert_eq!(words[0], name, "{line}");
            let period = words[2].parse::<f64>().unwrap() * 1000.0;
            reading.periods.insert(name.to_owned(), period.round() as u64);
        } else if let Some(rest) = line.strip_prefix("set_property -dict {") {
            let (settings, place) = rest.split_once("} [get_ports {").unwrap();
            let name = place.strip_suffix("}]").unwrap();
            let pin = reading.pin(name);
            let words: Vec<&str> = settings.split(' ').collect();
            for setting in words.chunks(2) {
                let value = Some(setting[1].to_owned());
                match setting[0] {
                    "PACKAGE_PIN" => pin.site = setting[1].to_owned(),
                    "IOSTANDARD" => pin.standard = value,
                    "SLEW" => pin.slew = value,
                    "DRIVE" => pin.drive = value,
                    "PULLTYPE" => pin.pull = Some(setting[1].replace("PULL", "")),
                    "DIFF_TERM" => pin.terminated = true,
                    _ => panic!("{line}"),
                }
            }
        } else {
            let passage = ["set_false_path ", "set_max_delay -datapath_only ", "set_bus_skew "];
            assert!(passage.iter().any(|start| line.starts_with(start)), "no XDC: {line} {}", port(line));
        }
    }
    reading
}

fn read_ucf(lines: &[String]) -> Reading {
    let mut reading = Reading::default();
    for line in lines {
        let body = line.strip_suffix(" ;").expect("UCF statements end in ;");
        if let Some(rest) = body.strip_prefix("TIMESPEC \"TS_") {
            if let Some((name, period)) = rest.split_once("\" = PERIOD \"") {
                let (other, period) = period.split_once("\" ").unwrap();
                assert_eq!(name, other, "{line}");
                let period = period.strip_suffix(" ns HIGH 50 %").unwrap().parse::<f64>().unwrap();
                reading.periods.insert(name.to_owned(), (period * 1000.0).round() as u64);
            }
        } else if let Some(rest) = body.strip_prefix("NET ") {
            let (name, settings) = rest.split_once(' ').unwrap();
            if settings.starts_with("TNM_NET") {
                continue;
            }
            let pin = reading.pin(&quoted(name).replace('<', "[").replace('>', "]"));
            for setting in settings.split(" | ") {
                match setting.split_once(" = ") {
                    Some(("LOC", site)) => pin.site = quoted(site).to_owned(),
                    Some(("IOSTANDARD", value)) => pin.standard = Some(value.to_owned()),
                    Some(("SLEW", value)) => pin.slew = Some(value.to_owned()),
                    Some(("DRIVE", value)) => pin.drive = Some(value.to_owned()),
                    None if setting.starts_with("PULL") => pin.pull = Some(setting.replace("PULL", "")),
                    _ => panic!("{line}"),
                }
            }
        } else {
            assert!(body.starts_with("INST \""), "no UCF: {line}");
        }
    }
    reading
}

fn read(flow: Flow, text: &str, spare: bool) -> Reading {
    let lines = lines(text, spare);
    match flow {
        Flow::NextpnrEcp5 => read_lpf(&lines),
        Flow::Vivado => read_xdc(&lines),
        Flow::Ise => read_ucf(&lines),
    }
}

/// What a file of this flow should say of a pin: one entry, or one for each pin of a pair.
fn wanted(flow: Flow, port: &str, bit: Option<usize>, pin: &Pin, pad: &Pad) -> Vec<(String, Facts)> {
    let index = bit.map_or_else(String::new, |bit| format!("[{bit}]"));
    let upper = |text: &str| Some(text.to_owned());
    let facts = |site: &str| Facts {
        site: site.to_owned(),
        standard: (pad.standard != "MGT").then(|| pad.standard.clone()),
        slew: pad.slew.and_then(|slew| upper(if slew == Slew::Fast { "FAST" } else { "SLOW" })),
        drive: pad.drive.map(|drive| drive.to_string()),
        pull: match pad.pull {
            Some(Pull::Up) => upper("UP"),
            Some(Pull::Down) => upper("DOWN"),
            // The absence of a resistor is what ISE does by itself.
            Some(Pull::None) if flow != Flow::Ise => upper("NONE"),
            _ => None,
        },
        terminated: pad.termination && flow != Flow::Ise,
    };
    match &pin.negative {
        Some(negative) if flow != Flow::NextpnrEcp5 => vec![
            (format!("{port}_p{index}"), facts(&pin.positive)),
            (format!("{port}_n{index}"), facts(negative)),
        ],
        _ => vec![(format!("{port}{index}"), facts(&pin.positive))],
    }
}

fn wanted_of(flow: Flow, pin: &Assignment) -> Vec<(String, Facts)> {
    wanted(flow, pin.port, pin.bit, pin.pin, pin.pad)
}

/// Every board with every design that it takes.
fn boards() -> Vec<(Config, Emitted)> {
    let mut all = Vec::new();
    for board in Boards::built_in().sound() {
        for top in &board.tops {
            let text = format!("board = \"{}\"\ntop = \"{}\"\n", board.name, top.name());
            let config = Config::parse(&text, "test.toml").unwrap();
            let design = top::emit(&config).unwrap();
            all.push((config, design));
        }
    }
    all
}

fn board(config: &Config) -> &Board {
    config.board.as_deref().unwrap()
}

/// The board's constraint file as it is written.
fn file(config: &Config, design: &Emitted) -> String {
    let outputs = Outputs::new(config, design).unwrap();
    let ending = match board(config).tool.flow {
        Flow::NextpnrEcp5 => "lpf",
        Flow::Vivado => "xdc",
        Flow::Ise => "ucf",
    };
    outputs.files()[&format!("constraints/{}.{ending}", design.top)].clone()
}

/// A name without its bit.
fn port_of(name: &str) -> &str {
    name.split('[').next().unwrap()
}

#[test]
fn every_pin_of_every_board_is_in_its_file_once_as_the_board_says() {
    for (config, design) in boards() {
        let board = board(&config);
        let flow = board.tool.flow;
        let text = file(&config, &design);
        let ports: BTreeSet<&str> = design.ports.iter().map(|port| port.name.as_str()).collect();
        let (active, spare) = (read(flow, &text, false), read(flow, &text, true));
        let mut left: BTreeMap<String, Facts> = BTreeMap::new();
        for pin in board.assignments() {
            let reading = if ports.contains(pin.port) { &active } else { &spare };
            for (name, facts) in wanted_of(flow, &pin) {
                assert_eq!(reading.pins.get(&name), Some(&facts), "{}: {name}", board.name);
                left.insert(name, facts);
            }
        }
        let shell = config.has_shell();
        for clock in &board.clocks {
            let used = shell && config.clock().is_some_and(|own| own.name == clock.name);
            let port = if used { "clk_in" } else { &clock.name };
            let reading = if used { &active } else { &spare };
            for (name, facts) in wanted(flow, port, None, &clock.pin, &clock.pad) {
                assert_eq!(reading.pins.get(&name), Some(&facts), "{}: {name}", board.name);
                left.insert(name, facts);
            }
        }
        let written = active.pins.len() + spare.pins.len();
        assert_eq!(written, left.len(), "{}: pins that the board does not have", board.name);
    }
}

#[test]
fn constraints_name_ports_of_the_module_and_nothing_else() {
    for (config, design) in boards() {
        let reading = read(board(&config).tool.flow, &file(&config, &design), false);
        for name in reading.pins.keys().chain(reading.periods.keys()) {
            let port = design.ports.iter().find(|port| port.name == port_of(name));
            let port = port.unwrap_or_else(|| panic!("{}: no port {name}", design.top));
            if let Some((_, bit)) = name.split_once('[') {
                let bit: usize = bit.trim_end_matches(']').parse().unwrap();
                assert!(bit < port.width, "{}: {name}", design.top);
            }
        }
    }
}

#[test]
fn a_module_that_is_the_whole_fpga_has_a_pin_for_every_bit() {
    let mut shells = Vec::new();
    for (config, design) in boards().iter().filter(|(config, _)| config.has_shell()) {
        assert_eq!(design.top, board(config).name);
        shells.push(design.top.clone());
        let reading = read(board(config).tool.flow, &file(config, design), false);
        for port in &design.ports {
            let found = reading.pins.keys().filter(|name| port_of(name) == port.name).count();
            assert_eq!(found, port.width, "{}: {}", design.top, port.name);
        }
        let sites: BTreeSet<&String> = reading.pins.values().map(|facts| &facts.site).collect();
        assert_eq!(sites.len(), reading.pins.len(), "{}: a pin is used twice", design.top);
    }
    assert_eq!(shells, ["colorlight_i5", "ecpix5"]);
}

#[test]
fn every_clock_that_comes_in_has_its_period() {
    for (config, design) in boards() {
        let board = board(&config);
        let wanted: BTreeMap<String, u64> = design
            .ports
            .iter()
            .filter_map(|port| match port.name.as_str() {
                "clk" => Some((port.name.clone(), config.core_clock_hertz())),
                "clk_in" => Some((port.name.clone(), config.clock().unwrap().hertz)),
                "gmii_rx_clk" | "gmii_tx_clk" | "rgmii_rxc" => Some((port.name.clone(), 125_000_000)),
                _ => None,
            })
            .map(|(name, hertz)| (name, 1_000_000_000_000 / hertz))
            .collect();
        assert!(!wanted.is_empty());
        assert_eq!(read(board.tool.flow, &file(&config, &design), false).periods, wanted, "{}", board.name);
        let constraints = Constraints::new(&config, &design, "").unwrap();
        let sdc = lines(&constraints.sdc(), false);
        let clocks: Vec<String> = sdc.into_iter().filter(|line| line.starts_with("create_clock")).collect();
        assert_eq!(read_xdc(&clocks).periods, wanted, "{}: SDC", board.name);
    }
}

#[test]
fn an_own_design_has_its_clock_in_sdc() {
    let config = Config::parse("", "test.toml").unwrap();
    let design = top::emit(&config).unwrap();
    let outputs = Outputs::new(&config, &design).unwrap();
    let sdc = &outputs.files()["constraints/udp_core.sdc"];
    assert_eq!(read_xdc(&lines(sdc, false)).periods, BTreeMap::from([("clk".to_owned(), 6400)]));
}

#[test]
fn directions_of_pins_are_those_of_the_ports() {
    use nicforge_hdl::verilog::Direction as Way;
    for (config, design) in boards() {
        for pin in board(&config).assignments() {
            if let Some(port) = design.ports.iter().find(|port| port.name == pin.port) {
                let wanted = match port.direction {
                    Way::Input => Direction::In,
                    Way::Output => Direction::Out,
                    Way::InOut => Direction::Inout,
                };
                assert_eq!(pin.direction, wanted, "{}: {}", board(&config).name, pin.port);
            }
        }
    }
}

/// The text of the module at the end of a path of instances.
fn module_at<'d>(design: &'d Emitted, path: &str) -> &'d str {
    let text = |name: &str| design.modules.iter().find(|module| module.name == name).unwrap().text.as_str();
    path.split('/').fold(text(&design.top), |here, instance| {
        let ending = format!(" {instance} (");
        let line = here.lines().find(|line| line.ends_with(&ending)).unwrap_or_else(|| panic!("no {path}"));
        text(line.split_whitespace().next().unwrap())
    })
}

/// Whether a module declares this register.
fn has_register(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let line = line.split("//").next().unwrap().trim();
        line.contains("reg ") && line.ends_with(&format!(" {name};"))
    })
}

#[test]
fn passages_between_clocks_are_named_by_registers_of_the_design_in_every_language() {
    for text in ["top = \"stream_1g\"", "board = \"ecpix5\"", "board = \"colorlight_i5\""] {
        let config = Config::parse(text, "test.toml").unwrap();
        let design = top::emit(&config).unwrap();
        let constraints = Constraints::new(&config, &design, "").unwrap();
        let [xdc, ucf, lpf] = [Flow::Vivado, Flow::Ise, Flow::NextpnrEcp5].map(|flow| constraints.file(flow));
        let (mut fifos, mut bits) = (0, 0);
        for crossing in &constraints.crossings {
            let path = &crossing.instance;
            let module = module_at(&design, path);
            assert!(lpf.contains(&format!("#   {path}\n")), "{path}");
            let pairs: &[(&str, &str)] = match crossing.kind {
                CrossingKind::Fifo => &[("write_gray", "write_gray_meta"), ("read_gray", "read_gray_meta")],
                CrossingKind::Bit => &[],
            };
            for (from, to) in pairs {
                fifos += 1;
                assert!(has_register(module, from) && has_register(module, to), "{path}: {from}\n{module}");
                let ends = format!(
                    "-from [get_cells {{{path}/{from}_reg[*]}}] -to [get_cells {{{path}/{to}_reg[*]}}]"
                );
                assert!(xdc.contains(&format!("set_max_delay -datapath_only {ends} 8.000\n")), "{xdc}");
                assert!(xdc.contains(&format!("set_bus_skew {ends} 8.000\n")), "{xdc}");
                let sdc = constraints.sdc();
                assert!(
                    sdc.contains(&format!("set_max_delay 8.000 {ends}\nset_false_path -hold {ends}\n")),
                    "{sdc}"
                );
                assert!(ucf.contains(&format!("INST \"{path}/{from}_?\" TNM")), "{ucf}");
            }
            if crossing.kind == CrossingKind::Bit {
                bits += 1;
                assert!(has_register(module, "meta"), "{path}\n{module}");
                for file in [&xdc, &constraints.sdc()] {
                    assert!(
                        file.contains(&format!("set_false_path -to [get_cells {{{path}/meta_reg*}}]\n")),
                        "{file}"
                    );
                }
                assert!(ucf.contains(&format!("INST \"{path}/meta*\" TNM")), "{ucf}");
            }
        }
        // Frames in, frames out, events back; two pointers each.
        assert_eq!(fifos, 6, "{text}");
        assert!(bits >= 4, "{text}: {bits}");
        assert_eq!(ucf.matches("DATAPATHONLY").count(), 6);
        assert_eq!(ucf.matches("TIG").count(), bits);
    }
}
