"""What ``loom NAMESPACE --help`` prints."""

from __future__ import annotations

USAGE: dict[str, str] = {
    "project": """  loom project read SLUG              what it is, and its phases
  loom project list [--archived]      the projects that there are
  loom project status                 the project that this folder belongs to
  loom project scaffold SLUG --plan-file=F --config-file=F --manifest-init-file=F
  loom project adopt SLUG --config-file=F --manifest-init-file=F
  loom project archive SLUG           put it away; what is still open is told and kept
""",
    "phase": """  loom phase list SLUG
  loom phase read SLUG N
  loom phase ready SLUG               not started, and all they depend on is completed
  loom phase update SLUG N --status=not-started|in-progress|blocked|completed
                           [--branch=B] [--reason=TEXT]
  loom phase add SLUG --number=N --name=TEXT [--status=S] [--branch=B]
""",
    "events": """  loom events read SLUG [--event=NAME] [--since=TIME] [--limit=N]   the newest N
  loom events latest SLUG [--event=NAME]
  loom events append SLUG --event=NAME [--detail=JSON] [--key=K]
      with a key that was used before nothing is added, and the first event is printed
  loom events aggregate [--event=NAME] [--since=TIME] [--limit=N]
""",
    "checkin": """  loom checkin write SLUG --checkin-file=F [--run=RUN]
      --run binds the verdict to a recorded run of guild and to the files as they are
  loom checkin list SLUG [--branch=B]
  loom checkin read SLUG --branch=B --number=NN
  loom checkin latest SLUG [--branch=B]
""",
    "session": """  loom session write SLUG --session-file=F
  loom session list SLUG
  loom session read SLUG --filename=2025-03-08-a.json
  loom session corrections SLUG [--since-checkin=NN]
""",
    "retro": """  loom retro write SLUG --retro-file=F
  loom retro list SLUG [--type=session|project]
  loom retro read SLUG --type=session --phase=P --tier=T | --type=project
""",
    "findings": """  loom findings harvest SLUG [--branch=B] [--unit=U]
""",
    "plan": """  loom plan SLUG-OR-TOPIC --plan-file=F --interview-file=F
            [--no-commit] [--no-loom]
      a plan that git does not hold is kept beside the new one
""",
    "revise-plan": """  loom revise-plan SLUG --revision-file=F --rationale=TEXT [--no-commit]
""",
    "parse-plan": """  loom parse-plan SLUG [--pretty]
""",
    "research": """  loom research init SLUG-OR-TOPIC --research-file=F --notes-file=F
                     [--no-commit] [--no-loom]
  loom research append SLUG --section=TITLE --fact-file=F --citing=TEXT
                     [--phase=N] [--no-commit]
  loom research show SLUG [--section=TITLE]
""",
    "adr": """  loom adr TITLE [--body-file=F] [--status=accepted] [--no-commit]
""",
    "decision": """  loom decision SLUG TITLE [--body-file=F] [--status=S] [--scope=TEXT]
                           [--no-commit]
  loom decision list SLUG
""",
    "runbook": """  loom runbook scan [FOLDER] [--dict=FILE.toml]
""",
    "pr": """  loom pr discover SLUG --branch=B
  loom pr compose SLUG --branch=B     a body out of what is on record
  loom pr open SLUG --title=T --body-file=F [--branch=B] [--base=B]
               [--draft]
  loom pr update SLUG --pr=N --body-file=F
  loom pr comments SLUG --pr=N
  loom pr respond SLUG --responses-file=F
  loom pr wait SLUG --branch=B [--interval=30] [--timeout=1800] [--quiet]
      without gh or glab, or without a remote, bodies go to PULL-REQUEST.md
""",
    "doctor": """  loom doctor [SLUG]      exit code 1 when something is wrong
""",
    "check": """  loom check [SLUG]       exit code 3 when open work overlaps or a base is stale
""",
    "show": """  loom show [SLUG] [--json] [--offline]
""",
    "timeline": """  loom timeline [SLUG] [--json]
""",
    "compact": """  loom compact [SLUG]     on the branch that others are merged into
""",
    "identity": """  loom identity [SLUG]
""",
}
