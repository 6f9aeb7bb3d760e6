"use strict";

const TIMEOUT_MS = 5000;

// Fetches JSON; throws on any status but 2xx, and after five seconds.
async function fetchJson(url, options = {}) {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) {
    throw new Error(`${url} answered ${response.status}`);
  }
  return response.json();
}

// Fetches all pages of a list; a page without a next link is the last one.
async function fetchAll(url) {
  const items = [];
  for (let next = url; next; ) {
    const page = await fetchJson(next);
    items.push(...page.items);
    next = page.next;
  }
  return items;
}

module.exports = { fetchAll, fetchJson };
