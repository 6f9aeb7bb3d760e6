//! `log-parser FILE`: prints the busiest paths and the share of failures.

use log_parser::{count, parse};
use std::io::{self, BufRead};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        eprintln!("usage: log-parser FILE");
        return ExitCode::from(64);
    };
    match report(&name) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(bad) => {
            eprintln!("{bad} lines could not be read");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(name: &str) -> io::Result<usize> {
    let (mut requests, mut bad) = (Vec::new(), 0);
    for line in io::BufReader::new(std::fs::File::open(name)?).lines() {
        match parse::parse(&line?) {
            Ok(request) => requests.push(request),
            Err(_) => bad += 1,
        }
    }
    for (path, hits) in count::top_paths(&requests, 10) {
        println!("{hits:8} {path}");
    }
    println!("{:.2} % failed", count::error_rate(&requests) * 100.0);
    Ok(bad)
}
