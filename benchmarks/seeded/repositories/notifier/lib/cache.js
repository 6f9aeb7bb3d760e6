"use strict";

// A small cache: the entry that was not used for the longest time goes first.
class Cache {
  constructor(limit = 100, now = Date.now) {
    this.limit = limit;
    this.now = now;
    this.entries = new Map();
  }

  get(key) {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    if (entry.until <= this.now()) {
      this.entries.delete(key);
      return undefined;
    }
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key, value, seconds) {
    this.entries.delete(key);
    this.entries.set(key, { value, until: this.now() + seconds * 1000 });
    while (this.entries.size > this.limit) {
      this.entries.delete(this.entries.keys().next().value);
    }
  }
}

module.exports = { Cache };
