"""The words of lock files: registries, and keys by what they tell."""

from __future__ import annotations

PUBLIC = frozenset(
    (
        *("registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io", "jsr.io", "deno.land"),
        *("pypi.org", "files.pythonhosted.org", "conda.anaconda.org", "rubygems.org", "hex.pm"),
        *("index.crates.io", "static.crates.io", "crates.io", "pub.dev", "pub.dartlang.org"),
        *("packagist.org", "repo.packagist.org", "proxy.golang.org", "sum.golang.org"),
        *("registry.terraform.io", "registry.opentofu.org", "api.nuget.org", "repo.hex.pm"),
        *("cdn.cocoapods.org", "trunk.cocoapods.org"),
    )
)
"""The registries that everybody uses."""

ASIDE = frozenset(
    (
        *("homepage", "funding", "support", "docs", "issues", "email", "chat", "forum", "wiki"),
        *("rss", "notification-url", "license", "_readme", "deprecated", "description", "authors"),
        *("security", "url-template", "info", "keywords", "engines", "licenses"),
    )
)
"""What is for people to read."""

SOURCES = frozenset(
    (
        *("source", "registry", "git", "path", "editable", "directory", "virtual", "type", "link"),
        *("svn", "hg", "subdirectory", "local", "archive"),
    )
)
"""Keys that tell of what kind a package's source is."""

RUNS = frozenset(
    ("hasInstallScript", "requiresBuild", "autoload", "scripts", "class", "plugin", "PLUGIN SOURCE")
)
"""Keys and tables that tell what runs when a package is installed or loaded."""

TABLES = frozenset(
    (
        *(
            "dependencies",
            "devDependencies",
            "optionalDependencies",
            "peerDependencies",
            "requires",
        ),
        *("peerDependenciesMeta", "dependenciesMeta", "require", "require-dev", "suggest", "bin"),
        *("conflict", "replace", "provide", "extras", "psr-4", "psr-0", "branch-alias", "extra"),
        *("overrides", "resolutions", "packages", "snapshots", "importers", "catalogs", "default"),
        *(
            "platform",
            "platform-dev",
            "stability-flags",
            "optional-dependencies",
            "dev-dependencies",
        ),
        *("transitivePeerDependencies", "optional-dev-dependencies", "specifiers", "redirects"),
        *(
            "exclude-newer-package",
            "remote",
            "workspaces",
            "metadata",
            "requires-dev",
            "files",
            "develop",
            "time",
        ),
    )
)
"""Tables whose keys are names."""

KNOWN = frozenset(
    [
        # uv's options, and what it says of the workspace
        *(
            "resolution-mode",
            "prerelease-mode",
            "fork-strategy",
            "exclude-newer",
            "exclude-newer-span",
        ),
        *("exclude-newer-package", "members", "requirements", "constraints", "build-constraints"),
        *("overrides", "excludes", "requires-dist", "requires-python", "provides-extras"),
        "name",
        "version",
        "resolved",
        "integrity",
        "checksum",
        "hash",
        "hashes",
        "dependencies",
        "dev",
        "optional",
        "peer",
        "devOptional",
        "engines",
        "license",
        "funding",
        "bin",
        "inBundle",
        "bundled",
        "extraneous",
        "requires",
        "cpu",
        "os",
        "libc",
        "resolution",
        "languageName",
        "linkType",
        "dependenciesMeta",
        "unplugged",
        "conditions",
        "lockfileVersion",
        "cacheKey",
        "source",
        "registry",
        "sdist",
        "wheels",
        "url",
        "size",
        "upload-time",
        "marker",
        "markers",
        "extra",
        "extras",
        "extras",
        "python-versions",
        "python_versions",
        "requires_python",
        "requires-python",
        "groups",
        "category",
        "optional",
        "description",
        "files",
        "file",
        "content-hash",
        "content_hash",
        "lock-version",
        "lock_version",
        "reference",
        "type",
        "shasum",
        "mirrors",
        "time",
        "require",
        "autoload",
        "notification-url",
        "authors",
        "keywords",
        "support",
        "specifier",
        "resolution-markers",
        "revision",
        "index",
        "provides-extras",
        "requires-dist",
        "specifiers",
        "deprecated",
        "hasBin",
        "requiresBuild",
        "transitivePeerDependencies",
        "peerDependencies",
        "optionalDependencies",
        "strategy",
        "metadata",
        "package",
        "default-extensions",
        "default",
        "include-path",
        "abandoned",
        "homepage",
        "bundleDependencies",
        "hasInstallScript",
        "hasShrinkwrap",
        "workspaces",
        "os",
        "cpu",
        "libc",
        "id",
        "tarball",
        "patched",
        "dependencies",
        "autoInstallPeers",
        "excludeLinksFromLockfile",
        "editable",
        "virtual",
        "link",
        "git",
        "path",
        "directory",
        "ref",
        "resolved_reference",
        "summary",
        "develop",
    ]
)
"""Keys that the tools write."""
