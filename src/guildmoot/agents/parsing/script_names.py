"""Names that a JavaScript or TypeScript module uses and nobody gives it: not the file, not the language, not its host.

A name that is bound anywhere in the file counts as given everywhere, so scopes need not be known; a file that is no
module may get its names from other scripts and is not judged.
"""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

SCRIPTS = ("JavaScript", "TypeScript", "TSX")
_MODULE = re.compile(
    rb"^\s*(?:import\b|export\b)|\brequire\s*\(|\bmodule\.exports\b|\bexports\.\w", re.MULTILINE
)
_ODD = re.compile(rb"\beval\s*\(|\bwith\s*\(|\bnew Function\b|\bimportScripts\b|@ts-nocheck")
_DECLARED = re.compile(rb"/\*\s*(?:globals?|exported)\s+(.*?)\*/", re.DOTALL)
_BINDING = ("shorthand_property_identifier_pattern", "type_identifier")
_KINDS = ("identifier", "shorthand_property_identifier", *_BINDING)
_READ = """
    (call_expression function: (identifier) @read) (new_expression constructor: (identifier) @read)
    (member_expression object: (identifier) @read) (subscript_expression object: (identifier) @read)
    (subscript_expression index: (identifier) @read) (arguments (identifier) @read)
    (binary_expression (identifier) @read) (template_substitution (identifier) @read)
    (return_statement (identifier) @read) (ternary_expression (identifier) @read)
    (spread_element (identifier) @read) (array (identifier) @read) (await_expression (identifier) @read)
    (pair value: (identifier) @read) (variable_declarator value: (identifier) @read)
    (assignment_expression right: (identifier) @read) (arrow_function body: (identifier) @read)
    (parenthesized_expression (identifier) @read) (throw_statement (identifier) @read)
    (shorthand_property_identifier) @read
"""
"""Where a name must be there: what is called, made, looked into, given or compared."""
_KNOWN = """
    undefined NaN Infinity arguments this super globalThis global window self document navigator location
    Object Function Boolean Symbol Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError
    URIError Number BigInt Math Date String RegExp Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry Iterator
    ArrayBuffer SharedArrayBuffer DataView Atomics JSON Promise Reflect Proxy Intl WebAssembly Temporal
    Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array
    Float64Array BigInt64Array BigUint64Array
    eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape
    console process Buffer require module exports __dirname __filename setTimeout setInterval setImmediate
    clearTimeout clearInterval clearImmediate queueMicrotask structuredClone fetch gc
    AbortController AbortSignal Blob BroadcastChannel ByteLengthQueuingStrategy CloseEvent CompressionStream
    CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException DecompressionStream Event EventTarget File FormData
    Headers MessageChannel MessageEvent MessagePort Navigator Performance PerformanceObserver ReadableStream Request
    Response Storage SubtleCrypto TextDecoder TextEncoder TextDecoderStream TextEncoderStream TransformStream URL
    URLSearchParams URLPattern WebSocket WritableStream EventSource Worker SharedWorker ServiceWorker atob btoa crypto
    performance localStorage sessionStorage indexedDB caches history screen frames parent top opener alert confirm
    prompt open close print focus blur scroll scrollTo scrollBy getComputedStyle getSelection matchMedia
    requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback postMessage addEventListener
    removeEventListener dispatchEvent onmessage onerror name status origin event external chrome browser safari opr
    XMLHttpRequest XMLSerializer XMLDocument DOMParser DOMRect DOMRectReadOnly DOMPoint DOMMatrix XPathResult
    XPathEvaluator XSLTProcessor Node NodeList NodeFilter NodeIterator Element Document DocumentFragment
    DocumentType Attr Text Comment CDATASection ShadowRoot Range Selection StaticRange TreeWalker
    MutationObserver ResizeObserver IntersectionObserver ReportingObserver MutationRecord CSS CSSStyleSheet
    CSSRule StyleSheet Image Audio Option Path2D ImageData ImageBitmap OffscreenCanvas createImageBitmap
    CanvasRenderingContext2D WebGLRenderingContext WebGL2RenderingContext AudioContext OfflineAudioContext
    MediaRecorder MediaSource MediaStream MediaQueryList RTCPeerConnection RTCSessionDescription RTCIceCandidate
    Notification PushManager Permissions Geolocation Clipboard ClipboardItem ClipboardEvent DataTransfer DragEvent
    FileReader FileList FileReaderSync KeyboardEvent MouseEvent PointerEvent TouchEvent Touch WheelEvent UIEvent
    InputEvent FocusEvent CompositionEvent AnimationEvent TransitionEvent PopStateEvent HashChangeEvent
    BeforeUnloadEvent StorageEvent ProgressEvent ErrorEvent PromiseRejectionEvent SubmitEvent FormDataEvent ToggleEvent
    IDBKeyRange IDBDatabase IDBRequest customElements CustomElementRegistry Animation KeyframeEffect trustedTypes
    visualViewport speechSynthesis SpeechSynthesisUtterance webkitURL msCrypto ActiveXObject Blob WebTransport
    WebKitMutationObserver VideoFrame EncodedVideoChunk Highlight SVGElement scheduler reportError crossOriginIsolated
    self clients skipWaiting registration FetchEvent ExtendableEvent Client WindowClient importScripts
    describe xdescribe fdescribe context it xit fit test xtest suite bench specify before after
    beforeEach afterEach beforeAll afterAll expect
    expectTypeOf assertType jest vi vitest jasmine spyOn sinon chai assert should cy Cypress QUnit
    browser element by protractor page
    Deno Bun HTMLRewriter WorkerGlobalScope EdgeRuntime Ti Packages java
    define amd System jQuery $ _ angular React Vue d3 moment google firebase dataLayer gtag ga grecaptcha
    __DEV__ __webpack_require__ __webpack_public_path__ __webpack_modules__ __non_webpack_require__ __resourceQuery
    __VERSION__ __PROD__ __TEST__ __BROWSER__ __SSR__ __dirname nativePerformanceNow alert wx my tt uni swan qq
    defineProps defineEmits defineExpose defineOptions defineSlots defineModel withDefaults useHead useRoute useFetch
    defineNuxtConfig defineNuxtPlugin defineEventHandler $fetch
    satisfies as async await of get set let yield static
"""
_GLOBALS = frozenset(_KNOWN.split())


