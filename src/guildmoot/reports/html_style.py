"""The look of the HTML report: light and dark, wide and narrow, on screen and on paper."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #dfe3e8; --code: #f1f3f6;
  --text: #1b1f24; --muted: #57606a; --link: #0b5cad;
  --good: #17693a; --bad: #b3261e; --unsure: #7a4d00;
  --critical: #8a1a5c; --high: #b3261e; --medium: #7a4d00; --low: #1f5f8b;
  --on-colour: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #171b21; --line: #2c333d; --code: #0f1318;
    --text: #e6e9ee; --muted: #9aa5b3; --link: #7ab8ff;
    --good: #6fd596; --bad: #ff8f86; --unsure: #f0c069;
    --critical: #ff9ad5; --high: #ff8f86; --medium: #f0c069; --low: #86c5f2;
    --on-colour: #0f1216;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
h1, h2, h3, p, ul, dl, dd, table, pre { margin: 0; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  font-size: .9em; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.verdict { border-left: .5rem solid var(--tone); background: var(--card); padding: 1.5rem 1.5rem;
  margin: 1.5rem 0 1rem; border-radius: .5rem; }
.verdict h1 { color: var(--tone); font-size: 2rem; line-height: 1.2; letter-spacing: .01em; }
.verdict h1 small { display: block; color: var(--text); font-size: 1.1rem; font-weight: 500;
  letter-spacing: 0; margin-top: .25rem; }
.facts { color: var(--muted); margin-top: .5rem; }
.reasons { margin: .9rem 0 0; padding-left: 1.2rem; }
.tone-approved { --tone: var(--good); }
.tone-flagged, .tone-conflict { --tone: var(--bad); }
.tone-undecided, .tone-infrastructure, .tone-interrupted { --tone: var(--unsure); }
.filter { border: 0; margin: 0 0 .5rem; padding: 0; display: flex; flex-wrap: wrap;
  gap: .5rem; align-items: center; }
.filter legend { float: left; padding: 0; margin-right: .5rem; color: var(--muted); }
.filter label { background: var(--card); border: 1px solid var(--line); border-radius: 2rem;
  padding: .25rem .8rem .25rem .6rem; cursor: pointer; }
.filter input { accent-color: var(--link); vertical-align: -1px; margin: 0 .35rem 0 0; }
section { margin: 2rem 0; }
h2 { font-size: 1.2rem; display: flex; gap: .6rem; align-items: baseline; margin-bottom: .75rem; }
h2 small { color: var(--muted); font-weight: 400; font-size: .95rem; }
.critical { --tone: var(--critical); } .high { --tone: var(--high); }
.medium { --tone: var(--medium); } .low { --tone: var(--low); }
.severity > h2 { color: var(--tone); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: 1rem 1.15rem; margin-bottom: .75rem; }
.finding.blocking { border-left: .3rem solid var(--tone); }
.finding h3 { font-size: 1rem; font-weight: 600; line-height: 1.45; }
.finding h3 code { font-size: 1em; }
.where { display: flex; flex-wrap: wrap; gap: .15rem .7rem; align-items: baseline;
  color: var(--muted); font-size: .9rem; margin-bottom: .35rem; }
.where .place { color: var(--text); font-weight: 600; }
.tag { background: var(--tone); color: var(--on-colour); border-radius: .25rem; padding: 0 .45rem;
  font-size: .8rem; font-weight: 600; line-height: 1.5; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .35rem;
  padding: .6rem .8rem; margin-top: .6rem; overflow-x: auto; overflow-wrap: normal;
  line-height: 1.5; tab-size: 4; }
pre .number { color: var(--muted); user-select: none; -webkit-user-select: none; }
dl { display: grid; grid-template-columns: 2.6rem 1fr; gap: .2rem .8rem; margin-top: .6rem; }
dt { color: var(--muted); }
summary { cursor: pointer; color: var(--muted); }
details { margin-top: .6rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: .5rem; }
th, td { text-align: left; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: normal; }
td small { display: block; overflow-wrap: anywhere; }
td small, th small { color: var(--muted); font-weight: 400; }
tbody tr:last-child > * { border-bottom: 0; }
th { font-weight: 600; } thead th { color: var(--muted); font-weight: 500; }
.count { text-align: right; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
.absent { color: var(--unsure); font-weight: 600; }
.coverage ul, .conflict ul { padding-left: 1.2rem; }
.conflict ul { margin-top: .4rem; }
footer { color: var(--muted); font-size: .85rem; padding-bottom: 2rem; }
body:has(#show-critical:not(:checked)) .severity.critical,
body:has(#show-high:not(:checked)) .severity.high,
body:has(#show-medium:not(:checked)) .severity.medium,
body:has(#show-low:not(:checked)) .severity.low,
body:has(#show-advisory:not(:checked)) .severity:not(:has(.blocking)),
body:has(#show-advisory:not(:checked)) .finding.advisory { display: none; }
@supports not selector(:has(a)) { .filter { display: none; } }
@media (max-width: 36rem) {
  main, footer { padding: 0 .75rem; }
  .verdict { padding: 1.1rem; } .verdict h1 { font-size: 1.6rem; }
  .card { padding: .8rem .85rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; }
  table { font-size: .85rem; } th, td { padding-right: .6rem; }
}
@media print {
  :root { --page: #fff; --card: #fff; --code: #fff; --text: #000; --muted: #444; --line: #bbb;
    --good: #17693a; --bad: #b3261e; --unsure: #7a4d00; --link: #000;
    --critical: #8a1a5c; --high: #b3261e; --medium: #7a4d00; --low: #1f5f8b; --on-colour: #fff; }
  body { font-size: 10.5pt; } main, footer { max-width: none; padding: 0; }
  .filter { display: none; }
  .card, .verdict { break-inside: avoid; } h2 { break-after: avoid; }
  .verdict { border: 1px solid var(--line); border-left: .5rem solid var(--tone); }
  .tag { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
