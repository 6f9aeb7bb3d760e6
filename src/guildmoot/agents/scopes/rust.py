"""Scopes of Rust; modules that are taken in whole give more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from guildmoot.agents.members.rust_trees import PLAIN_MACROS
from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.parsing.plain_names import is_operand
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.scopes.names import ScopedFile, Use, is_slip
from guildmoot.agents.scopes.table import NOWHERE, NameTable, kinds, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_RUST_PATTERNS = """tuple_pattern tuple_struct_pattern struct_pattern field_pattern captured_pattern or_pattern
ref_pattern mut_pattern slice_pattern reference_pattern match_pattern remaining_field_pattern parenthesized_pattern"""
_IN_PATTERN = frozenset((*_RUST_PATTERNS.split(), "let_declaration", "parameter", "let_condition"))


def _rust_special(node: Node) -> Iterable[str] | None:
    if node.type == "macro_definition":
        name = node.child_by_field_name("name")
        return {text_of(name)} if name is not None else ()
    if node.type == "extern_crate_declaration":
        name = node.child_by_field_name("alias") or node.child_by_field_name("name")
        return {text_of(name)} if name is not None else ()
    return set(_rust_imports(node.child_by_field_name("argument"), ""))


def _rust_imports(node: Node | None, above: str) -> Iterable[str]:
    """The names that an import brings; ``*`` for all of a module, also with the path of it behind."""
    if node is None:
        return
    kind = node.type
    if kind == "use_wildcard":
        yield "*"
        yield f"*{_joined(above, text_of(node)[:-1].rstrip(':'))}"
    elif kind in ("use_list", "scoped_use_list"):
        path = node.child_by_field_name("path")
        inner = node.child_by_field_name("list") if kind == "scoped_use_list" else node
        whole = _joined(above, text_of(path)) if path is not None else above
        for each in inner.named_children if inner is not None else ():
            yield from _rust_imports(each, whole)
    elif kind == "use_as_clause":
        alias = node.child_by_field_name("alias")
        yield text_of(alias) if alias is not None else ""
    else:
        yield (above if kind == "self" else text_of(node)).rpartition("::")[2]


def _joined(above: str, path: str) -> str:
    return "::".join(filter(None, (above, path)))


def _rust_use(node: Node, name: str, place: str) -> bool:
    around = node.parent
    if around is None or name == "_" or name.startswith("r#"):
        return False
    if around.type == "attribute":
        return False
    if around.type == "token_tree" and _attribute(around):
        before, after = node.prev_sibling, node.next_sibling
        alone = (text_of(each) if each is not None else "" for each in (before, after))
        return _attribute(around).startswith("derive") and "::" not in alone
    if around.type == "token_tree":
        return is_operand(node) and not _may_bind(node, name)
    return around.type not in ("lifetime", "label", "macro_invocation")


def _attribute(tree: Node) -> str:
    """What stands in an attribute around the tokens; empty where none does."""
    node: Node | None = tree
    while node is not None and node.type == "token_tree":
        node = node.parent
    return text_of(node) if node is not None and node.type == "attribute" else ""


_QUOTING = re.compile(r"quote|cfg|select|html|rsx|view|json|sql|query|parse")
"""Macros whose tokens are not values of the program around them."""


def _may_bind(node: Node, name: str) -> bool:
    """Whether the tokens of a macro may give it to themselves."""
    tree = node
    while tree.parent is not None and tree.parent.type == "token_tree":
        node, tree = tree, tree.parent
        called = _called(tree)
        if _QUOTING.search(called):
            return True
        if "matches" in called:  # a value, and then a pattern
            behind = (each for each in tree.children if each.end_byte <= node.start_byte)
            return any(each.type == "," for each in behind)
    text = text_of(tree)
    if not re.search(r"\||\blet\b|=>|\bfor\b|\bmove\b|<-|#", text):
        return False
    return len(re.findall(rf"\b{re.escape(name)}\b", text)) > 1


def _called(tree: Node) -> str:
    """The macro that is given the tokens, also where it stands among those of another."""
    if tree.parent is not None and tree.parent.type == "macro_invocation":
        macro = tree.parent.child_by_field_name("macro")
    else:
        sign = tree.prev_sibling
        macro = sign.prev_sibling if sign is not None and text_of(sign) == "!" else None
    return text_of(macro) if macro is not None else ""


def _rust_where(node: Node, field: str, where: str) -> str:
    """What a type or trait has is known by its name alone to nobody."""
    around = node.parent
    owner = around.parent if around is not None and around.type == "declaration_list" else None
    owned = owner is not None and owner.type in ("impl_item", "trait_item")
    return NOWHERE if owned and field == "name" else where


def _is_item_macro(node: Node) -> bool:
    around = node.parent
    if node.type != "macro_invocation" or around is None:
        return False
    if around.type == "expression_statement" and around.parent is not None:
        around = around.parent
    return around.type in ("source_file", "declaration_list")


TABLE = NameTable(
    names=kinds("identifier type_identifier shorthand_field_identifier"),
    scopes=kinds(
        """block function_item function_signature_item closure_expression match_arm for_expression if_expression
        while_expression impl_item trait_item struct_item enum_item union_item type_item mod_item associated_type
        function_type where_predicate"""
    ),
    wide=kinds("function_item closure_expression"),
    binds=places(
        """let_declaration:pattern parameter:pattern closure_parameters match_arm:pattern for_expression:pattern
        let_condition:pattern function_item:name^ function_signature_item:name^ const_item:name static_item:name
        struct_item:name^ enum_item:name^ union_item:name^ trait_item:name^ type_item:name^ mod_item:name^
        type_parameter:name const_parameter:name associated_type:name^"""
    ),
    patterns=kinds(_RUST_PATTERNS),
    aside=places(
        """scoped_identifier:name scoped_type_identifier:name enum_variant:name macro_invocation:macro
        generic_type_with_turbofish:type type_binding:name"""
    ),
    skipped=kinds("line_comment block_comment inner_attribute_item label lifetime"),
    special=dict.fromkeys(
        ("use_declaration", "macro_definition", "extern_crate_declaration"), _rust_special
    ),
    is_use=_rust_use,
    is_bound=lambda node, name, place: (
        place.partition(":")[0] not in _IN_PATTERN or not name[:1].isupper()
    ),
    where=_rust_where,
    is_opaque=_is_item_macro,
)


def is_given(use: Use, gone: bool, file: ScopedFile) -> bool:
    name = use.name
    if use.place.endswith(":path") and name[:1].islower():
        return not (gone and _was_imported(name, file.past)) or _is_crate(name, file)
    if not name[:1].islower() and use.place == "token_tree:":  # of a derive
        return not gone or any("*" in scope.names for scope in use.scope.chain())
    local = name[:1].islower() and not use.place.startswith("call_expression")
    taken = (name for scope in use.scope.chain() for name in scope.names if name[:1] == "*")
    globs = [] if local and gone else [each[1:] for each in taken if each not in ("*", "*super")]
    given = [_glob_gives(file.around.path, each, name, file.around, 4) for each in globs]
    if any(given) or _is_above(use, name, file) or (not gone and _may_be_made(name, file.text)):
        return True
    if gone and _is_gone_item(name, file):
        return False
    unknown = None in given or "include!" in file.text or "macro_use" in file.text
    if unknown and not (gone and (local or _is_of_crate(name, globs, file))):
        return not is_slip(use, file) or bool(file.around.held(name))
    return not gone and len(name) < 2


def _may_be_made(name: str, text: str) -> bool:
    """Whether a macro of the project is given the name first, as one that makes a type is."""
    made = re.finditer(rf"\b(\w+)!\s*[({{\[]\s*(?:pub\s+)?(?:struct\s+|enum\s+)?{name}\b", text)
    return any(not PLAIN_MACROS.match(each[1]) for each in made)


def _is_above(use: Use, name: str, file: ScopedFile) -> bool:
    """Whether a file takes in all that stands in the module above it, and that one has the name or more globs."""
    *_, top = use.scope.chain()
    if "*super" not in top.names:
        return False
    text = file.around.text
    folder, base = posixpath.split(file.around.path)
    above = posixpath.dirname(folder) if base == "mod.rs" else folder
    homes = [posixpath.join(above, each) for each in ("mod.rs", "lib.rs", "main.rs")]
    texts = [said for home in (*homes, f"{above}.rs") if (said := text(home))]
    asked = re.compile(rf"\b{re.escape(name)}\b|\*\s*[;,}}]")
    return not texts or any(map(asked.search, texts))


def _is_gone_item(name: str, file: ScopedFile) -> bool:
    """Whether the file had it as an item of its own, and no file of the crate has one now."""
    item = re.compile(
        rf"\b(?:struct|enum|trait|type|fn|const|static|union|macro_rules!)\s+{name}\b"
    )
    if not item.search(file.past):
        return False
    return not any(map(item.search, (file.text, *file.around.held(name))))


def _is_of_crate(name: str, globs: list[str], file: ScopedFile) -> bool:
    """Whether the name was imported from this crate, and all that is taken in whole lies elsewhere."""
    own = r"(?:crate|self|super)\b"
    taken = re.search(rf"(?m)^\s*use\s+{own}[^;]*\b{re.escape(name)}\b", file.past)
    return taken is not None and not any(re.match(own, each) for each in globs)


def _glob_gives(path: str, glob: str, name: str, around: Around, deep: int) -> bool | None:
    """Whether all of a module brings the name; None where the module is not here."""
    parts = glob.split("::")
    if not deep:
        return None
    if parts[0] in ("std", "core", "alloc"):
        return False if parts[-1] in ("prelude", "fmt", "io") else None
    homes = [each for each in _module_files(path, parts) if around.text(each)]
    if not homes:
        return None
    for home in homes:
        text = around.text(home)
        made = rf"\bpub(?:\([^)]*\))?\s+(?:use\s[^;]*|(?:\w+\s+)*)\b{re.escape(name)}\b|macro_rules"
        if re.search(made, text):
            return True
        more = re.findall(r"(?m)^\s*pub(?:\([^)]*\))?\s+use\s+([^;]*\*[^;]*);", text)
        for each in (re.sub(r"\s", "", written) for written in more):
            plain = each.count("*") == 1 and each.endswith("::*")
            found = _glob_gives(home, each[:-3], name, around, deep - 1) if plain else None
            if found is not False:
                return found
    return False


def _module_files(path: str, parts: list[str]) -> list[str]:
    """Where a module of the crate may lie."""
    folder = posixpath.dirname(path)
    if parts[0] in ("self", "super"):
        base = posixpath.basename(path)
        own = folder if base in ("mod.rs", "lib.rs", "main.rs") else path.removesuffix(".rs")
        folders = [own if parts[0] == "self" else posixpath.dirname(own)]
    else:
        pieces = folder.split("/") if folder else []
        folders = ["/".join(pieces[:at]) for at in range(len(pieces), -1, -1)]
    tail = parts[1:] if parts[0] in ("self", "super", "crate") else parts
    if not tail:
        return [
            posixpath.join(each, name) for each in folders[:1] for name in ("mod.rs", "lib.rs")
        ] + [f"{each}.rs" for each in folders[:1]]
    stems = [posixpath.join(each, *tail) for each in folders]
    return [f"{stem}{end}" for stem in stems for end in (".rs", "/mod.rs")]


def _was_imported(name: str, past: str) -> bool:
    return re.search(rf"(?m)^\s*(?:pub\s+)?use\s+[^;]*\b{re.escape(name)}\b", past) is not None


def _is_crate(name: str, file: ScopedFile) -> bool:
    """Whether a dependency is called so."""
    texts = (file.around.text(path) for path in file.around.paths(name.replace("_", "-")))
    manifest = re.compile(rf"(?m)^\s*\"?{name.replace('_', '[-_]')}\"?\s*[.=]")
    return any("[dependencies" in text and manifest.search(text) for text in texts)
