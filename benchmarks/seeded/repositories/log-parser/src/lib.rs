//! Reads access logs and counts what happened.

pub mod count;
pub mod parse;
