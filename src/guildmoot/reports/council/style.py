"""The look of a council's page: the panel's style, and what a debate needs beside it."""

from __future__ import annotations

from guildmoot.reports.html_style import STYLE as PANEL_STYLE

STYLE = (
    PANEL_STYLE
    + """
.tone-PASS { --tone: var(--good); } .tone-FAIL, .tone-DISAGREE { --tone: var(--bad); }
.tone-WARN, .tone-INCOMPLETE, .tone-ERROR { --tone: var(--unsure); }
.tone-none { --tone: var(--link); }
.chip { display: inline-block; border: 1px solid currentColor; border-radius: .3rem;
  padding: 0 .45rem; font-size: .85rem; font-weight: 700; line-height: 1.5; white-space: nowrap; }
.chip.good { color: var(--good); } .chip.bad { color: var(--bad); }
.chip.unsure { color: var(--unsure); }
blockquote { margin: .4rem 0; padding: .1rem 0 .1rem .8rem; border-left: .2rem solid var(--line); }
h3 { font-size: 1rem; margin: 1.1rem 0 .5rem; }
.card > h3:first-child { margin-top: 0; }
.card p + p { margin-top: .4rem; }
.card ul, section > ul { padding-left: 1.2rem; }
.muted { color: var(--muted); }
.lead { color: var(--muted); margin-bottom: .75rem; max-width: 46rem; }
.judges { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; }
.judges .card { margin: 0; }
.judges h3 { display: flex; justify-content: space-between; align-items: flex-start; gap: .5rem;
  margin: 0 0 .3rem; }
.judges .absent, .judges .done { white-space: nowrap; }
.judges .done { color: var(--muted); font-weight: 400; }
dl { grid-template-columns: 3.4rem 1fr; }
.judges h3 small { display: block; color: var(--muted); font-weight: 400; }
.move { white-space: nowrap; }
.step { counter-increment: step; }
.debate { counter-reset: step; }
.step > h3::before { content: counter(step); display: inline-block; width: 1.5rem; height: 1.5rem;
  border-radius: 50%; background: var(--text); color: var(--page); text-align: center;
  line-height: 1.5rem; font-size: .85rem; margin-right: .5rem; }
.said { border: 1px solid var(--line); background: var(--card); border-radius: .5rem;
  padding: .7rem 1rem; margin-bottom: .6rem; max-width: 46rem; }
.said.answer { margin-left: 2.5rem; }
.said.challenge { border-left: .3rem solid var(--bad); }
.said.acknowledge { border-left: .3rem solid var(--good); }
.said.steel-man { border-left: .3rem solid var(--low); }
.said .who { color: var(--muted); font-size: .9rem; }
.said .who b { color: var(--text); }
.callout { border: 1px solid var(--unsure); border-left-width: .3rem; border-radius: .5rem;
  background: var(--card); padding: .7rem 1rem; margin: .75rem 0; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem;
  margin-top: .5rem; }
.sides > div { border-top: .2rem solid var(--line); padding-top: .4rem; }
.weak { color: var(--unsure); font-weight: 600; }
@media (max-width: 36rem) { .said.answer { margin-left: .75rem; }
  dl { grid-template-columns: 1fr; } }
@media print { .said, .judges .card { break-inside: avoid; } }
"""
)
