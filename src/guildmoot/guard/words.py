"""The words that tell a secret by its name, or its value for a word."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A password is a secret whatever it looks like.
STRONG = _words("""
password passwd passwort kennwort passphrase passcode pwd pw pswd pword motdepasse mdp contraseña
contrasena clave senha wachtwoord heslo haslo hasło lösenord losenord adgangskode salasana sifre
şifre parola пароль 密码 密碼 パスワード 비밀번호 secretphrase seedphrase mnemonic recoveryphrase securestring
""")

# What these name must look like a secret too.
WEAK = _words("""
secret token credential credentials authtoken apikey accesskey privatekey authkey signingkey
encryptionkey masterkey licensekey accountkey storagekey sharedkey sessionkey appkey clientkey
secretkey servicekey deploykey connectionstring connstr jeton geheimnis secreto segreto schlüssel
cookie auth authorization hmackey jwtkey encryptkey cryptkey aeskey rsakey adminkey apitoken
""")

# Behind a telling word they make it a name for something about the secret: password_hint.
ABOUT = _words("""
type types name names url uri path file files dir folder field fields label hint help min max
minimum maximum length len size count limit ttl expiry expires expire expiration lifetime age policy
reset regex regexp pattern format hash hasher hashes hashed algorithm alg algo id ids ref refs arn
version manager provider service services store endpoint header headers param params parameter
prompt input placeholder validator validators validation error errors message msg title description
desc index idx offset pos position start end strategy scheme class kind list map cache budget usage
rate bucket stdin required enabled disabled change changed confirm confirmation is was auth
authentication generator factory handler helper util utils test tests mode status state info data
meta metadata source target cmd command env var variable property rotation strength entropy salt
digest fn func function callback cb stream parser kinds value_type bytes_len issuer audience scope
scopes grant created updated date time at by in for with visible visibility toggle show hide icon
button form page view link text table column row alias encoding encoder decoder charset chars
characters letters mask masked resolver getter setter reader writer review lookup used
""")

# Before it they do the same: next_token, max_tokens.
OF_OTHERS = _words("""
next page continuation pad eos bos unk sep cls stop max min num n prompt completion total input
output cached forgot reset change has is no require requires hash hashed encrypted invalid missing
expired csrf xsrf lookahead current_token previous prev peek unexpected parse syntax lex keyword
operator cancellation cancel special public pub sync skip sponsor design non fungible erc20 begin
end first last line mask masked hide show confirm verify check validate get fetch read load find use
with_cancellation without update create delete revoke generate make new_random refresh_token_url
wrong bad incorrect image sub text word
""")

# Values that are none.
PLAIN = _words("""
none null nil true false undefined string text optional required unknown invalid default disabled
enabled bearer basic digest oauth hidden prompt inherit ignore always never auto manual missing
empty blank number integer object boolean bool array input output label button function return
before after change changed reset forgot confirm current private public internal external static
dynamic random encrypted encoded hashed cleartext plaintext plain stdin file header cookie session
query config environment variable keychain system global local remote server client device github
gitlab google amazon azure facebook twitter expired revoked valid incorrect wrong weak strong access
refresh identifier keyword operator comment literal punctuation whitespace delimiter symbol newline
another anything something nothing
postgres mysql mariadb root guest rabbitmq minioadmin sesame
""")

# Words of messages and labels; a pass-phrase says nothing.
SAYING = _words("""
a an and any are as at be been by can cannot could did do does for from has have how i if in is it
its may must no not of on only or our out please should so such than that their them then there
these they this to too use used using was were when where which while who will with without you
enter choose confirm again forgot reset change new old current required invalid incorrect wrong
missing field characters character least login log name username user email account between long
short letters numbers type optional str string value values object text key keys access client file
path url id error failed success show hide see same match matches expired set get first last one two
you're don't der die das und ist ein eine nicht bitte eingeben le la les un une est pas el los una
es por para de du des
""")

# What a sentence says of a password without giving it.
STATES = _words("""
about above alone also based below better both case clear common complex data done each either else equal even extra
fine found free gone good here however inside instead kept known later like longer lost made more much obvious once
open other others over part probably right safe secure shown since sort still stronger sure their therefore through
today under unique unsafe unset until upper weaker whatever whether yours ascii bytes
""")

# What stands for a password in an address.
URL_PLAIN = _words("""
pass passwd password pw pwd user username secret token port bar foo baz x
""")
