//! The open flow for Lattice ECP5: the programs that make a bitstream of the generated files, with
//! their arguments. `scripts/Makefile` and `nicforge build` run the same steps, the ones from here.

use crate::verilog::Emitted;

use super::module_path;

/// An ECP5 as the tools are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ecp5 {
    /// Device, such as `LFE5UM5G-85F`.
    pub device: String,
    /// Package, such as `CABGA554`.
    pub package: String,
    /// Speed grade: 6, 7 or 8.
    pub speed: String,
}

impl Ecp5 {
    /// The option that selects the device, such as `--um5g-85k`; `None` if there is no such ECP5.
    pub fn option(&self) -> Option<&'static str> {
        DEVICES.iter().find(|(device, _)| *device == self.device).map(|(_, option)| *option)
    }

    /// The device of an option of nextpnr-ecp5 without its dashes, such as `85k`.
    pub fn device_of(option: &str) -> Option<&'static str> {
        DEVICES.iter().find(|(_, known)| known[2..] == *option).map(|(device, _)| *device)
    }
}

/// Devices, and how nextpnr-ecp5 calls them.
const DEVICES: &[(&str, &str)] = &[
    ("LFE5U-12F", "--12k"),
    ("LFE5U-25F", "--25k"),
    ("LFE5U-45F", "--45k"),
    ("LFE5U-85F", "--85k"),
    ("LFE5UM-25F", "--um-25k"),
    ("LFE5UM-45F", "--um-45k"),
    ("LFE5UM-85F", "--um-85k"),
    ("LFE5UM5G-25F", "--um5g-25k"),
    ("LFE5UM5G-45F", "--um5g-45k"),
    ("LFE5UM5G-85F", "--um5g-85k"),
];

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Verilog to a netlist of the part's cells.
    Synthesis,
    /// Netlist to places and wires.
    PlaceAndRoute,
    /// Places and wires to a bitstream.
    Pack,
}

/// One program to run in the folder of the generated files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub stage: Stage,
    /// The program.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Files that it reads, relative to that folder.
    pub inputs: Vec<String>,
    /// The file that it makes, relative to that folder.
    pub output: String,
}

impl Step {
    /// Program and arguments as words of a shell.
    pub fn command(&self) -> String {
        let words = std::iter::once(self.program).chain(self.arguments.iter().map(String::as_str));
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell (and make) takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// How a design is to be built.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The outermost module.
    pub top: String,
    /// The Verilog files, relative to the folder of the generated files.
    pub verilog: Vec<String>,
    /// The FPGA.
    pub part: Ecp5,
    /// What becomes of the design's ports.
    pub ports: Ports,
    /// Further arguments of the place-and-route program.
    pub options: Vec<String>,
    /// Folder for what the tools write, relative to the folder of the generated files.
    pub products: String,
    /// Start value of the placer's random numbers.
    pub seed: u32,
}

/// What becomes of the ports of the outermost module.
#[derive(Clone, Debug, PartialEq)]
pub enum Ports {
    /// They are pins, as a file of preferences (LPF) says.
    Pins {
        /// The file, relative to the folder of the generated files.
        lpf: String,
    },
    /// They end inside: for the clock rate of a design without a board. There is no bitstream then.
    OutOfContext {
        /// What every clock has to reach, in MHz.
        megahertz: f64,
    },
}

impl Plan {
    /// A plan for a printed design that has the pins of a board.
    pub fn new(design: &Emitted, part: Ecp5, options: &[String], products: &str, seed: u32) -> Self {
        Self {
            top: design.top.clone(),
            verilog: design.modules.iter().map(|module| module_path(&module.name)).collect(),
            part,
            ports: Ports::Pins { lpf: format!("constraints/{}.lpf", design.top) },
            options: options.to_vec(),
            products: products.to_owned(),
            seed,
        }
    }

    /// What the place-and-route program reports, in JSON.
    pub fn report(&self) -> String {
        self.product("place.json")
    }

    /// The bitstream.
    pub fn bitstream(&self) -> String {
        self.product("bit")
    }

