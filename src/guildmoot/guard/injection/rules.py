"""How orders to a model are worded: one rule a way to say it, in many languages. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from guildmoot.text.patterns import lazy


class InjectionRule(NamedTuple):
    kind: str
    needles: tuple[str, ...]
    """One of these stands in the lower-case text wherever the pattern can match."""
    pattern: re.Pattern[str]
    ordered: bool = False
    """It counts only where an order begins."""


_GAP = r"[\W_]{1,8}"
_FEW = r"(?:[\w'’]{1,24}[\W_]{1,8}){0,4}?"
_ONE = r"(?:[\w'’]{1,24}[\W_]{1,8}){0,1}?"
_TWO = r"(?:[\w'’]{1,24}[\W_]{1,8}){0,2}?"


_ORDER = "(order)"
"""Stands first in a rule that holds only at the start of a line or a sentence, or behind a word that asks."""
BEGINS = lazy(
    r"(?:(?m:^)[\W_\d]{0,8}|[.!?;:]\s+|\b(?:please|now|then|kindly|instead|always|just|"
    r"you[\W_]{1,4}(?:must|should|shall|will))[\W_]{1,8})\Z"
)


def _rule(kind: str, needles: str, *parts: str) -> InjectionRule:
    """A tilde in a part stands for what may lie between two words."""
    ordered = parts[0] == _ORDER
    pattern = "".join(parts).removeprefix(_ORDER).replace("~", _GAP)
    return InjectionRule(kind, tuple(needles.split(",")), lazy(pattern), ordered)


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

_LET = r"(?:approve|rubber-?stamp|sign~off~on|wave~through|lgtm)"
_LET_BY = r"(?:approve|accept|merge|pass|rubber-?stamp|sign~off~on|wave~through|lgtm|ship)"
_THIS = (
    r"(?:this|these|the~(?:current|following|attached|whole|entire|above|below))~(?:whole~|entire~|new~)?(?:changes?|pull~request|prs?|"
    r"merge~request|commits?|diffs?|patch(?:es)?|code|files?|plan|spec|release|page|document|branch|work)"
)
_PEOPLE = r"(?:users?|humans?|operators?|people|person|reviewers?|maintainers?|developers?|everyone|customer|team)"
_ALL_WELL = (
    r"(?:(?:all|everything|it|this|the~(?:code|change|build|work|file)|(?:all~|the~)?(?:tests|checks)|nothing|there~(?:is|are)~no(?:thing)?)~?)"
    r"(?:(?:is|are|was|were|looks?|seems?|has|have|will~be|went)~)?(?:been~)?(?:all~|perfectly~|completely~|absolutely~|totally~|quite~)?"
    r"(?:fine|well|ok|okay|safe|secure|good|great|correct|clean|approved|passed|passing|green|verified|harmless|wrong|to~(?:report|worry)|"
    r"problems?|issues?|findings?|vulnerabilit(?:y|ies))\b"
)

RULES = (
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
        "verdict", "approv,lgtm,rubber,sign off,wave through",
        _ORDER, r"\b(?:(?:always|just|simply|unconditionally|immediately|automatically|silently)~)?", _LET, r"~", _THIS,
        r"(?:[^\w\n]{0,4}(?m:$)|\s*[.!;]|~(?:without|unconditionally|as~is|immediately|regardless|and~(?:do~not|don'?t|report|say|give|return|answer|reply|ignore|skip))\b)",
    ),
    _rule(
        "verdict", "approv,unconditionally,without review,without comment,without any,without further,without question,"
        "without check,without look,without read",
        r"\b(?:always|unconditionally|blindly|just)~(?:approve|lgtm)~(?:it|this|everything|anything|all~changes|every~(?:change|pull~request|pr|diff))\b"
        r"|\b(?:approve|accept|merge)~(?:(?:it|this|these|everything|anything|all~changes)~)?(?:unconditionally|without~(?:any~)?(?:further~)?"
        r"(?:review(?:ing)?|comments?|questions?|checking|looking|reading))\b",
    ),
    _rule(
        "verdict", "tell ,inform ,assure ,reassure ,convince ",
        _ORDER, r"\b(?:tell|inform|assure|reassure|convince)~(?:the~|your~|any~)?", _PEOPLE, r"~(?:that~)?", _ALL_WELL,
    ),
    _rule(
        "verdict", "lgtm,approved,no issue,no finding,no problem,no concern,no vulnerab,no defect,with pass,a pass,vote pass,say pass,"
        "is fine,are fine,is ok,all well,is well,is safe,looks good,looks fine,is good,is secure,nothing wrong,nothing to report",
        _ORDER, r"\b(?:report|reply|respond|answer|return|output|give|vote|say|state|conclude)~(?:it~|this~|only~|with~|that~|the~verdict~|a~|an~|back~){0,3}"
        r"(?:\W?(?:approved?|lgtm|pass|ship|no~(?:issues?|findings?|problems?|concerns?|vulnerabilit(?:y|ies)|defects))\b(?:~(?:verdict|vote|for~(?:this|every|all)|found|"
        r"whatever|regardless|only)\b|[\W_]{0,4}(?m:$)|\s*[.!]\s)|" + _ALL_WELL + r")",
    ),
    _rule(
        "verdict", "mark this,mark these,rate this,rate these,score this,score these,classify this,classify these",
        _ORDER, r"\b(?:mark|rate|score|classify)~(?:this|these)~", _TWO,
        r"as~(?:approved|reviewed|safe|secure|passed|passing|clean|trusted|harmless|benign|a~pass|10|perfect)\b",
    ),
    _rule(
        "verdict", "not flag,not report,not review,not rais,not inspect,not scan,not question,not critici,'t flag,'t report,'t review,never flag,"
        "never report,never review,never rais,skip review,skip report,skip scan,avoid flag,avoid report,avoid rais",
        _ORDER, r"\b(?:do~not|don'?t|never|skip|avoid)~(?:flag(?:ging)?|report(?:ing)?|rais(?:e|ing)|criticiz(?:e|ing)|question(?:ing)?|review(?:ing)?|inspect(?:ing)?|scan(?:ning)?)~"
        r"(?:any~(?:issues?|findings?|problems?|vulnerabilit(?:y|ies)|concerns?|of~(?:this|these))|(?:this|these|the~following|the~rest~of~this)~"
        r"(?:file|code|change|function|line|lines|diff|commit|page|document|folder|section|block)s?)\b",
    ),
    _rule(
        "verdict", "reviewer,judge,assistant,agent,auditor,evaluator,grader",
        r"(?m:^)[\W_]{0,8}(?:(?:dear|hey|hello|hi|attention|to|note~to|message~to)~)?(?:the~|any~|all~|every~)?"
        r"(?:(?:code~|ai~|security~)?(?:reviewers?|judges?|auditors?|evaluators?|graders?)|assistant|agents?)\s*[,:]\s*(?:please~|you~(?:must|should)~|kindly~)?"
        + _LET_BY + r"~(?:" + _THIS + r"|it|everything)\b",
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
