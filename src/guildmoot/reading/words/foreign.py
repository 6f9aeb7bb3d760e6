"""What speaks against an approval in languages other than English."""

from __future__ import annotations

from guildmoot.reading.words.lexicon import phrases, sign_table

FOREIGN_RETRACTIONS = phrases("""
    nicht merge*|nicht gemergt*|nicht freige*|nicht zusammen*|nicht übernehm*|nicht genehmig*|darf nicht*
    darf so nicht*|dürfen nicht*|so nicht|lehne|ablehn*|abgelehnt*|zurückgewiesen*|zurückweis*|doch nicht*
    nehme das zurück*|nehme zurück*|ziehe|muss behoben*|muss korrigiert*|muss erst*|müssen behoben*
    müssen erst*|zuerst behoben*|behoben werden*|sobald|erst wenn|erst nach*|vorausgesetzt
    unter der bedingung*|nicht prüfen*|nicht bewerten*|nicht beurteilen*|keine freigabe*|nicht bereit*
    nicht einverstanden*|kann ich nicht*|widerruf*|korrektur*|ne merge*|ne fusionn*|ne doit pas*
    no se puede fusionar*|no se puede aprobar*|não pode ir*|pas fusionner*|pas approuv*|pas valid*
    je refuse*|est refus*|refusé*|rejet*|je retire*|doit être corrig*|doivent être corrig*|sous réserve*
    à condition*|n approuve pas*|ne peux pas*|ne peut pas être*|pas prêt*|à corriger avant*
    avant de fusionner*|en fait non*|au contraire*|je me rétracte*|je me suis tromp*|no fusionar*|no se debe*
    no debe*|no apruebo*|no aprob*|rechaz*|retracto*|me equivoqué*|siempre que|hay que corregir*
    debe corregirse*|deben corregirse*|antes de fusionar*|a condición*|no lo voy*|no está list*|no puedo
    не одобр*|нельзя|не слива*|не принима*|не мерж*|не вливат*|отклон*|передумал*|отзыва*|отмен*
    при условии*|исправить до*|сначала исправ*|не готов*|не могу*|надо исправ*|нужно исправ*
    необходимо исправ*|não deve*|não aprov*|não pode ser*|não mescl*|não fazer merge*|rejeit*|recus*|retiro
    desde que|deve ser corrig*|precisa ser corrig*|precisam ser corrig*|antes de mescl*|não está pronto*
    não posso*|me enganei*|non approv*|non va|non deve*|non può*|non unire*|non fare il merge*|respint*
    rifiut*|anzi no*|ritiro|a condizione*|deve essere corrett*|da correggere prima*|mi correggo*|non posso*
    ripensandoci*|niet mergen*|niet goedgekeurd*|niet goedkeuren*|afgekeurd*|afgewezen*|afkeuren*
    moet eerst*|trek terug*|trek mijn*|op voorwaarde*|mits|toch niet*|odrzuc*|nie zatwierdz*|nie scal*
    nie można*|wycofuj*|pod warunkiem*|trzeba poprawi*|reddedil*|reddediyorum*|onaylanma*|onaylamıyorum*
    birleştirilme*|düzeltilmeli*|godkänns inte*|godkänner inte*|avvis*|slå inte ihop*|inte redo*
    måste åtgärd*|відхил*|не можна*|nie wolno*|nie należy*|nie powin*|nie akcept*|nie dopuszcza*
    birleştirmey*|birleştirme bunu*|kabul edilemez*|onaylamay*|onay vermiyor*|reddet*
    inte mergas*|merga inte*|får inte*|bör inte slås*|ikke merge*|ikke flett*|ikke slås sammen*|må ikke*
    ikke godkjen*|ikke godkend*|avslå*|älä yhdistä*|ei saa yhdist*|hylkä*|hyläk*|en hyväksy*|nesluč*|zamít*
    neschval*|nelze slouč*|nezlúč*|elutasít*|nem hagyom jóvá*|ne olvas*|nu fuziona*|nu îmbina*|nu aprob*|resping*
    respins*|μην συγχων*|μη συγχων*|απορρίπτ*|δεν εγκρίν*|не зливат*|не схвал*|не обединя*|отхвърля*
    jangan gabung*|jangan digabung*|jangan merge*|jangan di merge*|ditolak*|tidak disetujui*|niet samenvoeg*
    mag niet*|no fusion*|nicht gelesen*|nichts gelesen*|pas lu|rien lu|pas pu lire*|no he leído*|sin leer*
    не читал*|не прочит*|nie czytał*|não li|non ho letto*|niet gelezen*|okumadım*
""")
HAN_RETRACTIONS = sign_table("""
    不同意|不批准|不通过|不通過|不要合并|不要合併|不能合并|不能合併|不应合并|不應合併|不可合并|不建议合并
    不予|拒绝|拒絕
    驳回|駁回|撤回|收回|更正|必须修复|必须修改|必须先|必須先|才能合并|才能批准|才可以|之后才|前提是|修复后
    修改后|除非
    不合格|不认可|却下|承認できません|承認できない|承認しません|承認しない|マージしない|マージできません
    マージすべきではない|マージしてはいけ|取り消|訂正|差し戻|修正が必要|修正すべき|必ず修正|修正するまで
    修正されれば|条件付き|反対です|やはり|判断できません|レビューできません|안 됩니다|مرفوض|أرفض|ارفض
    لا أوافق|لا تدمج|لا يمكن الموافقة|अस्वीकृत|अस्वीकार|मर्ज न|स्वीकार नहीं
    דחוי|נדחה|לא לאשר|không chấp nhận|đừng hợp nhất|từ chối|không phê duyệt|אל תמזג|อย่ารวม|ห้ามรวม|ไม่อนุมัติ|ادغام نکنید
    không hợp nhất|ปฏิเสธ|안됩니다|거부|반려|승인하지
    승인할 수 없|정정|취소합니다|병합하지|병합할 수 없|수정해야|수정된 후|수정되면|조건부|철회""")
