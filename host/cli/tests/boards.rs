//! Boards of one's own, and bad input: what is wrong is refused before any file is written, and a
//! run that fails leaves an older result as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_nicforge");

/// Runs a program in a folder.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let own = Path::new(PROGRAM).parent().unwrap().display().to_string();
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("PATH", format!("{own}:{path}"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// What the program says, which has to end with this status.
#[track_caller]
fn nicforge(arguments: &[&str], folder: &Path, status: i32) -> String {
    let output = run(PROGRAM, arguments, folder);
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
    said
}

/// Every file below a folder with its contents.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(contents(&path)),
            false => drop(files.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    files
}

/// The file of a board under another name, with one piece of it replaced.
fn changed(board: &str, name: &str, piece: (&str, &str)) -> String {
    let text = nicforge(&["boards", "--file", board], Path::new("."), 0);
    let text = text.replacen(&format!("name = {board:?}"), &format!("name = {name:?}"), 1);
    assert!(text.contains(piece.0), "{piece:?}");
    text.replacen(piece.0, piece.1, 1)
}

/// Puts a board `mine` and a configuration for it into a folder.
fn place_board(folder: &Path, text: &str) {
    let board = folder.join("constraints/mine");
    fs::create_dir_all(&board).unwrap();
    fs::write(board.join("board.toml"), text).unwrap();
    fs::write(folder.join("mine.toml"), "board = \"mine\"\n").unwrap();
}

#[test]
fn the_page_on_adding_a_board_does_what_it_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/boards.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> =
        page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 1, "the page has one list of commands");
    let folder = tempfile::tempdir().unwrap();
    let output = run("sh", &["-e", "-c", blocks[0]], folder.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("My board, after the Colorlight i5") && said.contains("no faults"), "{said}");
    let manifest = fs::read_to_string(folder.path().join("out/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["board"], "my_board");
    let board = folder.path().join("constraints/my_board/board.toml");
    assert!(fs::read_to_string(board).unwrap().contains("\"U17\""));
}

#[test]
fn boards_are_found_in_folders_that_options_and_the_environment_name() {
    let folder = tempfile::tempdir().unwrap();
    let text = changed("ecpix5", "mine", ("\"R23\"", "\"P23\""));
    fs::create_dir_all(folder.path().join("far/mine")).unwrap();
    fs::write(folder.path().join("far/mine/board.toml"), text).unwrap();
    fs::write(folder.path().join("mine.toml"), "board = \"mine\"\n").unwrap();
    let said = nicforge(&["check", "mine.toml"], folder.path(), 2);
    assert!(said.contains("mine.toml:1: board: wanted \"colorlight_i5\""), "{said}");
    nicforge(&["check", "mine.toml", "--boards", "far"], folder.path(), 0);
    nicforge(&["check", "mine.toml", "--boards", "nowhere"], folder.path(), 2);
    let found = Command::new(PROGRAM)
        .args(["check", "mine.toml"])
        .current_dir(folder.path())
        .env("NICFORGE_BOARDS", "far")
        .status()
        .unwrap();
    assert!(found.success());
}

#[test]
fn a_faulty_board_is_listed_with_its_faults_beside_the_others() {
    let folder = tempfile::tempdir().unwrap();
    place_board(folder.path(), &changed("ecpix5", "mine", ("pin = \"A13\"", "pin = \"C11\"")));
    let said = nicforge(&["boards"], folder.path(), 2);
    assert!(said.contains("constraints/mine/board.toml:") && said.contains("pins.mdio"), "{said}");
    assert!(said.contains("LFE5UM5G-85F"), "{said}");
}

#[test]
fn what_is_wrong_is_refused_with_file_and_line_before_any_file_is_written() {
    // What is replaced by what, the fault, and how the line begins at which it is.
    let cases: &[((&str, &str), &str, &str)] = &[
        (
            ("pin = \"A13\"", "pin = \"C11\""),
            "pins.mdio: wanted a pin that nothing else uses",
            "pin = \"C11\"",
        ),
        (("pull = \"up\"\nbank = \"7\"", "bank = \"8\""), "pins.rst_n.bank: wanted one of", "bank = \"8\""),
        (
            ("name = \"7\"\nvolts = 3.3", "name = \"7\"\nvolts = 2.5"),
            "pins.rst_n.standard: wanted an I/O standard for the 2.5 V of bank \"7\"",
            "standard = \"LVCMOS33\"",
        ),
        (
            ("clock = \"clk_100\"", "clock = \"clk_50\""),
            "core.clock: wanted \"clk_100\"",
            "clock = \"clk_50\"",
        ),
        (
            ("flip_flops = 83_640", "flip_flops = 640"),
            "part.flip_flops: wanted a part with at least",
            "flip_flops = 640",
        ),
        (
            ("block_ram_kbit = 3_744\ndistributed_ram_kbit = 669", "block_ram_kbit = 7"),
            "part.block_ram_kbit: wanted a part with at least",
            "block_ram_kbit = 7",
        ),
        (("tops = [\"stream_1g\"]", "tops = [\"stream_2g\"]"), "tops: wanted \"udp_core\"", "tops ="),
        (("[part]", "[part"), "wanted TOML", "[part"),
    ];
    for (piece, wanted, at) in cases {
        let what = format!("{piece:?}");
        let folder = tempfile::tempdir().unwrap();
        let text = changed("ecpix5", "mine", *piece);
        place_board(folder.path(), &text);
        let before = contents(folder.path());
        for arguments in [&["generate", "mine.toml", "-o", "out"][..], &["check", "mine.toml"]] {
            // Reports for people are broken into lines with a bar in front.
            let said = nicforge(arguments, folder.path(), 2).replace('│', "");
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(wanted), "{what}: {said}");
            let mut places = said.split("constraints/mine/board.toml:").skip(1);
            let line = places.find_map(|rest| rest.split(':').next()?.parse::<usize>().ok());
            let line = line.unwrap_or_else(|| panic!("{what}: {said}"));
            assert!(text.lines().nth(line - 1).unwrap().starts_with(at), "{what}: {said}");
        }
        assert_eq!(contents(folder.path()), before, "{what}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "{what}: nothing is left over");
    }
}

/// A folder with a generated design in `out`, and a configuration that gives another one.
fn generated() -> (tempfile::TempDir, BTreeMap<PathBuf, Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("place")).unwrap();
    fs::write(folder.path().join("first.toml"), "").unwrap();
    fs::write(folder.path().join("second.toml"), "[stream]\nttl = 3\n").unwrap();
    nicforge(&["generate", "first.toml", "-o", "place/out"], folder.path(), 0);
    let before = contents(&folder.path().join("place"));
    assert!(before.len() > 10);
    (folder, before)
}

#[test]
fn a_disk_that_takes_no_more_leaves_the_older_files() {
    let (folder, before) = generated();
    // A limit on the length of a file, whose signal is ignored: writing then fails in the middle of a file.
    let script = "trap '' XFSZ; ulimit -f 8; exec nicforge generate second.toml -o place/out";
    let output = run("sh", &["-c", script], folder.path());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot write") && said.contains("too large"), "{said}");
    assert_eq!(contents(&folder.path().join("place")), before);
    nicforge(&["generate", "second.toml", "-o", "place/out"], folder.path(), 0);
    assert_ne!(contents(&folder.path().join("place")), before);
}

#[test]
fn a_folder_that_may_not_be_written_leaves_the_older_files() {
    let (folder, before) = generated();
    let place = folder.path().join("place");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere, unless that right is taken away.
    let superuser = fs::write(place.join("probe"), "").is_ok();
    let arguments = ["generate", "second.toml", "-o", "place/out"];
    let output = if superuser {
        fs::remove_file(place.join("probe")).unwrap();
        let taken = ["--bounding-set", "-dac_override", PROGRAM];
        run("setpriv", &[&taken[..], &arguments].concat(), folder.path())
    } else {
        run(PROGRAM, &arguments, folder.path())
    };
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("ermission denied") && said.contains("place"), "{said}");
    assert_eq!(contents(&place), before);
}

#[test]
fn a_folder_with_files_of_somebody_else_is_left_as_it_is() {
    let (folder, _) = generated();
    fs::write(folder.path().join("place/out/notes.txt"), "mine").unwrap();
    let before = contents(folder.path());
    let said = nicforge(&["generate", "second.toml", "-o", "place/out"], folder.path(), 2);
    assert!(said.contains("notes.txt"), "{said}");
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn the_schema_names_the_boards_there_are_and_leaves_an_existing_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    place_board(folder.path(), &changed("ecpix5", "mine", ("\"R23\"", "\"P23\"")));
    let schema: serde_json::Value =
        serde_json::from_str(&nicforge(&["new", "--schema"], folder.path(), 0)).unwrap();
    let boards = schema["properties"]["board"]["enum"].as_array().unwrap();
    assert!(boards.contains(&"mine".into()) && boards.contains(&"none".into()), "{boards:?}");
    nicforge(&["new", "--schema", "-o", "schema.json"], folder.path(), 0);
    nicforge(&["new", "--schema", "-o", "schema.json"], folder.path(), 2);
    nicforge(&["new"], folder.path(), 2);
}
