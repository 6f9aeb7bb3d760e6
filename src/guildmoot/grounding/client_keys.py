"""Keys of Google that a program must give to whoever uses it: they name a project, and are bounded there, not hidden.

Google's own settings of a mobile or web application carry such a key and are meant to be committed. A key that a
page or an app for maps is built with is given away as well; whether it is bounded nobody can tell from here.
Keys of the same shape elsewhere, as in a server that asks a model, cost whoever owns them.
"""

from __future__ import annotations

from guildmoot.model.verdict import Finding
from guildmoot.text.globs import matches
from guildmoot.text.patterns import lazy

_SETTINGS = (
    *("google-services.json", "googleservice-info.plist", "*firebase*config*"),
    *("androidmanifest.xml", "**/res/values*/*.xml"),
)
_SHOWN = (
    *("*.html", "*.htm", "*.vue", "*.svelte", "*.jsx", "*.tsx", "*.dart", "*.swift", "*.kt"),
    *(
        "info.plist",
        "app.json",
        "frontend/",
        "front-end/",
        "www/",
        "public/",
        "mobile/",
        "ios/",
        "android/",
    ),
)
_FIREBASE = lazy(r"authDomain|messagingSenderId|firebaseapp\.com|storageBucket|mobilesdk_app_id")
_MAPS = lazy(r"(?i)maps|places|geocod|com\.google\.android\.geo|recaptcha")
_NEAR = 12
"""Lines around a key that tell what it is for."""


def is_of_settings(finding: Finding, text: str) -> bool:
    """The key stands among the settings that Google makes for a mobile or web application."""
    if "google-key" not in finding.title:
        return False
    named = matches(finding.path.lower(), _SETTINGS)
    return named or _FIREBASE.search(_around(finding, text, _NEAR)) is not None


def is_of_client(finding: Finding, text: str) -> bool:
    """The key is for maps, or in what runs at the user's."""
    if "google-key" not in finding.title:
        return False
    shown = matches(finding.path.lower(), _SHOWN)
    return shown or _MAPS.search(finding.quote or _around(finding, text, 0)) is not None


def _around(finding: Finding, text: str, near: int) -> str:
    first = max(finding.line - 1 - near, 0)
    return "\n".join(text.split("\n")[first : finding.line + near])
