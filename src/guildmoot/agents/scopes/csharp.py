"""Scopes of C#; other parts of a class, the types above it and its namespaces give it more."""

from __future__ import annotations

import re

from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.scopes.csharp_elsewhere import is_elsewhere
from guildmoot.agents.scopes.csharp_types import (
    DeclaredType,
    bases_of,
    modifiers,
    named,
    seen,
    types_of,
    usings,
)
from guildmoot.agents.scopes.names import ScopedFile, Use, took_place
from guildmoot.agents.scopes.table import NameTable, kinds, places
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_near, passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_KEYS = frozenset(
    (
        *("anonymous_object_creation_expression", "with_initializer", "subpattern"),
        *("attribute_argument", "argument", "tuple_element"),
    )
)
"""Kinds that hold a name and a value, with a sign between them."""
_CALL, _ASKED = "invocation_expression:function", "member_access_expression:expression"
_ASKS = ("member_access_expression", "member_binding_expression")


def _is_use(node: Node, name: str, place: str) -> bool:
    around = node.parent
    if around is None or around.has_error:
        return False
    after = node.next_sibling
    if around.type in _KEYS and after is not None and after.type in ("=", ":"):
        return False
    if around.type == "generic_name" and around.parent is not None:
        asked = around.parent
        return asked.type not in _ASKS or asked.child_by_field_name("name") != around
    if place == "assignment_expression:left":
        holder = around.parent
        return holder is None or holder.type != "initializer_expression"
    while around is not None and around.type.endswith(("_expression", "_condition")):
        around = around.parent
    return around is None or not around.type.startswith(("preproc_if", "preproc_elif"))


def _using(node: Node) -> set[str]:
    return {named(node)}


def _supers(node: Node) -> list[str]:
    """Types above, and the type itself where other files hold parts of it."""
    parts = [f"partial {named(node)}"] if "partial" in modifiers(node) else []
    return [*bases_of(node), *parts]


TABLE = NameTable(
    names=kinds("identifier implicit_parameter"),
    scopes=kinds(
        """class_declaration struct_declaration interface_declaration enum_declaration record_declaration
        delegate_declaration method_declaration constructor_declaration destructor_declaration operator_declaration
        conversion_operator_declaration indexer_declaration accessor_declaration local_function_statement
        lambda_expression anonymous_method_expression block for_statement foreach_statement using_statement
        fixed_statement catch_clause switch_body switch_expression_arm query_expression"""
    ),
    wide=kinds(
        """method_declaration constructor_declaration operator_declaration conversion_operator_declaration
        indexer_declaration accessor_declaration local_function_statement lambda_expression
        anonymous_method_expression"""
    ),
    binds=places(
        """class_declaration:name^ struct_declaration:name^ interface_declaration:name^ enum_declaration:name^
        record_declaration:name^ delegate_declaration:name^ method_declaration:name^ property_declaration:name^
        event_declaration:name^ local_function_statement:name^ variable_declarator:name parameter:name
        parameter_list:name bracketed_parameter_list:name enum_member_declaration:name type_parameter:name
        foreach_statement:left catch_declaration:name declaration_pattern:name~ declaration_expression:name~
        recursive_pattern:name~ list_pattern:name~ var_pattern~ tuple_pattern:name parenthesized_variable_designation~
        from_clause:name join_clause let_clause join_into_clause query_expression lambda_expression:parameters
        extern_alias_directive"""
    ),
    patterns=kinds("tuple_pattern"),
    aside=places(
        """member_access_expression:name member_binding_expression:name constructor_declaration:name
        destructor_declaration:name attribute:name attribute_argument:name argument:name tuple_element:name
        namespace_declaration:name file_scoped_namespace_declaration:name goto_statement labeled_statement
        preproc_if:condition preproc_elif:condition invocation_expression:- assignment_expression:-
        variable_declaration:- object_creation_expression:- cast_expression:- as_expression:-
        subpattern:- with_initializer:-"""
    ),
    skipped=kinds(
        """comment qualified_name alias_qualified_name preproc_pragma preproc_nullable preproc_line preproc_error
        preproc_warning preproc_define preproc_undef preproc_region preproc_endregion
        type_parameter_constraints_clause function_pointer_type explicit_interface_specifier"""
    ),
    special={"using_directive": _using},
    is_use=_is_use,
    supers=_supers,
)

