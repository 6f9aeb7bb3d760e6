"""Rules for Terraform: what anybody may reach, write or become."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import child, flat, parts, text
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_ANYBODY = lazy(r"\"(?:0\.0\.0\.0/0|::/0|\*|Internet)\"")
_WHO = ("cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6")
_DOORS = (22, 3389, 3306, 5432, 6379, 27017, 1433, 9200, 2375)


def labels(block: Node) -> list[str]:
    """``resource aws_s3_bucket name`` as words."""
    return [
        text(each).strip('"') for each in parts(block) if each.type in ("identifier", "string_lit")
    ]


def body(block: Node) -> Node | None:
    """What stands between its braces."""
    return next((each for each in parts(block) if each.type == "body"), None)


def values(block: Node) -> dict[str, str]:
    """Its attributes, as they are written, without spaces."""
    own = body(block)
    found = {}
    for each in parts(own):
        if each.type == "attribute":
            name, *rest = parts(each)
            found[text(name)] = "".join(flat(one) for one in rest)
    return found


def attribute(block: Node, *names: str) -> Node:
    """The first attribute of one of these names, or else the block."""
    for each in parts(body(block)):
        if each.type == "attribute" and text(child(each)) in names:
            return each
    return block


def blocks(block: Node, name: str) -> list[Node]:
    """The blocks of a name right in it."""
    return [
        each for each in parts(body(block)) if each.type == "block" and labels(each)[:1] == [name]
    ]


def _opens_door(low: str, high: str) -> bool:
    if not (low.strip('"').isdigit() and high.strip('"').isdigit()):
        return False
    return any(int(low.strip('"')) <= door <= int(high.strip('"')) for door in _DOORS)


def _let_in(own: dict[str, str]) -> bool:
    """Whether these attributes let anybody in where nobody but the owner belongs."""
    who = (
        own.get("cidr_blocks", "")
        + own.get("cidr_ipv4", "")
        + own.get("ipv6_cidr_blocks", "")
        + own.get("cidr_ipv6", "")
    )
    everything = own.get("protocol", own.get("ip_protocol", "")) in ('"-1"', "-1", '"all"')
    return bool(_ANYBODY.search(who)) and (
        everything or _opens_door(own.get("from_port", ""), own.get("to_port", ""))
    )


def open_door(node: Node) -> Node | None:
    """Remote login or a database that anybody may reach."""
    kind = ([*labels(node), "", ""])[1]
    own = values(node)
    if labels(node)[:1] != ["resource"]:
        return None
    if kind in ("aws_security_group", "aws_default_security_group"):
        found = next((each for each in blocks(node, "ingress") if _let_in(values(each))), None)
        return attribute(found, *_WHO) if found is not None else None
    if kind == "aws_security_group_rule":
        return attribute(node, *_WHO) if own.get("type") == '"ingress"' and _let_in(own) else None
    if kind == "aws_vpc_security_group_ingress_rule":
        return node if _let_in(own) else None
    if kind == "google_compute_firewall" and _ANYBODY.search(own.get("source_ranges", "")):
        ports = [
            port
            for each in blocks(node, "allow")
            for port in re.findall(r"\d+", values(each).get("ports", ""))
        ]
        return node if any(int(port) in _DOORS for port in ports) else None
    if kind == "azurerm_network_security_rule":
        port = own.get("destination_port_range", "").strip('"')
        inward = own.get("direction") == '"Inbound"' and own.get("access") == '"Allow"'
        anybody = _ANYBODY.search(own.get("source_address_prefix", ""))
        return (
            node
            if inward and anybody and (port == "*" or (port.isdigit() and int(port) in _DOORS))
            else None
        )
    return None


def public_bucket(node: Node) -> Node | None:
    """A bucket that anybody may write to."""
    kind, own = ([*labels(node), "", ""])[1], values(node)
    if kind in ("aws_s3_bucket", "aws_s3_bucket_acl") and own.get("acl") == '"public-read-write"':
        return attribute(node, "acl")
    return None


def readable_bucket(node: Node) -> Node | None:
    """A bucket that anybody may read."""
    kind, own = ([*labels(node), "", ""])[1], values(node)
    if kind in ("aws_s3_bucket", "aws_s3_bucket_acl") and own.get("acl") == '"public-read"':
        return None if blocks(node, "website") else attribute(node, "acl")
    members = own.get("member", "") + own.get("members", "")
    granted = kind.startswith("google_") and "_iam_" in kind
    return node if granted and re.search(r"\"all(?:Authenticated)?Users\"", members) else None


def public_database(node: Node) -> Node | None:
    """A database with an address on the internet."""
    kind, own = ([*labels(node), "", ""])[1], values(node)
    named = kind in (
        "aws_db_instance",
        "aws_rds_cluster_instance",
        "aws_redshift_cluster",
        "aws_dms_replication_instance",
    )
    return (
        attribute(node, "publicly_accessible")
        if named and own.get("publicly_accessible") == "true"
        else None
    )


def everything_allowed(node: Node) -> Node | None:
    """A statement that allows everything on everything."""
    if labels(node)[:1] != ["statement"]:
        return None
    own = values(node)
    allows = own.get("effect", '"Allow"') == '"Allow"'
    return (
        node
        if allows and own.get("actions") == '["*"]' and own.get("resources") == '["*"]'
        else None
    )


def password_in_text(node: Node) -> Node | None:
    """A password that stands in the file."""
    own = values(node)
    if labels(node)[:1] != ["resource"]:
        return None
    for name in ("password", "master_password", "admin_password", "administrator_login_password"):
        value = own.get(name, "")
        if re.fullmatch(r"\"[^\"$]{4,}\"", value) and "${" not in value:
            return attribute(node, name)
    return None


def same_address(node: Node) -> Node | None:
    """A resource that is declared twice in one file."""
    seen: set[tuple[str, ...]] = set()
    for each in parts(node):
        own = tuple(labels(each)) if each.type == "block" else ()
        if (
            own[:1] in (("resource",), ("data",), ("variable",), ("output",), ("module",))
            and own[1:]
        ):
            if own in seen:
                return each
            seen.add(own)
    return None


_TF = "Terraform"
RULES = (
    tree_rule(_TF, "open-to-all", "(block) @x", open_door,
              "remote login or a database is exposed to everybody on the internet; name the addresses that may reach it", "ERROR"),
    tree_rule(_TF, "public-bucket", "(block) @x", public_bucket, "everybody has permission to write to this bucket; make it private", "ERROR"),
    tree_rule(_TF, "public-bucket", "(block) @x", readable_bucket, "everybody has permission to read what is in it; make it private unless it is a web site"),
    tree_rule(_TF, "public-database", "(block) @x", public_database, "the database is exposed to the internet; keep it inside"),
    tree_rule(_TF, "everything-allowed", "(block) @x", everything_allowed, "this gives every privilege on everything; name the actions and the resources"),
    tree_rule(_TF, "password-in-text", "(block) @x", password_in_text, "the password stands in the file and in the state; take it from a variable or a vault"),
    tree_rule(_TF, "declared-twice", "(config_file (body) @x)", same_address, "it is declared twice in this file, which Terraform refuses; rename one", "ERROR"),
)  # fmt: skip
