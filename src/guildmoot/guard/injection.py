"""Finds text that speaks to a model as if it could give it orders: one rule for ingest, recall and handoff.

Pure: a text in, findings with their places out. What a caller makes of them (pause, quarantine, flag) is for the
caller. Patterns alone, so a clever author gets past it; what is wrapped, escaped and marked as data protects
where this does not. Words of software documentation that merely look alike ("override the default rules", "act
as a proxy") are no findings; how often it errs is measured in ``tests/guard/test_injection.py``.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.text.clean import UNSEEN
from guildmoot.text.patterns import lazy


class Injection(NamedTuple):
    """A stretch of text that tries to give orders."""

    start: int
    end: int
    """Places in the text as it was given."""
    kind: str
    """``override``, ``role``, ``reveal``, ``conceal``, ``addressed``, ``markup``, ``hidden`` or ``exfiltrate``."""
    text: str
    """What stands there, at most 200 characters."""


class _Rule(NamedTuple):
    kind: str
    needles: tuple[str, ...]
    """One of these stands in the lower-case text wherever the pattern can match."""
    pattern: re.Pattern[str]


_MOST = 50
"""Findings of one text: more say nothing new."""
_SHOWN = 200
_GAP = r"[\W_]{1,8}"
_FEW = r"(?:[\w'’]{1,24}[\W_]{1,8}){0,4}?"
_ONE = r"(?:[\w'’]{1,24}[\W_]{1,8}){0,1}?"
_TWO = r"(?:[\w'’]{1,24}[\W_]{1,8}){0,2}?"


def _rule(kind: str, needles: str, *parts: str) -> _Rule:
    """A tilde in a part stands for what may lie between two words."""
    pattern = "".join(parts).replace("~", _GAP)
    return _Rule(kind, tuple(needles.split(",")), lazy(pattern))


_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|former|original|initial|existing)"
_YOURS = r"(?:your|system|developer|safety|hidden|the~system|the~developer)"
_ORDERS = (
    r"(?:instructions?|prompts?|directives?|directions|guidelines|commands|orders|rules|messages|"
    r"constraints|restrictions|programming|safeguards|training)(?![^\W_])"
)
_DROP = r"\b(?:ignore|ignoring|disregard|forget|bypass|neglect|overlook|discard|do~not~follow|don'?t~follow|stop~following)~"
_MODEL = (
    r"(?:(?:large~)?language~model|llms?|ai(?:~(?:assistant|agent|model|system|reviewer|bot|tool))?s?|chatbot|"
    r"coding~(?:assistant|agent)|(?:virtual~)?assistant|chatgpt|gpt|claude|gemini|copilot|codex|cursor)s?\b"
)

_RULES = (
    _rule(
        "override", "ignor,disregard,forget,bypass,neglect,overlook,discard,follow",
        _DROP, _FEW, rf"(?:{_EARLIER}|{_YOURS})~", _TWO, _ORDERS,
    ),
    _rule(
        "override", "overrid",
        r"\boverrid(?:e|ing)~", _FEW, rf"(?:{_YOURS}~", _TWO, _ORDERS, rf"|{_EARLIER}~(?:instructions?|prompts?|directives?|guidelines)\b)",
    ),
    _rule(
        "override", "ignor,disregard,forget,neglect,discard,follow",
        _DROP, r"(?:(?:all|any|every|these|those|the|of)~){1,4}(?:instructions?|directives|prompts?)"
        r"(?:~(?:you|above|before|given|that~(?:you|came)|in~(?:your|the~system)|and~(?:instead|do|reply|respond|output))|\s*[.!])",
    ),
    _rule(
        "override", "forget,ignor,disregard,discard",
        r"\b(?:forget|ignore|disregard|discard)~(?:about~)?(?:everything|anything|all|whatever|what)~", _TWO,
        r"(?:(?:you~(?:were|have~been|know|learned|are))~?(?:told|taught|instructed|said|given|trained)?|"
        r"(?:written|said|stated|that~came)~(?:above|before|so~far|previously|until~now)|(?:above|before)~(?:this|and))\b",
    ),
    _rule(
        "override", "your new,your real,your actual,your true,your only,your updated,your next",
        r"\byour~(?:new|real|actual|true|only|updated|next)~(?:instructions?|directives?|orders|role|mission|system~prompt|objective)"
        r"(?:~is~(?:to|now|that)\b|~are\b|\s*:)",
    ),
    _rule(
        "override", "instructions",
        r"(?m:^)[\W_]{0,8}(?:new|updated|revised|real|hidden|secret|special|additional|priority)~(?:system~|admin~)?"
        r"(?:instructions?|directives?|orders)(?:~(?:for|to)~(?:the~|you\b|any~|all~)?", r"(?:", _MODEL, r")?)?[*_ ]{0,3}:",
    ),
    _rule(
        "override", "takes precedence,supersede,overrid,replace",
        r"\b(?:this|these|the~following|what~follows)~", _TWO,
        r"(?:takes?~precedence~over|supersedes?|overrides?|replaces?)~(?:all~|any~)?(?:of~)?(?:your|(?:the~)?system|"
        r"(?:all~)?(?:previous|prior|earlier|other)~(?:instructions|prompts|directives))\b",
    ),
    _rule(
        "role", "you are,you're",
        r"\byou(?:~are|'?re)~(?:now|no~longer|hereby)~", _FEW,
        r"(?:" + _MODEL + r"|dan\b|jailbroken|unrestricted|uncensored|unfiltered|free~(?:from|of)~(?:all|any|your)|"
        r"bound~by|in~(?:developer|debug|god|admin|root|maintenance|jailbreak|dan)~mode|hacker|pirate|"
        r"evil|persona|root~user|administrator~with)",
    ),
    _rule(
        "role", "act as,behave as,roleplay,role-play,pretend,simulate",
        r"(?:(?m:^)[\W_]{0,8}|[.!?;:]\s+|\b(?:please|now|must|should|will|then)~)(?:act|behave|respond|answer)~as~"
        r"(?:if~you~(?:are|were|have|had)\b|(?:an?|the|my)~", _FEW,
        r"(?:" + _MODEL + r"|unrestricted|uncensored|unfiltered|evil|hacker|jailbroken|system~administrator|root~user)\b)",
    ),
    _rule(
        "role", "pretend,roleplay,role-play",
        r"\b(?:pretend|role-?play)~(?:that~|as~if~)?(?:you~(?:are|have~no|were|can~do)|to~be~(?:an?~)?", _ONE,
        r"(?:" + _MODEL + r"|unrestricted|uncensored|evil|hacker|admin))",
    ),
    _rule(
        "role", "jailbreak,do anything now,dan mode,developer mode,god mode",
        r"\b(?:(?:enable|enter|activate|switch~(?:in)?to|turn~on)~", _ONE,
        r"(?:jailbreak|dan|god)~mode|do~anything~now|dan~mode|(?:jailbreak|developer|god)~mode~(?:is~)?(?:enabled|activated|on)\b|"
        r"jailbreak~(?:prompt|yourself))",
    ),
    _rule(
        "reveal", "prompt,instruct,message",
        r"\b(?:reveal|print|repeat|output|show|leak|disclose|dump|display|recite|tell~me|give~me|what~(?:is|are|was|were))~", _TWO,
        r"(?:your|the~(?:above|hidden|secret|initial|original))~(?:full~|entire~|complete~|exact~|initial~|original~|hidden~|secret~){0,2}"
        r"(?:system~(?:prompt|message|instructions)|instructions|initial~prompt|prompt~(?:above|verbatim)|developer~message|prompt\b)",
    ),
    _rule(
        "conceal", "user,human,operator,reviewer,anyone,developer",
        r"\b(?:do~not|don'?t|never|without)~(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|alert(?:ing)?|notify(?:ing)?|"
        r"reveal(?:ing)?|disclos(?:e|ing)|let(?:ting)?)~(?:(?:this|it|that|any~of~this|anything)~)?(?:to~)?(?:the~|any~)?"
        r"(?:users?|humans?|operators?|reviewers?|anyone|developers?|maintainers?)\b~?"
        r"(?:about~(?:this|these|it)|(?:that~)?(?:you|this|these)|of~this|know|see|\W*[.!]|(?m:$))",
    ),
    _rule(
        "addressed", "if you are,if you're,as an ai,as a language,when you",
        r"\bif~you(?:~are|'?re)~(?:an?~|the~)?", _ONE, _MODEL, r"[^.\n]{0,120}",
    ),
    _rule(
        "addressed", "assistant,agent,llm,model,claude,gpt,copilot,gemini,codex,cursor, ai,ai ",
        r"(?:\b(?:note|message|instructions?|attention|reminder|important|warning|notice)[\W_]{1,8}(?:for|to)?[\W_]{0,8}(?:all~|any~|the~)?"
        + _MODEL + r"[\W_]{1,8}(?:agents?|models?|assistants?)?(?:~?reading~this)?[\W_]{0,8}(?::|(?:you~)?(?:must|should|need|please|do~not|always|never)\b)|"
        r"\b" + _MODEL + r"~(?:agents?~|models?~)?(?:reading|processing|reviewing|summari[sz]ing|parsing|that~reads?|who~reads?)~"
        r"(?:this|the~(?:page|file|document|text|code))\b[^.\n]{0,40}?\b(?:must|should|shall|are~to|need~to|please)\b)",
    ),
    _rule(
        "markup", "<|,[inst],[/inst],<<sys>>,<start_of_turn>,begin system,end system",
        r"<\|(?:im_(?:start|end)|system|user|assistant|end(?:of(?:text|prompt)|_of_turn)?|start_header_id)\|>|"
        r"(?m:^)\s{0,8}\[/?inst\](?:\s|(?m:$))|<<sys>>|<start_of_turn>|[-=\[#<]{2,8}\s?(?:begin|end)~system~(?:prompt|message|instructions)",
    ),
    _rule("markup", "```system,~~~system", r"(?m:^)\s{0,3}(?:```|[\x7e]{3})\s{0,3}system(?:[_ -]?prompt)?\s{0,4}(?m:$)"),
    _rule(
        "markup", "<system,</system,</guild:,<guild:,</recall,</untrusted",
        r"</?(?:guild:recall|recall-[0-9a-f]{4,32}|system[-_](?:prompt|reminder|message|instructions?))\b[^>\n]{0,200}>|"
        r"(?m:^)\s{0,3}</?system>\s{0,8}(?m:$)",
    ),
    _rule(
        "markup", "human:,user:",
        r"(?m:^)\s{0,3}\**(?:human|user):\**[^\n]{0,400}\n(?:[^\n]{0,400}\n){0,6}?\s{0,3}\**(?:assistant|ai):",
    ),
    _rule(
        "hidden", "<!--",
        r"<!--[^>]{0,400}?\b(?:(?:ignore|override|disregard|forget)[^\w>]{1,8}(?:\w{1,24}[^\w>]{1,8}){0,4}?", _ORDERS,
        r"|system[^\w>]{1,4}(?:prompt|override|message)\b|", _MODEL,
        r"[^\w>]{1,4}(?:must|should|please|do~not|always|:))",
    ),
    _rule(
        "exfiltrate", "send,post,upload,exfiltrate,forward,email,transmit,leak,append",
        r"\b(?:send|post|upload|exfiltrate|forward|e-?mail|transmit|leak)~(?:(?:all|any|the|your|every|their|its|of|user'?s?)~){1,4}", _ONE,
        r"(?:secrets?|credentials?|api[ _-]?keys?|passwords?|environment~variables|env~vars|\.?env~file|private~keys?|ssh~keys?|"
        r"conversation(?:~history)?|chat~history|access~tokens?|system~prompt)\b[^.\n]{0,60}?\b(?:to|at|via)~(?:https?\b|the~following|this~"
        r"(?:address|url|endpoint|server)|[\w.+-]{1,60}@|[\w-]{1,60}\.(?:com|net|io|org|ru|cn|xyz|dev)\b)",
    ),
    # Other languages: dropping earlier instructions, then new roles.
    _rule(
        "override", "ignorier,missacht,vergiss,vergesst,vergessen,überschreib,befolge",
        r"\b(?:ignorier\w{0,4}|missacht\w{0,4}|vergiss|vergesst|vergessen~sie|überschreib\w{0,4}|befolge~(?:nicht|keine))~", _FEW,
        r"(?:(?:vorherig|bisherig|vorig|obig|vorangegangen|früher|ursprünglich|vorstehend)\w{0,4}|dein\w{0,2}|ihr\w{0,2}|alle|system)[\W_]{0,3}", _TWO,
        r"(?:anweisung|instruktion|befehl|vorgabe|regel|prompt|richtlinie|systemprompt)\w{0,3}\b",
    ),
    _rule(
        "role", "du bist,sie sind,tu so,verhalte",
        r"\b(?:du~bist~(?:jetzt|nun|ab~sofort)|sie~sind~(?:jetzt|nun|ab~sofort)|tu~so~als~(?:ob~|wärst~)du|verhalte~dich~(?:jetzt~)?(?:wie|als)~ein)\b[^.\n]{0,60}?"
        r"\b(?:ki|assistent\w{0,2}|modell|bot|hacker|uneingeschränkt\w{0,2}|modus|pirat|agent|administrator|dan)\b",
    ),
    _rule(
        "override", "ignor,oubli,tiens pas compte,négli,outrepass",
        r"\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|ne~tiens~pas~compte~de|ne~tenez~pas~compte~de|néglig(?:e|ez|er)|outrepass(?:e|ez|er))~", _FEW,
        r"(?:instructions?|consignes?|directives?|règles|ordres|prompts?|messages?)~", _ONE,
        r"(?:précédent\w{0,2}|antérieur\w{0,2}|ci-dessus|initial\w{0,2}|(?:du~)?système|d'origine|reçues|qui~précèdent)",
    ),
    _rule(
        "override", "ignor,olvid,descart,desatiend,esquec,esqueç,desconsider",
        r"\b(?:ignor(?:a|e|en|ar|ad|em)|olvid(?:a|e|en|ar|ad)|descart(?:a|e|ar)|desatiend[ae]|esque(?:ça|ce|cer|çam)|desconsider(?:e|a|ar|em))~", _FEW,
        r"(?:instruccion(?:es)?|instrucción|indicaciones|órdenes|reglas|directrices|instruç(?:ões|ão)|ordens|regras|diretrizes|comandos|prompts?)~", _ONE,
        r"(?:anterior\w{0,2}|previ[ao]s|de~arriba|originales|iniciales|precedentes|acima|prévi[ao]s|originais|iniciais|del~sistema|do~sistema)",
    ),
    _rule(
        "override", "ignor,dimentic,trascur,disobbed",
        r"\b(?:ignor(?:a|i|ate|are)|dimentic(?:a|hi|ate|are)|trascur(?:a|i|ate))~", _FEW,
        r"(?:istruzion[ei]|direttive|ordini|regole|indicazioni|prompt|comandi)~", _ONE,
        r"(?:precedent[ei]|sopra|iniziali|originali|di~sistema|del~sistema|anteriori|ricevute)",
    ),
    _rule(
        "override", "negeer,vergeet,ignorera,glöm,bortse,ignorer,glem,se bort",
        r"\b(?:negeer|vergeet|ignorera|glöm|bortse~från|ignorer|glem|se~bort~fra)~", _FEW,
        r"(?:vorige|eerdere|bovenstaande|voorgaande|tidigare|föregående|ovanstående|tidligere|forrige|dine?|je|systeem\w{0,8}|system\w{0,8})~", _ONE,
        r"(?:instructies?|opdrachten|regels|prompts?|instruktion\w{0,4}|anvisningar|instruks\w{0,4}|regler)\b",
    ),
    _rule(
        "override", "игнорир,забуд,пренебре,отбрось,не следуй,ігнор,забуд",
        r"\b(?:про)?(?:игнорируй\w{0,2}|игнорировать|забудь\w{0,2}|пренебреги\w{0,2}|отбрось\w{0,2}|не~следуй\w{0,2}|ігноруй\w{0,2})~", _FEW,
        r"(?:инструкци\w{1,3}|указани\w{1,3}|команд\w{0,3}|правил\w{0,3}|промпт\w{0,3}|подсказк\w{1,3}|інструкці\w{1,3}|вказівк\w{1,3})\b",
    ),
    _rule(
        "role", "теперь,отныне",
        r"\b(?:ты~теперь|теперь~ты|вы~теперь|отныне~ты)\b[^.\n]{0,60}?\b(?:ассистент\w{0,2}|модел\w{1,2}|бот|хакер|ии|режим\w{0,2}|агент|без~ограничений)\b",
    ),
    _rule(
        "override", "zignoruj,ignoruj,zapomnij,pomiń,ignorujte,zapomeň",
        r"\b(?:z?ignoruj\w{0,3}|zapomnij\w{0,3}|pomiń\w{0,3}|zapomeň\w{0,2})~", _FEW,
        r"(?:poprzedni\w{0,3}|wcześniejsz\w{1,3}|powyższ\w{1,3}|swoj\w{1,3}|systemow\w{1,3}|předchozí\w{0,2}|wszystki\w{0,3})~", _ONE,
        r"(?:instrukcj\w{1,3}|polece\w{1,4}|poleceń|wskazów\w{1,3}|zasad\w{0,2}|pokyn\w{0,2}|instrukc\w{1,3})\b",
    ),
    _rule(
        "override", "talimat,yönerge,komut",
        r"\b(?:önceki|yukarıdaki|bütün|tüm)~", _TWO, r"(?:talimat|yönerge|komut|kural)\w{0,8}~", _TWO,
        r"(?:yok~say\w{0,4}|görmezden~gel\w{0,4}|unut\w{0,4}|göz~ardı~et\w{0,4}|dikkate~alma\w{0,3})\b",
    ),
    _rule(
        "override", "abaikan,lupakan,bỏ qua,quên,phớt lờ",
        r"\b(?:abaikan|lupakan|bỏ~qua|quên|phớt~lờ)~", _FEW,
        r"(?:instruksi|perintah|petunjuk|aturan|hướng~dẫn|chỉ~thị|chỉ~dẫn|lệnh|quy~tắc)~", _TWO,
        r"(?:sebelumnya|di~atas|sistem|trước|phía~trên|ở~trên|bên~trên|hệ~thống)",
    ),
    _rule(
        "override", "忽略,无视,無視,忘记,忘記,忘掉,不要理会,不要遵,放弃",
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|不要遵循)[^。！!\n]{0,12}?(?:之前|以上|先前|上面|前面|此前|上述|所有|系统|系統|你的|原有|原来)"
        r"[^。！!\n]{0,10}?(?:指令|指示|提示|规则|規則|命令|要求|设定|設定|说明|內容)",
    ),
    _rule(
        "role", "你现在,你現在,从现在,從現在,扮演,假装,假裝",
        r"(?:(?:你现在|你現在|从现在(?:开始|起)你?|從現在(?:開始|起)你?)(?:是|就是|成为|扮演)|请?(?:你?扮演|假装你?是|假裝你?是))[^。\n]{0,16}?"
        r"(?:助手|模型|黑客|駭客|机器人|機器人|没有限制|不受限制|管理员|模式|dan|ai)",
    ),
    _rule(
        "override", "無視,忘れ,従わない,従うな",
        r"(?:これまで|以前|前|上記|以上|先ほど|今まで|あなた|すべて|全て|システム)[^。\n]{0,10}?(?:指示|命令|ルール|プロンプト|規則|設定|指令)[^。\n]{0,8}?"
        r"(?:無視|忘れ|従わない|従うな|破棄)",
    ),
    _rule(
        "override", "무시,잊어,잊으,따르지",
        r"(?:이전|위의?|앞의?|지금까지의?|기존|모든|시스템)[^.\n]{0,10}?(?:지시|명령|지침|프롬프트|규칙|설정)[^.\n]{0,8}?(?:무시|잊어|잊으|따르지)",
    ),
    _rule(
        "override", "تجاهل,انس,تجاوز,إهمال",
        r"(?:تجاهل|انسَ?|تجاوز)\w{0,3}~", _FEW, r"(?:ال)?(?:تعليمات|أوامر|توجيهات|إرشادات|قواعد|التعليمات|الأوامر)\b",
    ),
    _rule(
        "override", "अनदेखा,नज़रअंदाज़,नजरअंदाज,भूल,अनदेखी",
        r"(?:पिछले|पिछली|पहले|ऊपर|उपरोक्त|सभी|सिस्टम)[^।\n]{0,16}?(?:निर्देश|आदेश|नियम|प्रॉम्प्ट)[^।\n]{0,16}?(?:अनदेख|नज़रअंदाज|नजरअंदाज|भूल)",
    ),
    _rule(
        "override", "התעל,תתעל,שכח",
        r"(?:ה?תתעל[םמ]\w{0,2}|התעל[םמ]\w{0,2}|שכח\w{0,2})~", _FEW, r"ה?(?:הוראות|הנחיות|פקודות|כללים)",
    ),
)  # fmt: skip

_TAG_TEXT = lazy("[\U000e0020-\U000e007e]{4,}")
"""Letters that no screen shows and that models read."""
_ODD = lazy(f"[{UNSEEN}]|[\uff01-\uff5e\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9]")
_MIXED = lazy(r"(?<![^\W\d_])[^\W\d_]{0,40}?(?:[a-z][\u0370-\u04ff]|[\u0370-\u04ff][a-z])[^\W\d_]*")
_LOOKALIKES = str.maketrans("аеорсухіѕјԁһӏοαενιтмкв", "aeopcyxisjdhloaevitmkb")


def find_injections(text: str) -> tuple[Injection, ...]:
    """The stretches of the text that try to give orders, in order; at most fifty."""
    folded, cuts = _folded(text)
    found = [
        Injection(hit.start(), hit.end(), "hidden", "(invisible text)")
        for hit in _TAG_TEXT.finditer(text)
    ]
    for kind, start, end in _hits(folded):
        first, last = _original(start, cuts), _original(end - 1, cuts) + 1
        found.append(Injection(first, last, kind, " ".join(text[first:last].split())[:_SHOWN]))
    return _outermost(found)[:_MOST]


def _hits(folded: str) -> Iterator[tuple[str, int, int]]:
    for rule in _RULES:
        if any(needle in folded for needle in rule.needles):
            for number, hit in enumerate(rule.pattern.finditer(folded)):
                if number >= _MOST:
                    break
                yield rule.kind, hit.start(), hit.end()


def _outermost(found: list[Injection]) -> tuple[Injection, ...]:
    """Without those that begin inside another."""
    kept: list[Injection] = []
    for each in sorted(found, key=lambda each: (each.start, -each.end, each.kind)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return tuple(kept)


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as it is read: lower case, without disguises; and where its stretches begin in the original."""
    if text.isascii():
        return text.lower(), []
    pieces, cuts, seen, length = [], [(0, 0)], 0, 0
    for odd in _ODD.finditer(text):
        plain = unicodedata.normalize("NFKC", odd[0]) if odd[0].isprintable() else ""
        before = text[seen : odd.start()]
        pieces += [before, plain]
        length += len(before) + len(plain)
        seen = odd.end()
        cuts += [(length - len(plain), odd.start())] * bool(plain) + [(length, seen)]
    pieces.append(text[seen:])
    low = "".join(pieces).replace("\u0130", "i").lower()
    return _MIXED.sub(lambda word: word[0].translate(_LOOKALIKES), low), cuts


def _original(place: int, cuts: list[tuple[int, int]]) -> int:
    if not cuts:
        return place
    folded, original = cuts[bisect_right(cuts, (place, 1 << 62)) - 1]
    return original + place - folded