_OF_ALL_WORDS = """
Equals GetHashCode GetType ToString ReferenceEquals MemberwiseClone Finalize PrintMembers EqualityContract Deconstruct
nameof var dynamic value field args global _ nint nuint await async yield notnull unmanaged record required scoped when
"""
OF_ALL = frozenset(_OF_ALL_WORDS.split())
_OF_ERRORS = """
Message InnerException StackTrace Data HelpLink HResult Source TargetSite GetBaseException GetObjectData
SerializeObjectState
"""
GIVEN = {
    **dict.fromkeys(("object", "Object", "ValueType"), frozenset[str]()),
    **dict.fromkeys(
        (
            *("Exception", "SystemException", "ApplicationException", "InvalidOperationException"),
            *("NotSupportedException", "FormatException"),
        ),
        frozenset(_OF_ERRORS.split()),
    ),
    "Attribute": frozenset(("TypeId", "Match", "IsDefaultAttribute", "GetCustomAttribute")),
    "EventArgs": frozenset(("Empty",)),
}
"""Types of the language, with what they give to those below them."""
_SHARED = lazy(
    r"\bglobal\s+using\s+static\s+(?:global::)?([\w.]+)"
    r"|<Using\b(?=[^>]*(?:\bStatic=|>\s*<Static>))[^>]*\bInclude=[\"']([^\"']+)"
)
"""What gives static members to all files of a project."""
_INTERFACE = lazy(r"I[A-Z]\w*")
_TYPE_WORDS = """
base_list type_argument_list generic_name nullable_type array_type typeof_expression constant_pattern default_expression
tuple_element is_expression pointer_type delegate_declaration event_declaration sizeof_expression ref_type
operator_declaration conversion_operator_declaration type_pattern scoped_type array_creation_expression
variable_declaration object_creation_expression cast_expression parameter method_declaration catch_declaration
property_declaration declaration_pattern recursive_pattern local_function_statement indexer_declaration
declaration_expression attribute
"""
_TYPE_KINDS = frozenset(_TYPE_WORDS.split())
"""Kinds of nodes that hold a type."""
_NO_TYPES = (
    "return|await|new|throw|in|is|as|and|or|not|else|case|out|ref|yield|when|goto|select|where"
)
_MARKUP = (".xaml", ".axaml", ".razor", ".cshtml", ".resx", ".tt", ".proto")


def is_given(use: Use, gone: bool, file: ScopedFile) -> bool:
    if use.name in OF_ALL or use.name.startswith("@") or _is_misread(use, gone, file):
        return True
    if not gone and _is_elsewhere(use, file) and not _is_taken_whole(use, file):
        return False
    if _may_be_type(use, file):
        return _is_given_type(use, gone, file)
    inherited = is_inherited(use.name, use.supers, file.text, file.around)
    if inherited or _is_taken_whole(use, file):
        return True
    if inherited is False:
        return not gone and _is_of_nobody(use, file)
    return not (_is_surely_gone(use, file) if gone else _is_slip(use, file))


def is_unknown(use: Use, file: ScopedFile) -> bool:
    """Whether a local or a method of the class itself is meant, and the types above are known and have none."""
    if (
        use.name in OF_ALL
        or use.name.startswith("@")
        or not (_is_small(use.name) or use.place == _CALL)
    ):
        return False
    if _is_misread(use, False, file) or _is_of_nobody(use, file) or _is_taken_whole(use, file):
        return False
    return is_inherited(use.name, use.supers, file.text, file.around) is False


def _is_elsewhere(use: Use, file: ScopedFile) -> bool:
    def above(name: str, supers: list[str]) -> bool | None:
        return is_inherited(name, supers, file.text, file.around)

    in_type = use.place.partition(":")[0] in _TYPE_KINDS and not use.place.endswith(":value")
    typed = not _is_small(use.name) and (in_type or use.place in (_ASKED, "qualified_name:"))
    return is_elsewhere(use, file, above, typed=typed)


def _is_misread(use: Use, gone: bool, file: ScopedFile) -> bool:
    """Whether the grammar lost its way: conditions of the preprocessor may cut statements in two."""
    if not _is_small(use.name) and file.text.split("\n")[use.line - 1].lstrip().startswith("["):
        return True  # an attribute, taken for a list
    word = re.escape(use.name)
    written = rf"(?<![\w.])(?!(?:{_NO_TYPES})\b)\w(?:[\w<>\[\],.]*[\w>\]])?\??\s+{word}\s*(?:[=;,)({{<]|in\b)"
    return (file.root.has_error or not gone) and re.search(written, file.text) is not None


def _may_be_type(use: Use, file: ScopedFile) -> bool:
    """Whether the place takes a type, or the name may be one: those of values mostly begin with a small letter."""
    if use.place.partition(":")[0] in _TYPE_KINDS and not use.place.endswith(":value"):
        return True
    if _is_small(use.name) or use.place == _CALL:
        return False
    return use.place == _ASKED or not any(use.name in each.members for each in types_of(file.past))


def _is_small(name: str) -> bool:
    return name[:1].islower() or name[:1] == "_"


def _is_of_nobody(use: Use, file: ScopedFile) -> bool:
    """Whether it stands in no type: a file of statements, whose type may have parts elsewhere."""
    held = {scope.kind for scope in use.scope.chain()}
    return not held & {"class_declaration", "struct_declaration", "record_declaration"}


def _is_taken_whole(use: Use, file: ScopedFile) -> bool:
    """Whether the static members of a type are taken that is not here or has the name."""
    around = file.around
    found = around.holders(("Using", "global"))
    said = (around.text(path) for path in {*found["Using"], *found["global"]})
    owners = {"".join(each) for text in said for each in _SHARED.findall(text)}
    owners |= usings(file.text, static=True)
    if _is_small(use.name) and use.place != _CALL:  # the language's own types have none such
        owners = {each for each in owners if not each.startswith("System.")}
    within = seen(file.text)
    return use.name[:1] != "_" and any(_may_give(use.name, each, within, around) for each in owners)


