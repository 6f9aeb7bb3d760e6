"""Translations of words such as password are no secrets; real ones in the same files are."""

import pytest

from guildmoot.guard.secrets import mask
from guildmoot.guard.wording import is_translation

FORMS = {
    "locale/pl/LC_MESSAGES/django.po": '#: a.py:1\nmsgid "password"\nmsgstr "{}"\n',
    "locales/pl.json": '{{"password": "{0}", "apiKey": "{0}", "user": {{"client_secret": "{0}"}}}}\n',
    "config/locales/pl.yml": 'pl:\n  password: {0}\n  token: {0}\n  secret: "{0}"\n',
    "src/main/resources/messages_pl.properties": "user.password={0}\nlogin.token={0}\n",
    "pl.lproj/Localizable.strings": '"password" = "{0}";\n"secret" = "{0}";\n',
    "app_pl.arb": '{{"password": "{0}"}}\n',
    "res/values-pl/strings.xml": '<string name="password">{0}</string>\n',
    "i18n/messages.xlf": '<trans-unit id="password"><target>{0}</target></trans-unit>\n',
    "resources/lang/pl/auth.php": "<?php\nreturn ['password' => '{0}', 'token' => '{0}'];\n",
    "src/locales/pl.ts": "export default {{\n  password: '{0}',\n  token: '{0}',\n}};\n",
}
WORDS = (
    "Hasło użytkownika", "Zugangsschlüssel", "Salasana", "Neues Passwort (mind. 8 Zeichen)", "Mật khẩu mới",
    "Введите 6-значный код", "パスワードは8文字以上", "请输入8到20位密码", "โทเค็นการเข้าถึง", "كلمة المرور الجديدة",
    "Enter the {count}-digit code", "Mot de passe de %(name)s", "Changer le mot de passe LDAPv3", "Has\\u0142o konta",
    "Contrase&ntilde;a nueva", "OAuth2-Token",
)  # fmt: skip
SECRETS = ("Xk29fjQz81", "hunter2", "Tr0ub4dor&3x", "qT7vB2mN9xLpR4sWzK8d", "kQzRtYbNmWcXvBgH")


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("word", WORDS)
def test_words_in_a_file_of_translations_are_no_secrets(path, word):
    assert mask(FORMS[path].format(word), path)[1] == []


@pytest.mark.parametrize("path", [path for path in FORMS if not path.endswith((".po", ".xlf"))])
@pytest.mark.parametrize("secret", SECRETS)
def test_what_is_drawn_from_a_hat_is_one_there_as_well(path, secret):
    assert mask(FORMS[path].format(secret), path)[1]


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize(
    "token", ["AKIA" + "Q3EGRIBPIDQWMTDX", "ghp_" + "x8Rk2mVq9LzT4wNcB7yHdJ3sPfG6aE1uK5oX"]
)
def test_a_token_of_a_known_family_is_certain_there(path, token):
    assert [item.certain for item in mask(FORMS[path].format(token), path)[1]][:1] == [True]


def test_words_of_another_script_are_words_in_any_file():
    assert (
        mask('LABELS = {"password": "Новый пароль", "token": "โทเค็นการเข้าถึง"}\n', "labels.py")[1]
        == []
    )


@pytest.mark.parametrize(
    "path",
    [
        "pom.xml",
        "db.ini",
        "app.yml",
        "config/dev.json",
        "settings.prod.properties",
        "lang.py",
        "src/messages.py",
    ],
)
def test_settings_and_code_are_no_translations(path):
    assert not is_translation(path)
    assert mask('password = "swordfish"\n', path)[1]
