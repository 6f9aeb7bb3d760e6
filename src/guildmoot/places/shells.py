"""Completion for shells, and the manual page: both written from the table of verbs."""

from __future__ import annotations

from collections.abc import Mapping

from guildmoot.version import __version__

SHELLS = ("bash", "zsh", "fish")
_ASK = "{program} $verb --help 2>/dev/null | grep -oE '(^|[ ,(])--[a-z][a-z-]*' | tr -d ' ,(' | sort -u"
_BASH = """# bash: eval "$({program} completion bash)", or put it into ~/.bashrc
_{program}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} verb=${{COMP_WORDS[1]}}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{verbs}" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$({ask})" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _{program} {program}
"""
_ZSH = """#compdef {program}
# zsh: {program} completion zsh > "${{fpath[1]}}/_{program}"
_{program}() {{
  local verb=${{words[2]}}
  if (( CURRENT == 2 )); then
    local -a verbs=({described})
    _describe verb verbs
  elif [[ $words[CURRENT] == -* ]]; then
    compadd -- ${{(f)"$({ask})"}}
  else
    _files
  fi
}}
if [ "$funcstack[1]" = _{program} ]; then _{program} "$@"; else compdef _{program} {program}; fi
"""
_FISH = """# fish: {program} completion fish > ~/.config/fish/completions/{program}.fish
function __{program}_options
  set -l verb (commandline -opc)[2]
  {ask}
end
complete -c {program} -n 'not __fish_use_subcommand' -a '(__{program}_options)'
"""


def completion(shell: str, verbs: Mapping[str, str], program: str = "guild") -> str:
    """The script that teaches ``shell`` the verbs; their options are asked of the verbs themselves."""
    ask = _ASK.format(program=program)
    if shell == "bash":
        return _BASH.format(program=program, verbs=" ".join(verbs), ask=ask)
    if shell == "zsh":
        rows = " ".join(_quoted(f"{verb}:{about}") for verb, about in verbs.items())
        return _ZSH.format(program=program, described=rows, ask=ask)
    rows = "".join(
        f"complete -c {program} -n __fish_use_subcommand -f -a {verb} -d {_quoted(about)}\n"
        for verb, about in verbs.items()
    )
    return _FISH.format(program=program, ask=ask) + rows


def manual(about: str, groups: Mapping[str, Mapping[str, str]], examples: str) -> str:
    """``guild.1``, in the language of man pages."""
    rows = [
        f'.TH GUILD 1 "" "guildmoot {__version__}" "User Commands"',
        ".SH NAME", f"guild \\- {_roff(about[0].lower() + about[1:].rstrip('.'))}",
        ".SH SYNOPSIS", ".B guild", "VERB [arguments]",
        ".SH DESCRIPTION",
        "Every verb explains itself: 'guild VERB \\-\\-help'.",
    ]  # fmt: skip
    for title, verbs in groups.items():
        rows.append(f'.SS "{_roff(title)}"')
        for verb, told in verbs.items():
            rows += [".TP", f".B {_roff(verb)}", _roff(told)]
    codes = (
        "0 approved; 1 advisories with \\-\\-fail\\-on warn; 2 flagged; 3 conflict or undecided;"
        " 4 infrastructure; 64 usage; 130 stopped"
    )
    rows += [".SH EXIT STATUS", f"Of judging verbs: {codes}.", ".SH EXAMPLES", ".nf"]
    rows += [_roff(line) for line in examples.splitlines()]
    return "\n".join([*rows, ".fi", ""])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _roff(text: str) -> str:
    """Text that starts no request and whose hyphens can be copied."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{safe}" if safe[:1] in (".", "'") else safe