def _may_give(name: str, owner: str, within: frozenset[str], around: Around) -> bool:
    """Whether a type, by its name in one of these namespaces, lies elsewhere, is made in part, or has the member."""
    namespace, _, short = owner.rpartition(".")
    places = {f"{each}.{namespace}".strip(".") for each in (*within, "")}
    every = (types_of(around.text(path)) for path in around.paths(short) if path.endswith(".cs"))
    homes = [each for found in every for each in found if each.name == short]
    homes = [each for each in homes if each.namespace in places]
    return not homes or any(each.made or each.bases or name in each.members for each in homes)


def is_inherited(
    name: str, supers: list[str], text: str, around: Around, deep: int = 8
) -> bool | None:
    """Whether another part or a type above declares the name; None where one of them lies elsewhere."""
    unknown = False
    for written in dict.fromkeys(supers):
        owner = written.removeprefix("partial ").rpartition(".")[2]
        part = written != owner and written.startswith("partial ")
        homes = _homes(owner, text, around) if deep else []
        if part:
            homes = [each for each in homes if each.partial]
            unknown = unknown or len(homes) < 2 or any(each.made for each in homes)
        elif not homes:
            if owner in GIVEN:
                if name in GIVEN[owner]:
                    return True
            else:
                unknown = unknown or not _INTERFACE.fullmatch(owner)
            continue
        for home in homes:
            if name in home.members:
                return True
            above = [*home.bases, *([f"partial {home.name}"] if home.partial and not part else [])]
            found = is_inherited(name, above, _text_of(home, text, around), around, deep - 1)
            if found:
                return True
            unknown = unknown or found is None
    return None if unknown else False


def _homes(name: str, text: str, around: Around) -> list[DeclaredType]:
    """The types of that name which a text sees, and their parts."""
    here = [each for each in types_of(text) if each.name == name]
    visible = seen(text) | {each.namespace for each in here}
    found = list(here)
    for path in around.paths(name) if not here or any(each.partial for each in here) else ():
        if path.endswith(".cs"):
            other = around.text(path)
            found += [
                each for each in types_of(other) if each.name == name and each.namespace in visible
            ]
    return found


def _text_of(home: DeclaredType, text: str, around: Around) -> str:
    """The text that declares a type."""
    if home in types_of(text):
        return text
    paths = (path for path in around.paths(home.name) if path.endswith(".cs"))
    return next((said for said in map(around.text, paths) if home in types_of(said)), text)


def _is_surely_gone(use: Use, file: ScopedFile) -> bool:
    """Whether the file had it for itself, where nobody can see all that may give it now."""
    then, now = types_of(file.past), types_of(file.text)
    members = [member for each in then for member in each.members.get(use.name, ())]
    if any(member.hides for member in members) or "UnityEngine" in file.text:
        return False
    if not {base for each in now for base in each.bases} <= {
        base for each in then for base in each.bases
    }:
        return False
    if any(each.made for each in now) and any(each.partial for each in now):
        return False
    return not any(path.endswith(_MARKUP) for path in file.around.holders([use.name])[use.name])


def _is_slip(use: Use, file: ScopedFile) -> bool:
    """Whether it stands where something declared stood and nowhere else, where nobody can see all that may give it."""
    if (
        len(use.name) < 4
        or any(file.around.holders([use.name]).values())
        or not took_place(use, file)
    ):
        return False
    whole = [each for each in use.supers if not each.startswith("partial ")]
    near = any(is_near(use.name, each) for each in use.declared())
    if any(each.partial and each.made for each in types_of(file.text)):
        return near  # an attribute may have the build write it
    return near or is_inherited(use.name, whole, file.text, file.around) is False


def _is_given_type(use: Use, gone: bool, file: ScopedFile) -> bool:
    """Types are told where their declaration became another, or a member took their place."""
    if not gone or is_inherited(use.name, use.supers, file.text, file.around) is not False:
        return True
    declares = re.compile(
        rf"\b(?:class|struct|interface|enum|record|delegate\s+[\w<>\[\]?.]+)\s+{re.escape(use.name)}\b"
    )
    if any(map(declares.search, file.around.held(use.name))):
        return True
    if use.place == _ASKED:
        members = [m for t in types_of(file.past) for m in t.members.get(use.name, ())]
        if members:
            return any(each.type == use.name for each in members) or bool(_elsewhere(use, file))
    return not any(
        declares.search(each.before)
        and re.search(r"\b(?:class|struct|interface|enum|record|delegate)\s", each.after)
        for each in passages(file.past, file.text)
    )


def _elsewhere(use: Use, file: ScopedFile) -> list[str]:
    """Other files that ask something of that name, which may be a type from afar."""
    asked = re.compile(rf"(?<![\w.]){re.escape(use.name)}\.\w")
    return [text for text in file.around.held(use.name) if asked.search(text)]
