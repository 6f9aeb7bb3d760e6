"""How words are compared, and those that readers weigh: other verdicts, labels, ratings, what says "none"."""

from __future__ import annotations

_INVISIBLE = dict.fromkeys((0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
                            *range(0x2060, 0x2065), 0xFEFF, ord("'"), ord("’")))  # fmt: skip
_PAIRS = "аaвbсcԁdеeһhіiјjкkӏlмmнhоoрpԛqѕsтtуyхxοoαaεeκkτtρpυuιiνv"
_TWINS = {ord(seen): meant for seen, meant in zip(_PAIRS[::2], _PAIRS[1::2], strict=True)}


REFUSED = "the judge says that it did not judge"
FAILED = "a failure is told"
NOT_JUDGED = (REFUSED, FAILED)
"""What speaks of the judge and not of the work."""


def folded(text: str) -> str:
    """In small letters, without what cannot be seen, and look-alike letters in a Latin word as Latin ones."""
    small = text.translate(_INVISIBLE).lower()
    if small.isascii():
        return small
    words = small.split(" ")
    return " ".join(
        word.translate(_TWINS) if any("a" <= mark <= "z" for mark in word) else word
        for word in words
    )


def words_of(text: str) -> list[str]:
    """The words of a folded text; every sign sets them apart."""
    if text.isascii():
        return text.translate(_SIGNS).split()
    return "".join(mark if mark.isalnum() else " " for mark in text).split()


_SIGNS = {code: " " for code in range(128) if not chr(code).isalnum()}


def spelled(words: list[str]) -> list[str]:
    """With every ``dont`` as ``do not``, so that a table has one row for both."""
    return " ".join([_SHORT.get(word, word) for word in words]).split()


_VERBS = "do does did is are was were have has had could would should must"
_SHORT = {"cannot": "can not", "cant": "can not", "wont": "will not", "im": "i am"}
_SHORT.update({f"{verb}nt": f"{verb} not" for verb in _VERBS.split()})


def word_set(table: str) -> frozenset[str]:
    """A table of single words."""
    return frozenset(table.split())


def phrases(table: str) -> tuple[str, ...]:
    """Phrases, to be found among words set apart by spaces; a star stands for any ending."""
    return tuple(f" {row} ".replace("* ", "") for row in sign_table(table))


def sign_table(table: str) -> tuple[str, ...]:
    """What is written without spaces, to be found anywhere."""
    return tuple(row.strip() for row in table.replace("\n", "|").split("|") if row.strip())


NO = word_set("""flagged flag flags fail failed fails failing failure reject rejected rejects rejecting block
    blocked blocker deny denied decline declined disapproved disapprove unapproved refuse refused
    nack veto vetoed no not never hold stop recused operator unsafe insecure broken nope nay
    incomplete undecided unknown unclear pending tbd revert unacceptable negative nogo dismissed
    blocking false insufficient abgelehnt ablehnung rejeté refusé rechazado rejeitado reprovado
    respinto rifiutato отклонено отказ 拒绝 不通过 驳回 却下 거부 반려 odrzucone afgekeurd""")
DECISIONS = word_set("""verdict decision outcome conclusion status result recommendation assessment judgement judgment
    determination ruling disposition final answer vote correction approval approved approve overall
    review rating update edit revised gate action urteil entscheidung ergebnis décision conclusión
    decisión veredicto decisão parecer esito вердикт решение итог 结论 判定 结果 結論 판정 결론""")
AFFIRMATIONS = word_set("""
    approved approve approval safe ready mergeable merge ship shippable accept accepted acceptable
    pass passed passes passing lgtm valid correct compliant secure success ok""")
GRAVE = word_set("""critical criticals blocking blocker blockers severe serious showstopper showstoppers fatal
    urgent catastrophic disastrous p0 p1 sev0 sev1 s0 s1 emergency vulnerability vulnerabilities
    high highest major kritisch kritische critique critiques bloquant bloquants crítico críticos
    crítica críticas bloqueante bloqueantes critico critici bloccante bloccanti grave graves
    schwerwiegend критический критические критично критическая blockierend""")
GRAVE_MARKS = GRAVE - {"serious", "vulnerabilities"}
GRAVE_PHRASES = phrases("""
    must fix|must be fixed|must change|to be fixed|fix before|before merge|before merging
    before approval|required before|required changes|required fixes|mandatory|rejecting|rejected
    rejection|reject this|not approved|not approving|do not merge|security issues|security issue
    security problems|security findings|security holes|condition|conditions|why not|flagged|failures
    dealbreakers|deal breakers|red flags|sev 0|sev 1|needs fixing|needs work|not acceptable
    changes requested|requested changes|open problems|what is broken|stop ship|muss behoben
    vor dem merge|à corriger|por corregir|a corrigir
""")
GRAVE_HAN = sign_table("严重|嚴重|重大|致命|阻塞|必须修|漏洞|ブロッカー|심각|치명")
HARMLESS = word_set("""none no na nil null low lowest minor medium moderate info informational information trivial nit
    nits nitpick negligible advisory cosmetic optional style stylistic note notes zero 0 minimal
    suggestion suggestions n keine aucune ninguna niedrig gering bas basse baja baixa bassa faible
    leve нет низкая 低 无 無 なし nonblocking non p2 p3 p4 p5 s3 s4 sev3 sev4 sev5 very unchanged not
    significant praise""")
RATINGS = word_set("""severity severities schweregrad gravité severidad severidade gravità""")
SCORES = word_set("""score rating grade quality mark marks points stars satisfaction overall note bewertung
    puntuación nota""")
FAULTS = word_set("""failed failures failure failing errors error against rejections blockers blocking critical
    vulnerabilities fehlgeschlagen échoués""")
NONE = word_set("""none no nothing nil zero 0 na n keine kein keiner aucun aucune ninguno ninguna ningún нет nenhum
    nenhuma nessuno nessuna brak geen yok inga""")
CLEAR = phrases("""
    no changes|no issues|no blocking|no blockers|no problems|no further|no concerns|no findings
    not applicable|no critical|no objections|no action|no high""")
UNDONE = phrases("changes requested|request changes|needs work|changes required|needs changes")
MILD_PHRASES = phrases("non blocking|not blocking|nonblocking|critical path*|critical section*")
