//! Proves the promises of blocks: all of them, or those named on the command line.
//!
//! Exit status 1 if one is broken, or if a block never gets as far as its promise matters.
use nicforge_testbench::prove::{self, PROOFS, Proof, Question, Verdict, ask};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> Result<ExitCode, prove::Error> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|name| !PROOFS.iter().any(|proof| proof.name == **name)) {
        let known: Vec<&str> = PROOFS.iter().map(|proof| proof.name).collect();
        eprintln!("no proof `{unknown}`; there are: {}", known.join(", "));
        return Ok(ExitCode::from(2));
    }
    let chosen = PROOFS.iter().filter(|p| wanted.is_empty() || wanted.iter().any(|name| name == p.name));
    let mut failed = 0;
    for proof in chosen {
        let began = Instant::now();
        let (word, proven) = outcome(proof)?;
        failed += usize::from(!proven);
        println!("{:12} {word:24} {:6.1} s  {}", proof.name, began.elapsed().as_secs_f64(), proof.promise);
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn outcome(proof: &Proof) -> Result<(String, bool), prove::Error> {
    let design = proof.design()?;
    if ask(&design, Question::Reach)? == Verdict::Holds {
        return Ok(("NEVER FILLS".to_owned(), false));
    }
    Ok(match ask(&design, Question::Promise)? {
        Verdict::Holds => ("proven".to_owned(), true),
        Verdict::Broken { cycle } => (format!("BROKEN in cycle {cycle}"), false),
    })
}
