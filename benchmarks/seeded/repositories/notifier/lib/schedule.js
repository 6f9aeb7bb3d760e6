"use strict";

const QUIET_FROM = 22;
const QUIET_TO = 7;

// Whether nobody should be woken at this hour (0 to 23); 22 is quiet, 7 is not.
function isQuiet(hour) {
  return hour >= QUIET_FROM || hour < QUIET_TO;
}

// How many whole days lie between two moments, whatever the clocks do in between.
function daysBetween(from, to) {
  const day = 24 * 60 * 60 * 1000;
  const start = Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate());
  const end = Date.UTC(to.getUTCFullYear(), to.getUTCMonth(), to.getUTCDate());
  return (end - start) / day;
}

module.exports = { daysBetween, isQuiet };
