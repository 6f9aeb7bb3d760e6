"""Names that Kotlin gives to every file, and lambdas that bring no receiver."""

from __future__ import annotations

_GIVEN_WORDS = """
it field this super value null true false _ yield await coroutineContext javaClass Any Nothing Unit Boolean Byte Short
Int Long Float Double Char String CharSequence Number Comparable Comparator Enum UByte UShort UInt ULong UByteArray
UShortArray UIntArray ULongArray Array BooleanArray ByteArray ShortArray IntArray LongArray FloatArray DoubleArray
CharArray Annotation Function Throwable Exception Error RuntimeException IllegalArgumentException
IllegalStateException IndexOutOfBoundsException UnsupportedOperationException NumberFormatException
NullPointerException ClassCastException AssertionError NoSuchElementException ConcurrentModificationException
ArithmeticException NoWhenBranchMatchedException UninitializedPropertyAccessException NotImplementedError
KotlinNullPointerException KotlinVersion Lazy LazyThreadSafetyMode Pair Triple Result Deprecated DeprecationLevel
ReplaceWith Suppress PublishedApi SinceKotlin RequiresOptIn OptIn DslMarker ExtensionFunctionType ParameterName
UnsafeVariance ExperimentalStdlibApi ExperimentalUnsignedTypes ExperimentalMultiplatform
OverloadResolutionByLambdaReturnType BuilderInference ExperimentalSubclassOptIn SubclassOptInRequired MustBeDocumented
Repeatable Retention Target AnnotationRetention AnnotationTarget WasExperimental OptionalExpectation
DeepRecursiveFunction Iterable MutableIterable Collection MutableCollection List MutableList Set MutableSet Map
MutableMap Iterator MutableIterator ListIterator MutableListIterator ByteIterator CharIterator IntIterator
LongIterator IndexedValue Grouping AbstractCollection AbstractIterator AbstractList AbstractMap
AbstractMutableCollection AbstractMutableList AbstractMutableMap AbstractMutableSet AbstractSet ArrayDeque ArrayList
HashMap HashSet LinkedHashMap LinkedHashSet RandomAccess Entry Sequence SequenceScope Regex RegexOption MatchResult
MatchGroup MatchGroupCollection StringBuilder Appendable CharCategory CharDirection Typography Charsets
CharacterCodingException ClosedRange ClosedFloatingPointRange OpenEndRange CharRange IntRange LongRange UIntRange
ULongRange CharProgression IntProgression LongProgression AccessDeniedException FileAlreadyExistsException
FileSystemException FileTreeWalk FileWalkDirection NoSuchFileException OnErrorAction JvmField JvmStatic JvmName
JvmMultifileClass JvmOverloads JvmSuppressWildcards JvmWildcard JvmInline JvmRecord JvmSynthetic JvmDefault
JvmDefaultWithCompatibility JvmDefaultWithoutCompatibility JvmPackageName Synchronized Throws Transient Volatile
Strictfp KotlinReflectionNotSupportedError PurelyImplements ImplicitlyActualizedByJvmDeclaration AutoCloseable Object
Integer Character Math System Thread ThreadLocal Runnable Runtime Process ProcessBuilder Class ClassLoader Record Void
Readable Cloneable InterruptedException CloneNotSupportedException ClassNotFoundException NoSuchMethodException
NoSuchFieldException ReflectiveOperationException SecurityException OutOfMemoryError StackOverflowError
InstantiationException IllegalAccessException LinkageError NoClassDefFoundError Override SuppressWarnings
FunctionalInterface SafeVarargs ThreadGroup InheritableThreadLocal StackTraceElement StackWalker Module ModuleLayer
Package ProcessHandle StrictMath StringBuffer VirtualMachineError InternalError UnsatisfiedLinkError VerifyError
IllegalMonitorStateException NegativeArraySizeException ArrayStoreException ArrayIndexOutOfBoundsException
StringIndexOutOfBoundsException ExceptionInInitializerError IncompatibleClassChangeError AbstractMethodError
NoSuchMethodError NoSuchFieldError ThreadDeath TypeNotPresentException IllegalThreadStateException
IllegalCallerException EnumConstantNotPresentException Suspend
"""
_FUNCTIONS_WORDS = """
print println readLine readln readlnOrNull require requireNotNull check checkNotNull error assert TODO run with apply
also let takeIf takeUnless repeat lazy lazyOf synchronized runCatching to use arrayOf arrayOfNulls emptyArray
booleanArrayOf byteArrayOf shortArrayOf intArrayOf longArrayOf floatArrayOf doubleArrayOf charArrayOf ubyteArrayOf
ushortArrayOf uintArrayOf ulongArrayOf enumValues enumValueOf enumEntries listOf listOfNotNull emptyList mutableListOf
arrayListOf buildList setOf setOfNotNull emptySet mutableSetOf hashSetOf linkedSetOf sortedSetOf buildSet mapOf
emptyMap mutableMapOf hashMapOf linkedMapOf sortedMapOf buildMap iterator sequence sequenceOf emptySequence
generateSequence buildString StringBuilder String Regex maxOf minOf compareBy compareByDescending compareValues
compareValuesBy naturalOrder reverseOrder nullsFirst nullsLast Comparator List MutableList Array IntArray LongArray
ByteArray CharArray BooleanArray DoubleArray FloatArray ShortArray suspend contract callsInPlace returns
returnsNotNull implies typeOf isNaN isInfinite isFinite toString hashCode equals compareTo getClass notify notifyAll
wait finalize clone invoke name ordinal entries values valueOf copy component1 component2 component3 component4
createTempDir createTempFile suspendCoroutine createCoroutine startCoroutine toInt toLong toDouble toFloat toByte
toShort toChar plus minus times div rem mod unaryMinus unaryPlus inc dec not and or xor shl shr ushr inv rangeTo
rangeUntil until downTo step contains get set getValue setValue provideDelegate next hasNext main length size isEmpty
"""
GIVEN = frozenset(_GIVEN_WORDS.split()) | frozenset(_FUNCTIONS_WORDS.split())
DEFAULT_PACKAGES = frozenset(
    (
        *("kotlin", "kotlin.annotation", "kotlin.collections", "kotlin.comparisons", "kotlin.io"),
        *("kotlin.ranges", "kotlin.sequences", "kotlin.text", "kotlin.jvm", "java.lang"),
        *("kotlin.js", "kotlin.wasm", "kotlin.native"),
    )
)
_PLAIN_WORDS = """
let also map mapNotNull mapIndexed mapIndexedNotNull mapTo mapNotNullTo flatMap flatMapIndexed flatMapTo filter
filterNot filterIndexed filterTo filterKeys filterValues forEach forEachIndexed onEach any all none count find
findLast first firstOrNull last lastOrNull single singleOrNull indexOfFirst indexOfLast sumOf sumBy maxByOrNull
minByOrNull maxBy minBy maxOf minOf maxOfOrNull minOfOrNull sortedBy sortedByDescending sortBy sortByDescending
groupBy groupingBy associate associateBy associateWith associateByTo associateWithTo partition fold foldIndexed
foldRight reduce reduceIndexed scan runningFold zip zipWithNext windowed chunked takeWhile dropWhile takeLastWhile
dropLastWhile takeIf takeUnless distinctBy joinToString joinTo replace removeAll removeIf retainAll getOrPut getOrElse
getOrDefault ifEmpty ifBlank trim trimStart trimEnd repeat require check requireNotNull checkNotNull lazy use useLines
forEachLine generateSequence computeIfAbsent computeIfPresent compute merge withIndex compareBy thenBy
thenByDescending synchronized withLock runCatching onSuccess onFailure recover recoverCatching assertThrows
assertFailsWith mapKeys mapValues mapKeysTo mapValuesTo firstNotNullOf firstNotNullOfOrNull Runnable Thread thread
invokeOnCompletion binarySearch elementAtOrElse indexOf splitToSequence filterIsInstance sumByDouble Array List
MutableList IntArray ByteArray addAll putIfAbsent
"""
PLAIN_LAMBDAS = frozenset(_PLAIN_WORDS.split())
"""Functions whose lambda sees no more than what stands around it."""
