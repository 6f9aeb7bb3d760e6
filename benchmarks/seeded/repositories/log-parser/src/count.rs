//! What the requests of a log come to.

use crate::parse::Request;
use std::collections::HashMap;

/// How many requests failed because of the server (500 and above).
pub fn server_errors(requests: &[Request]) -> usize {
    requests.iter().filter(|request| request.status >= 500).count()
}

/// The share of requests that failed, 0 for an empty log.
pub fn error_rate(requests: &[Request]) -> f64 {
    if requests.is_empty() {
        return 0.0;
    }
    server_errors(requests) as f64 / requests.len() as f64
}

/// All bytes that were sent; a sum that does not fit stays at the largest number.
pub fn total_bytes(requests: &[Request]) -> u64 {
    requests
        .iter()
        .fold(0u64, |sum, request| sum.saturating_add(request.bytes))
}

/// The paths that were asked for most often, the first one most; equals by name.
pub fn top_paths(requests: &[Request], most: usize) -> Vec<(String, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for request in requests {
        *counts.entry(&request.path).or_default() += 1;
    }
    let mut ranked: Vec<_> = counts.into_iter().map(|(path, n)| (path.to_string(), n)).collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked.truncate(most);
    ranked
}
