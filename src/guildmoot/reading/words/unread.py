"""Whether a judge says that it did not read the work, or not all of it, or took it on trust.

The patterns are searched in words set apart by one space each, in small letters, with "did not" for "didn't".
"""

from __future__ import annotations

from guildmoot.text.patterns import lazy

_WHICH = r"(?:(?:the|its|their|all|of|most|other|remaining|a|an|whole|full|first|second|last|changed) ){0,4}"
_PARTS = r"(?:rest|whole|top|half|parts?|beginning|start|head|remainder|others|everything|all)"
_WORK = rf"(?:{_PARTS}|files?|diff|patch|packet|code|change|changes|tests?|attachments?)"
_OPENED = r"(?:opened|open|read|loaded|load|see|saw|seen|viewed|view|inspect(?:ed)?|(?:look(?:ed)?|glanced?) at)"
_HARDLY = r"(?:only|just|merely|partly|partially|barely|hardly|mostly)"
_TRUSTED = r"(?:assume|assumed|assuming|trust|trusted|trusting)"
_I_DID = r"(?:i|we) (?:(?:did|could|have|had|was|do|can|able|to) ){0,3}"
_NOT_QUITE = rf"(?:not|never|{_HARDLY}) (?:(?:even|really|actually|fully|get|to|be|able|have|had|time) ){{0,3}}"
_FORMS = (
    rf"{_I_DID}{_NOT_QUITE}{_OPENED} {_WHICH}{_WORK}",
    rf"(?:did|could|was|were) not (?:get to )?(?:open|read|see|look at) {_WHICH}{_PARTS}",
    rf"{_HARDLY} {_OPENED} {_WHICH}{_PARTS}",
    r"not (?:fully )?load (?:at all|fully|completely|here|for me)",
    rf"(?:skim|skimmed|skimming) (?:over |through )?{_WHICH}{_WORK}",
    rf"(?:skipped|glanced at) {_WHICH}{_PARTS}",
    r"(?:files?|diff|patch|packet|rest|half|attachments?) (?:did|would) not (?:load|open)",
    r"ran out of (?:budget|time|tokens|turns|steps|room)",
    r"(?:taken?|took|taking|accepted?|rest|others) on (?:trust|faith)",
    rf"{_TRUSTED} (?:that )?{_WHICH}(?:(?:other|remaining|unread|unseen) \w+|rest|others|remainder)",
    r"assuming (?:\w+ ){1,6}(?:match|matches)",
    r"(?:reviewers?|judges?) to be (?:lenient|kind|generous|brief)",
    r"konnten? (?:\w+ ){0,6}nicht (?:\w+ ){0,2}(?:öffnen|lesen|laden|sehen|ansehen|einsehen)",
    r"(?:nicht|nie) (?:geöffnet|angesehen|angeschaut)|nur überflogen|rest überflogen",
    r"pas (?:pu )?(?:ouvrir|lire|charger|consulter|ouvert) (?:\w+ ){0,3}(?:fichiers?|reste|code|tout|diff)",
    r"(?:survolé|parcouru) le reste",
    r"no (?:pude|he podido|pudimos|logré) (?:abrir|leer|cargar|ver|revisar)|no abrí|solo vi|leí por encima",
)
_SAYS_UNREAD = lazy(f" (?:{'|'.join(_FORMS)}) ")


def says_unread(said: str) -> bool:
    """Whether the words, with a space at either end, tell of work that was not read."""
    return _SAYS_UNREAD.search(said) is not None
