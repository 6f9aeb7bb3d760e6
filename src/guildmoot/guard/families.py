"""The shapes of tokens that belong to one service each: one line of ``FAMILIES`` a shape.

Only the shapes whose fixed letters stand in a text are made and looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from re import escape

from guildmoot.guard.values import compiled, is_secret, looks_random, spread
from guildmoot.guard.words import URL_PLAIN
from guildmoot.named import NamedTuple


class SecretSpan(NamedTuple):
    """A piece of a text, within one line, that must not be shown."""

    start: int
    end: int
    kind: str
    certain: bool
    hides: bool = False
    """Whether it may be code that runs: then a person must look."""


# kind, fixed letters (any of them), what follows them, how sure. What stands in (...) is the secret,
# or all of it. Sure: "" always; "?" when it looks random, for words can have the shape too; "-" never.
# "=": the letters stand inside the token or behind a word; all others begin a word.
FAMILIES = r"""
bearer-token    Bearer|bearer|BEARER        [ \t]{1,4}([A-Za-z0-9._~+/=-]{16,}) ?
basic-auth      Basic|basic                 [ \t]{1,4}([A-Za-z0-9+/]{8,}={0,2})
anthropic-key   sk-ant-                     [\w-]{20,}
api-key         sk-                         (?![0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-]))[\w-]{20,} ?
api-key         sk-proj-|sk-svcacct-|sk-admin-|sk-or-v1- [\w-]{20,}
github-token    ghp_|gho_|ghu_|ghs_|ghr_    [A-Za-z0-9_]{36,}
github-token    github_pat_                 [A-Za-z0-9_]{22,}
gitlab-token    glpat-|gldt-|glft-|glsoat-|glrt-|glcbt-|glimt-|glptt-|glagent-|gloas-|glffct- [\w-]{20,}
gitlab-token    GR1348941                   [\w-]{20,}
slack-token     xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xoxe. [A-Za-z0-9%-]{10,}
slack-token     xapp-                       [0-9]-[A-Za-z0-9-]{10,}
slack-webhook   hooks.slack.com/            \w+/([A-Za-z0-9_/-]{20,})                    =
teams-webhook   webhook.office.com/         \w+/([A-Za-z0-9@_/-]{40,})                   =
discord-webhook /api/webhooks/              \d{15,22}/([\w-]{40,})                       =
discord-token   MT|Mj|Mz|MD|NT|Nj|Nz|ND|OD|OT [A-Za-z0-9]{20,26}\.[\w-]{6}\.[\w-]{27,40}
aws-key         AKIA                        [0-9A-Z]{16,}
aws-key         ASIA|ABIA|ACCA              [0-9A-Z]{16}(?![0-9A-Z])                     ?
aws-key         ABSK                        [A-Za-z0-9+/]{100,}={0,2}
alibaba-key     LTAI                        [A-Za-z0-9]{16,26}(?![A-Za-z0-9])            ?
tencent-key     AKID                        [A-Za-z0-9]{32}(?![A-Za-z0-9])               ?
jwt             eyJ                         [\w-]{5,400}+\.[\w-]{5,}\.[\w.+/-]*
jwt             sk.eyJ                      [\w-]{5,400}+\.[\w-]{16,}
google-key      AIza                        [\w-]{35,}
google-secret   GOCSPX-                     [\w-]{20,}
google-token    ya29.                       [\w.-]{20,}
google-token    1//0                        [\w-]{40,}
npm-token       npm_                        [A-Za-z0-9]{36,}
npm-token       _authToken|_auth|_password  [ \t]{0,4}=[ \t]{0,4}"?([A-Za-z0-9_+/=-]{16,})
pypi-token      pypi-Ag                     [\w-]{50,}
rubygems-key    rubygems_                   [a-f0-9]{48}
cargo-token     cio                         [A-Za-z0-9]{32}(?![A-Za-z0-9])               ?
nuget-key       oy2                         [a-z0-9]{43}(?![A-Za-z0-9])                  ?
docker-token    dckr_pat_|dckr_oat_         [\w-]{20,}
stripe-key      sk_live_|rk_live_           [0-9A-Za-z]{10,}
stripe-key      sk_test_|rk_test_           [0-9A-Za-z]{10,}                             -
stripe-key      whsec_                      [A-Za-z0-9+/]{24,}
paystack-key    sk_live_                    [0-9a-f]{40}
razorpay-key    rzp_live_                   [0-9A-Za-z]{14,}
plaid-token     access-production-|access-development- [0-9a-f-]{36}
braintree       access_token$production$    [0-9a-z]{16}\$[0-9a-f]{32}
flutterwave     FLWSECK-|FLWSECK_TEST-      [0-9a-zA-Z]{12,}(?:-X)?
sendgrid-key    SG.                         [\w-]{16,}\.[\w-]{16,}
mailgun-key     key-                        [0-9a-f]{32}(?![0-9a-z])
brevo-key       xkeysib-|xsmtpsib-          [0-9a-f]{64}-[A-Za-z0-9]{16}
hugging-face    hf_                         [A-Za-z0-9]{34,}
hugging-face    api_org_                    [A-Za-z]{34}
groq-key        gsk_                        [A-Za-z0-9]{40,}
xai-key         xai-                        [A-Za-z0-9]{40,}
perplexity-key  pplx-                       [A-Za-z0-9]{40,}
replicate-key   r8_                         [A-Za-z0-9]{37,}
langsmith-key   lsv2_pt_|lsv2_sk_           [a-f0-9]{32}_[a-f0-9]{10}
pinecone-key    pcsk_                       [A-Za-z0-9_]{40,}
digitalocean    doo_v1_|dop_v1_|dor_v1_     [a-f0-9]{64}
heroku-key      HRKU-                       [\w-]{30,}
netlify-token   nfp_                        [A-Za-z0-9]{36,}
fly-token       fm1r_|fm1a_|fm2_            [A-Za-z0-9+/_=-]{60,}
fly-token       fo1_                        [\w-]{43}
supabase-key    sbp_                        [a-f0-9]{40}
supabase-key    sb_secret_                  [\w-]{20,}
planetscale     pscale_tkn_|pscale_pw_|pscale_oauth_ [\w.-]{32,}
shopify-token   shpat_|shpca_|shppa_|shpss_ [a-fA-F0-9]{32,}
square-secret   sq0csp-|sq0atp-|sq0idp-     [\w-]{22,}
square-secret   EAAA                        [\w-]{60}(?![\w-])                           ?
facebook-token  EAACEdEose0cBA              [0-9A-Za-z]{10,}
twitter-token   AAAAAAAAAAAAAAAAAAAAA       [A-Za-z0-9]{1,8}%?[A-Za-z0-9%]{40,}          ?
vault-token     hvs.|hvb.|hvr.              [\w-]{24,}
terraform-token .atlasv1.                   [\w-]{60,}                                   =
age-key         AGE-SECRET-KEY-1            [0-9A-Z]{40,}
onepassword     ops_eyJ                     [\w-]{100,}={0,3}
onepassword     A3-                         [A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}
doppler-token   dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit. (?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}
pulumi-token    pul-                        [a-f0-9]{40}
tailscale-key   tskey-                      [a-z]+-[A-Za-z0-9]{8,}-?[A-Za-z0-9]{8,}
atlassian       ATATT3|ATCTT3|ATBB          [\w=-]{30,}                                  ?
linear-key      lin_api_|lin_oauth_         [A-Za-z0-9]{32,}
notion-token    secret_                     [A-Za-z0-9]{43}(?!\w)
notion-token    ntn_                        [A-Za-z0-9]{40,}
figma-token     figd_                       [\w-]{40,}
airtable-token  pat                         [A-Za-z0-9]{14}\.[a-f0-9]{64}
postman-key     PMAK-                       [a-f0-9]{24}-[a-f0-9]{34}
newrelic-key    NRAK-|NRIQ-|NRII-|NRRA-     [A-Za-z0-9_-]{20,}
grafana-token   glsa_                       [A-Za-z0-9]{32}_[A-Fa-f0-9]{8}
grafana-token   glc_eyJ                     [A-Za-z0-9+/=]{30,}
sentry-token    sntrys_|sntryu_             [A-Za-z0-9+/_=-]{40,}
dynatrace       dt0c01.|dt0s01.             [A-Z0-9]{24}\.[A-Z0-9]{64}
databricks      dapi                        [0-9a-f]{32,}(?:-\d)?
contentful      CFPAT-                      [\w-]{43}
buildkite       bkua_                       [a-z0-9]{40}
circleci        CCIPAT_|CCIPRJ_             [A-Za-z0-9]{20,}_[a-f0-9]{40}
sourcegraph     sgp_                        (?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}
typeform        tfp_                        [\w.=-]{40,}
prefect-key     pnu_                        [A-Za-z0-9]{36}
readme-key      rdme_                       [a-z0-9]{70}
adobe-secret    p8e-                        [A-Za-z0-9]{32}
easypost-key    EZAK|EZTK                   [A-Za-z0-9]{54}
clojars-token   CLOJARS_                    [a-z0-9]{60}
artifactory-key AKCp                        [A-Za-z0-9]{60,}
artifactory-key cmVmdGtu                    [A-Za-z0-9]{50,}
yandex-key      AQVN                        [\w-]{35,38}(?![\w-])
twilio-key      SK                          [0-9a-f]{32}(?![A-Za-z0-9+/])
twilio-sid      AC                          [0-9a-f]{32}(?![A-Za-z0-9+/])                -
telegram-token  :AA                         [\w-]{33}(?![\w-])                           =
mailchimp-key   -us                         [0-9]{1,2}(?![0-9a-z])                       =
azure-key       AccountKey=|SharedAccessKey= ([A-Za-z0-9+/]{40,}={0,2})                  =
azure-secret    8Q~|7Q~                     [\w~.-]{31,34}                               =
azure-sas       &sig=|?sig=                 ([A-Za-z0-9%+/]{43,}(?:=|%3D)?)              =
password-hash   $2a$|$2b$|$2y$              \d\d\$[A-Za-z0-9./]{53}                      =-
password-hash   $1$|$5$|$6$|$apr1$|$y$      (?:rounds=\d+\$)?[A-Za-z0-9./]{2,32}\$[A-Za-z0-9./]{20,} =-
private-key     LS0tLS1CRUdJTi              [A-Za-z0-9+/]{40,}={0,2}
url-password    ://                         [^\s/:@"'`<>{}$]{0,64}:([^\s/"'`<>]{3,128})@[\w\[.%-] =-
"""
# Letters that stand inside the token: what must stand right before them.
_BEFORE = {
    ":AA": r"[0-9]{8,10}",
    "-us": "[0-9a-f]{32}",
    ".atlasv1.": "[A-Za-z0-9]{14}",
    "8Q~": r"[\w~.-]{3}",
    "7Q~": r"[\w~.-]{3}",
}
# All other letters stand in a run of this length, which these signs end; and it holds more than small
# letters and what parts the words of a name.
_RUN = 15
_PARTS = b"._-:=+*/@%|&!\\"
_BREAKS = bytes(32 if sign in b"\"'`<>(),;{}[]" else sign for sign in range(256))
# Those that may stand anywhere, by what they have in common in small letters.
_ANYWHERE = {
    b"://": ("://",),
    b"bearer": ("Bearer", "bearer", "BEARER"),
    b"basic": ("Basic", "basic"),
    b"_auth": ("_authToken", "_auth"),
    b"_password": ("_password",),
}
# No word runs into a token; an escaped line break, an escaped sign or the end of a colour is no word.
_EDGE = (
    r"(?:(?<![A-Za-z0-9]{0})|(?<=\\[nrtbf]{0})|(?<=%[0-9A-Fa-f][0-9A-Fa-f]{0})|(?<=[\[0-9;]m{0}))"
)
_KNOWN = (  # jwt.io's, Azurite's and the RFC's own, and what is written for a reader
    r"eyJzdWIiOiIxMjM0NTY3ODkwI|Eby8vdM02xNOcqFl|QWxhZGRpbjpvcGVuIHNlc2FtZQ|(?i:example|x{4}|1234567890abcdef|placeholder)"
)


@cache
def _table() -> dict[str, list[tuple[str, str, str]]]:
    """Kind, pattern and certainty of the families, by their fixed letters."""
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for row in FAMILIES.strip().splitlines():
        kind, letters, shape, *rest = row.replace(r"[ \t]", r"[\x20\t]").split()
        sure = "".join(rest)
        for each in letters.split("|"):
            edge = "" if "=" in sure else _EDGE.replace("{0}", escape(each))
            rows.setdefault(each, []).append((kind, f"(?a){escape(each)}{edge}{shape}", sure))
    return rows


@cache
def _in_runs() -> list[str]:
    anywhere = {letters for group in _ANYWHERE.values() for letters in group}
    return [letters for letters in _table() if letters not in anywhere]


_plain_runs: set[bytes] = set()
"""Runs of texts that held none of the letters."""
_MOST_RUNS, _LONGEST = 50_000, 100_000


def _present(text: str) -> Iterator[str]:
    """The fixed letters that stand in the text: few of them do, and most texts hold none."""
    raw = text.encode("latin-1", "replace")
    low = raw.lower()
    for stem, group in _ANYWHERE.items():
        if stem in low:
            yield from (letters for letters in group if letters in text)
    long = {run for run in set(raw.translate(_BREAKS).split()) if len(run) >= _RUN} - _plain_runs
    mixed = [run for run in long if not (run.islower() and run.translate(None, _PARTS).isalpha())]
    runs = b"\n".join(mixed).decode("latin-1")
    found = [letters for letters in _in_runs() if letters in runs] if mixed else []
    if not found and len(runs) < _LONGEST:  # the files of a project share most of their names
        if len(_plain_runs) > _MOST_RUNS:
            _plain_runs.clear()
        _plain_runs.update(long)
    yield from found


def family_spans(text: str) -> Iterator[SecretSpan]:
    """Every token of a known family."""
    for letters in _present(text):
        for kind, shape, sure in _table()[letters]:
            for match in compiled(shape).finditer(text):
                start, end = match.span(match.re.groups)
                if before := _BEFORE.get(letters):
                    found = compiled(before + r"\Z").search(text, max(0, start - 40), start)
                    start = found.start() if found else end
                certain = _is_certain(kind, sure, text[start:end])
                if certain is not None:
                    yield SecretSpan(start, end, kind, certain)


def _is_certain(kind: str, sure: str, value: str) -> bool | None:
    """None: no secret at all. ``ghp_xxxx`` and ``AKIAIOSFODNN7EXAMPLE`` have the shape, but are no token."""
    if kind == "url-password":
        plain = value.lower() in URL_PLAIN or not is_secret(value, strong=True)
        return None if plain else False
    if not value or (kind == "bearer-token" and not is_secret(value, strong=False)):
        return None
    if kind == "basic-auth":
        return _holds_password(value)
    if kind == "private-key":
        return True if b"PRIVATE KEY" in _decoded(value[:52]) else None
    if "-" in sure or compiled(_KNOWN).search(value) or spread(value) < 2.9:
        return False
    return looks_random(value) if "?" in sure else True


def _holds_password(value: str) -> bool | None:
    """``Basic`` carries ``user:password``; otherwise it is a word."""
    user, colon, password = _decoded(value).decode("utf-8", "replace").partition(":")
    if not colon or "\ufffd" in user + password or not (user + password).isprintable():
        return None
    return is_secret(password, strong=True) and not compiled(_KNOWN).search(value)


def _decoded(value: str) -> bytes:
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4))
    except Error:
        return b""
