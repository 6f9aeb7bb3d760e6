"use strict";

const { fetchJson } = require("./fetcher");

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text) {
  return String(text).replace(/[&<>"']/g, (sign) => escapes[sign]);
}

function render(event) {
  return `<p><b>${escapeHtml(event.author)}</b> wrote: ${escapeHtml(event.text)}</p>`;
}

// Sends one event to every subscriber and says who could not be reached.
async function notify(event, subscribers) {
  const body = JSON.stringify({ html: render(event) });
  const results = await Promise.allSettled(
    subscribers.map((subscriber) => fetchJson(subscriber.url, { method: "POST", body })),
  );
  return subscribers.filter((_, index) => results[index].status === "rejected");
}

module.exports = { notify, render };
