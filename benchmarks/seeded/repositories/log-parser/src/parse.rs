//! One line of a log becomes one request.

/// A request as it was logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub path: String,
    pub status: u16,
    pub bytes: u64,
}

/// Why a line cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub enum Problem {
    Fields(usize),
    Status(String),
    Bytes(String),
}

/// Reads `PATH STATUS BYTES`; `-` stands for no bytes.
pub fn parse(line: &str) -> Result<Request, Problem> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [path, status, bytes] = fields[..] else {
        return Err(Problem::Fields(fields.len()));
    };
    let status: u16 = status
        .parse()
        .map_err(|_| Problem::Status(status.to_string()))?;
    if !(100..=599).contains(&status) {
        return Err(Problem::Status(status.to_string()));
    }
    let bytes = match bytes {
        "-" => 0,
        text => text.parse().map_err(|_| Problem::Bytes(text.to_string()))?,
    };
    Ok(Request { path: path.to_string(), status, bytes })
}