    fn product(&self, extension: &str) -> String {
        format!("{}/{}.{extension}", self.products, self.top)
    }
}

/// The steps of a plan, in their order; out of context without the last.
///
/// # Panics
/// If the part is no ECP5: boards with this flow are checked when they are read.
pub fn steps(plan: &Plan) -> Vec<Step> {
    let mut steps = vec![synthesis(plan), place_and_route(plan)];
    if matches!(plan.ports, Ports::Pins { .. }) {
        steps.push(pack(plan));
    }
    steps
}

fn synthesis(plan: &Plan) -> Step {
    let netlist = plan.product("json");
    let script = format!("synth_ecp5 -abc9 -top {} -json {netlist}", plan.top);
    let arguments = ["-p".to_owned(), script].into_iter().chain(plan.verilog.iter().cloned()).collect();
    Step {
        stage: Stage::Synthesis,
        program: "yosys",
        arguments,
        inputs: plan.verilog.clone(),
        output: netlist,
    }
}

fn place_and_route(plan: &Plan) -> Step {
    let (netlist, configuration) = (plan.product("json"), plan.product("config"));
    let part = &plan.part;
    let device = part.option().expect("the device was checked when the board was read");
    let mut inputs = vec![netlist.clone()];
    let mut arguments = words(&[device, "--package", &part.package, "--speed", &part.speed]);
    arguments.extend(words(&["--json", &netlist]));
    match &plan.ports {
        Ports::Pins { lpf } => {
            inputs.push(lpf.clone());
            arguments.extend(words(&["--lpf", lpf, "--textcfg", &configuration]));
        }
        Ports::OutOfContext { megahertz } => {
            arguments.extend(words(&["--out-of-context", "--freq", &megahertz.to_string()]));
        }
    }
    arguments.extend(words(&["--report", &plan.report(), "--seed", &plan.seed.to_string()]));
    arguments.extend(plan.options.iter().cloned());
    // Out of context the program refuses to write a configuration of the part.
    let output = if matches!(plan.ports, Ports::Pins { .. }) { configuration } else { plan.report() };
    Step { stage: Stage::PlaceAndRoute, program: "nextpnr-ecp5", arguments, inputs, output }
}

fn pack(plan: &Plan) -> Step {
    let configuration = plan.product("config");
    Step {
        stage: Stage::Pack,
        program: "ecppack",
        arguments: words(&["--compress", &configuration, &plan.bitstream()]),
        inputs: vec![configuration],
        output: plan.bitstream(),
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(ports: Ports) -> Plan {
        Plan {
            top: "blinker".to_owned(),
            verilog: words(&["rtl/counter.v", "rtl/blinker.v"]),
            part: Ecp5 {
                device: "LFE5UM5G-85F".to_owned(),
                package: "CABGA554".to_owned(),
                speed: "8".to_owned(),
            },
            ports,
            options: words(&["--threads", "2"]),
            products: "build".to_owned(),
            seed: 7,
        }
    }

    #[test]
    fn each_step_reads_what_the_one_before_made_and_the_last_makes_the_bitstream() {
        let plan = plan(Ports::Pins { lpf: "constraints/blinker.lpf".to_owned() });
        let steps = steps(&plan);
        assert_eq!(
            steps.iter().map(|step| step.program).collect::<Vec<_>>(),
            ["yosys", "nextpnr-ecp5", "ecppack"]
        );
        for pair in steps.windows(2) {
            assert!(pair[1].inputs.contains(&pair[0].output), "{pair:?}");
        }
        assert_eq!(steps[2].output, plan.bitstream());
        assert_eq!(
            steps[0].command(),
            "yosys -p 'synth_ecp5 -abc9 -top blinker -json build/blinker.json' rtl/counter.v rtl/blinker.v"
        );
        assert_eq!(
            steps[1].command(),
            "nextpnr-ecp5 --um5g-85k --package CABGA554 --speed 8 --json build/blinker.json \
             --lpf constraints/blinker.lpf --textcfg build/blinker.config --report build/blinker.place.json \
             --seed 7 --threads 2"
        );
    }

    #[test]
    fn out_of_context_there_are_no_pins_and_no_bitstream() {
        let steps = steps(&plan(Ports::OutOfContext { megahertz: 156.25 }));
        let place = steps.last().unwrap();
        assert_eq!(place.stage, Stage::PlaceAndRoute);
        let command = place.command();
        assert!(
            command.contains("--out-of-context --freq 156.25") && !command.contains("--lpf"),
            "{command}"
        );
    }

    #[test]
    fn devices_and_options_belong_together() {
        for (device, option) in DEVICES {
            assert_eq!(Ecp5::device_of(option.trim_start_matches('-')), Some(*device));
        }
        assert_eq!(Ecp5::device_of("85"), None);
    }

    #[test]
    fn words_with_signs_of_the_shell_are_quoted() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