def undefined_names(root: Node, data: bytes, language: Language) -> list[tuple[int, str]]:
    """Each such name once, with the line of its first use; nothing for what is no module."""
    if not _MODULE.search(data) or _ODD.search(data):
        return []
    found = _names_of(root, language)
    reads = found.get("read", [])
    lost = {_text(node) for node in reads} - _GLOBALS
    lost -= {word for said in _DECLARED.findall(data) for word in _words(said)}
    for node in found.get("name", ()):
        if (name := _text(node)) in lost and not _is_mention(node):
            lost.discard(name)
    lines: dict[str, int] = {}
    for node in sorted(reads, key=lambda node: node.start_byte):
        name = _text(node)
        if name in lost and not _is_ambient(name) and not _is_guarded(node):
            lines.setdefault(name, node.start_point[0] + 1)
    return [(line, name) for name, line in lines.items()]


def _is_ambient(name: str) -> bool:
    """Names that bundlers and hosts put in: ``__BUILD__``, ``HTMLDivElement``, ``SVGRect``."""
    return bool(
        re.match(r"__|HTML|SVG|WebGL|GPU|CSS|RTC|Media|Audio|IDB|Speech|USB|XR|AFRAME", name)
    )


def _names_of(root: Node, language: Language) -> dict[str, list[Node]]:
    """Every name of the tree, and those of them that are called, made or looked into."""
    from tree_sitter import QueryCursor

    return QueryCursor(_query(language)).captures(root)


@lru_cache(maxsize=4)
def _query(language: Language) -> Query:
    from tree_sitter import Query

    kinds = " ".join(f"({kind})" for kind in _KINDS if language.id_for_node_kind(kind, True))
    return Query(language, f"[{kinds}] @name {_READ}")


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _is_mention(node: Node) -> bool:
    """Whether the name only stands there as a value: neither certain to be read nor a binding."""
    parent = node.parent
    if parent is None or node.type in _BINDING:
        return False
    if parent.type in _VALUES:
        return True
    if parent.type in ("variable_declarator", "assignment_pattern", "required_parameter"):
        return node in (parent.child_by_field_name("value"), parent.child_by_field_name("right"))
    if parent.type in ("pair", "public_field_definition", "field_definition"):
        return parent.child_by_field_name("value") == node
    return node.type == "shorthand_property_identifier"


_POSITIONS = """
    call_expression member_expression new_expression subscript_expression arguments binary_expression
    unary_expression update_expression ternary_expression return_statement expression_statement template_substitution
    parenthesized_expression spread_element await_expression yield_expression throw_statement array
    sequence_expression augmented_assignment_expression jsx_expression if_statement while_statement
    switch_statement switch_case decorator non_null_expression as_expression satisfies_expression
    class_heritage extends_clause jsx_opening_element jsx_closing_element jsx_self_closing_element
"""
_VALUES = frozenset(_POSITIONS.split())


def _is_guarded(node: Node) -> bool:
    """Under ``typeof name`` the code asks itself whether the name is there."""
    name, at = _text(node), node.parent
    while at is not None and at.type not in ("program", "statement_block", "class_body"):
        if f"typeof {name}" in (at.text or b"").decode("utf-8", "replace"):
            return True
        at = at.parent
    return False


def _words(said: bytes) -> list[str]:
    return re.findall(r"[\w$]+", said.decode("utf-8", "replace"))
