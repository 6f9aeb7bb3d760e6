"""Names that a language gives to every file."""

from __future__ import annotations

_JS = """
undefined __dirname __filename await NaN Infinity globalThis arguments eval this super Object Function
Boolean Symbol Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError
Number BigInt Math Date String RegExp Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array
Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array Float64Array Map Set WeakMap
WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer DataView Atomics JSON Promise Reflect
Proxy Intl WebAssembly Iterator parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI
encodeURIComponent escape unescape console setTimeout clearTimeout setInterval clearInterval setImmediate
clearImmediate queueMicrotask structuredClone fetch performance crypto atob btoa reportError window self
document navigator location history localStorage sessionStorage indexedDB screen alert confirm prompt open
close print frames parent top opener name status event origin length external caches cookieStore
requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback addEventListener
removeEventListener dispatchEvent getComputedStyle getSelection matchMedia postMessage scroll scrollTo
scrollBy scrollX scrollY innerWidth innerHeight outerWidth outerHeight devicePixelRatio visualViewport
customElements speechSynthesis createImageBitmap importScripts registration clients skipWaiting onmessage
trustedTypes require module exports process global Buffer describe it test expect before after beforeEach
afterEach beforeAll afterAll context specify suite setup teardown xit xdescribe fit fdescribe jest vi vitest
cy Cypress assert sinon chai should jasmine spyOn fail pending QUnit $ jQuery angular browser chrome page
define requirejs Deno Bun defineProps defineEmits defineExpose withDefaults defineOptions defineSlots
defineModel any unknown never string number boolean object symbol bigint void null const as is keyof unique
infer async of get set static type React JSX NodeJS google gapi grecaptcha ga gtag dataLayer firebase
workbox Temporal gc AbortController AbortSignal Blob BroadcastChannel ByteLengthQueuingStrategy CloseEvent
CompressionStream CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException DecompressionStream Event
EventTarget File FormData Headers MessageChannel MessageEvent MessagePort Navigator Performance
PerformanceObserver ReadableStream Request Response Storage SubtleCrypto TextDecoder TextEncoder
TextDecoderStream TextEncoderStream TransformStream URL URLSearchParams URLPattern WebSocket WritableStream
EventSource Worker SharedWorker ServiceWorker focus blur onerror safari opr XMLHttpRequest XMLSerializer
XMLDocument DOMParser DOMRect DOMRectReadOnly DOMPoint DOMMatrix XPathResult XPathEvaluator XSLTProcessor
Node NodeList NodeFilter NodeIterator Element Document DocumentFragment DocumentType Attr Text Comment
CDATASection ShadowRoot Range Selection StaticRange TreeWalker MutationObserver ResizeObserver
IntersectionObserver ReportingObserver MutationRecord CSS CSSStyleSheet CSSRule StyleSheet Image Audio
Option Path2D ImageData ImageBitmap OffscreenCanvas CanvasRenderingContext2D WebGLRenderingContext
WebGL2RenderingContext AudioContext OfflineAudioContext MediaRecorder MediaSource MediaStream MediaQueryList
RTCPeerConnection RTCSessionDescription RTCIceCandidate Notification PushManager Permissions Geolocation
Clipboard ClipboardItem ClipboardEvent DataTransfer DragEvent FileReader FileList FileReaderSync
KeyboardEvent MouseEvent PointerEvent TouchEvent Touch WheelEvent UIEvent InputEvent FocusEvent
CompositionEvent AnimationEvent TransitionEvent PopStateEvent HashChangeEvent BeforeUnloadEvent StorageEvent
ProgressEvent ErrorEvent PromiseRejectionEvent SubmitEvent FormDataEvent ToggleEvent IDBKeyRange IDBDatabase
IDBRequest CustomElementRegistry Animation KeyframeEffect SpeechSynthesisUtterance webkitURL msCrypto
ActiveXObject WebTransport WebKitMutationObserver VideoFrame EncodedVideoChunk Highlight SVGElement
scheduler crossOriginIsolated FetchEvent ExtendableEvent Client WindowClient xtest bench expectTypeOf
assertType element by protractor HTMLRewriter WorkerGlobalScope EdgeRuntime Ti Packages java amd System _
Vue d3 moment __DEV__ __webpack_require__ __webpack_public_path__ __webpack_modules__
__non_webpack_require__ __resourceQuery __VERSION__ __PROD__ __TEST__ __BROWSER__ __SSR__
nativePerformanceNow wx my tt uni swan qq useHead useRoute useFetch defineNuxtConfig defineNuxtPlugin
defineEventHandler $fetch satisfies let yield unsafeWindow wp L mapboxgl Stripe paypal FB twttr YT Shopify
Handlebars Backbone ko THREE PIXI Phaser ace CodeMirror Chart Highcharts MathJax hljs Prism Swal toastr bootstrap
Popper Drupal drupalSettings Alpine htmx Ember Ext dojo Meteor GM Matomo _paq Sentry Plotly Turbo Stimulus
"""
_LENT = """
__dirname __filename require describe it test expect before after beforeEach afterEach beforeAll afterAll context
specify suite setup teardown jest vi vitest assert sinon chai should cy QUnit $ jQuery angular React _ Vue d3 moment
firebase browser page element by google System name status event open close print parent top origin length external
Node Text Comment Range Option Image Event File Request Response
"""
LENT = frozenset(_LENT.split())
"""Names that a host may give to a script; one that took them from elsewhere before a change still needs them."""
_TS_TYPES = """
Partial Required Readonly Record Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters
ReturnType InstanceType Awaited ThisType ThisParameterType OmitThisParameter Uppercase Lowercase Capitalize
Uncapitalize NoInfer ReadonlyArray ReadonlyMap ReadonlySet PromiseLike ArrayLike Iterable IterableIterator
AsyncIterable AsyncIterableIterator AsyncIterator Generator AsyncGenerator PropertyKey PropertyDescriptor
TemplateStringsArray RegExpMatchArray RegExpExecArray ErrorConstructor
"""
_GO = """
bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16
uint32 uint64 uintptr any comparable true false iota nil append cap clear close complex copy delete imag len
make max min new panic print println real recover _ init main
"""
_JAVA = """
Object String Integer Long Double Float Short Byte Character Boolean Number Math System Thread Runnable
Iterable Comparable CharSequence StringBuilder StringBuffer Class ClassLoader Enum Record Void Process
ProcessBuilder Runtime Throwable Exception Error RuntimeException IllegalArgumentException
IllegalStateException NullPointerException IndexOutOfBoundsException ArrayIndexOutOfBoundsException
StringIndexOutOfBoundsException ClassCastException ArithmeticException NumberFormatException
UnsupportedOperationException InterruptedException CloneNotSupportedException ClassNotFoundException
NoSuchMethodException NoSuchFieldException ReflectiveOperationException SecurityException AssertionError
OutOfMemoryError StackOverflowError InstantiationException IllegalAccessException LinkageError
NoClassDefFoundError Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs AutoCloseable
Cloneable Appendable Readable ThreadLocal ThreadGroup InheritableThreadLocal StackTraceElement StackWalker
Module ModuleLayer Package ProcessHandle StrictMath ClassValue Character.UnicodeBlock var
NegativeArraySizeException ArrayStoreException IllegalMonitorStateException ExceptionInInitializerError
IncompatibleClassChangeError NoSuchMethodError NoSuchFieldError AbstractMethodError VirtualMachineError
ScopedValue StringTemplate Iterable UnsatisfiedLinkError ThreadDeath TypeNotPresentException VerifyError
EnumConstantNotPresentException IllegalCallerException LayerInstantiationException MatchException
WrongThreadException ClassFormatError ClassCircularityError UnknownError InternalError IllegalAccessError
UnsupportedClassVersionError BootstrapMethodError InstantiationError IllegalThreadStateException
RuntimePermission
"""
_RUST = """
Self self super crate bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Vec
Option Some None Result Ok Err Box Copy Send Sized Sync Unpin Drop Fn FnMut FnOnce Clone Eq PartialEq Ord
PartialOrd AsRef AsMut Into From Default Iterator Extend IntoIterator DoubleEndedIterator ExactSizeIterator
drop ToOwned ToString TryFrom TryInto FromIterator Future IntoFuture Debug Hash AsyncFn AsyncFnMut AsyncFnOnce
"""
_GO_PACKAGES = """
adler32 aes ascii85 asn1 ast atomic base32 base64 big binary bits bufio build builtin bytes bzip2 cgi cgo
cipher cmp cmplx constant context crc32 crc64 crypto csv debug des doc draw driver dsa ecdh ecdsa ed25519 elf
elliptic embed encoding errors exec expvar filepath flag flate fmt fnv format fs gif gob gzip hash heap hex
hmac html http httptest httptrace httputil image io iotest ioutil iter jpeg json jsonrpc list log lzw mail
maphash maps math md5 metrics mime multipart net netip os palette parse parser path pem pkix plugin png pprof
printer quick rand rc4 reflect regexp ring rpc rsa runtime scanner sha1 sha256 sha512 signal slices slog smtp
sort sql strconv strings subtle suffixarray sync syntax syscall syslog tabwriter tar template testing
textproto time tls token trace types unicode unsafe url user utf16 utf8 x509 xml zip zlib
"""
GO_PACKAGES = frozenset(_GO_PACKAGES.split())
_KNOWN_JS = frozenset(_JS.split())
KNOWN: dict[str, frozenset[str]] = {
    "JavaScript": _KNOWN_JS,
    "TypeScript": _KNOWN_JS | frozenset(_TS_TYPES.split()),
    "TSX": _KNOWN_JS | frozenset(_TS_TYPES.split()),
    "Go": frozenset(_GO.split()),
    "Java": frozenset(_JAVA.split()),
    "Rust": frozenset(_RUST.split()),
}
