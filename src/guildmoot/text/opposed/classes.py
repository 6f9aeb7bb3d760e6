"""Classes of words of which one thing can be one only: data, a line a class, its members between bars.

Words of one member mean the same. A class whose name ends in ``!`` is so particular that two members at one
place are rivals whatever else is said; for the others both remedies have to be about one thing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

CLASSES = """
direction: ascending asc | descending desc
age: newest newest-first latest-first most-recent-first | oldest oldest-first earliest-first
consent: opt-in | opt-out
extent: including inclusive inclusively | excluding exclusive exclusively
mode: text-mode in-text | binary binary-mode
zone: utc gmt | local local-time
level: at-debug to-debug debug-level | at-info to-info info-level
    | at-warning at-warn to-warning to-warn warning-level | at-error to-error error-level
enclosure: inside within | outside
end: first | last
edge: top | bottom
hand: left | right
secrecy: plaintext plain cleartext unencrypted | hashed encrypted
schedule: nightly daily | hourly | weekly | monthly | on-demand
truth: true | false
join: inner | left | outer | cross
guarding: synchronized synchronised locking thread-safe | lock-free unsynchronized
locking: optimistic optimistically | pessimistic pessimistically
queue: fifo | lifo
access: public exported | private internal package-private pub(crate) | protected
mutability: mutable writable var | immutable frozen readonly read-only const final
need: required mandatory non-null nonnull not-null non-nullable | optional nullable
timing: synchronous sync synchronously blocking | asynchronous async asynchronously non-blocking
loading: eager eagerly upfront at-startup preload | lazy lazily on-demand on-first-use on-first-access
strictness: strict strictly | lenient leniently tolerant permissive loose
order: sequential sequentially serial serially one-by-one one-at-a-time | parallel concurrent concurrently
binding: static statically | dynamic dynamically
case!: case-sensitive case-sensitively respect-case
    | case-insensitive case-insensitively ignore-case ignoring-case regardless-of-case
passing: keyword-only by-keyword | positional positionally by-position
deletion: soft soft-delete soft-deleted soft-deletion tombstone mark-as-deleted
    | hard hard-delete physically permanently
pace: immediately instantly at-once right-away straight-away | later delayed deferred
privilege!: root as-root privileged | non-root nonroot unprivileged rootless
references: weak weakly unowned | strong strongly
memory: memory in-memory | disk on-disk
allocation: stack on-stack | heap malloc on-heap
doubles: mock mocked mocking stub stubbed fake | real
indent!: tab tabs | space spaces
unit!: px pixel pixels | rem rems | em ems | pt | vw | vh
hashing!: bcrypt | argon2 argon2id | scrypt | pbkdf2 | sha1 sha-1 | sha256 sha-256 | sha512 sha-512 | md5
signing!: rs256 | hs256 | es256 | eddsa ed25519
copying: in-place inplace | copy copied
source: as-an-argument as-a-parameter as-arguments | from-the-environment environment-variable env-var
    | from-a-file config-file
cadence: once at-the-end in-one-go in-one-batch | after-every after-each for-each-row each-row
cipher!: aes-gcm | aes-cbc | chacha20 chacha20-poly1305 | aes-ecb
naming!: camelcase camel-case | snake_case snake-case | kebab-case | pascalcase pascal-case
format: json jsonb | xml | yaml | toml | csv | protobuf | msgpack | pickle | avro | parquet
delivery!: at-least-once | exactly-once | at-most-once
isolation!: read-committed | serializable | repeatable-read | read-uncommitted | snapshot-isolation
referential!: cascade on-delete-cascade | on-delete-restrict | set-null on-delete-set-null
union!: union | union-all
keys: uuid uuids guid | serial bigserial auto-increment autoincrement sequence integer bigint int | ulid
number: float floating-point double | decimal | cents integer-cents
text-column: varchar | text-column citext
component!: controlled | uncontrolled
receiver!: pointer-receiver | value-receiver
passing-mode: by-value | by-reference by-pointer
styling!: flexbox flex | css-grid
module-export!: default-export | named-export named-exports
transport!: rest | graphql | grpc | soap
push: poll polling | push webhook webhooks websocket websockets | long-polling
storage: cookie cookies | localstorage local-storage | sessionstorage session-storage
packager!: npm | yarn | pnpm | bun
python-packager!: pip | poetry | uv | conda | pipenv
base-image!: alpine | debian slim bookworm | distroless | ubuntu
workload!: deployment | statefulset | daemonset
service-kind!: clusterip | nodeport | loadbalancer
rollout!: rolling rolling-update | recreate-strategy | blue-green | canary
visibility-of-port: localhost loopback 127.0.0.1 | all-interfaces 0.0.0.0
concurrency: thread threads multithreading | multiprocessing subprocess subprocesses
    | coroutine coroutines goroutine goroutines
exclusion!: mutex | rwmutex rw-lock read-write-lock | sync.map | semaphore | channel
    | atomic atomics | lock-free
callers: callback callbacks | promise promises | await
recursion!: recursion recursive recursively | iteration iterative iteratively loop
reuse!: inheritance inherit subclass subclassing | composition compose
backoff: exponential exponentially exponential-backoff | fixed linear fixed-interval constant-interval
rounding!: half-up half-to-up | half-to-even half-even to-even bankers | round-up | truncate | floor | ceiling ceil
hosting!: self-host self-hosted vendored | cdn from-the-cdn
script-language!: in-bash | in-python | in-perl | in-ruby | in-go | in-rust | in-typescript | in-javascript
framework!: pytest | unittest
history!: squash | rebase | merge-commit
quotes: single-quotes single-quoted | double-quotes double-quoted
endings!: crlf | lf
width: 32-bit int32 | 64-bit int64 | 16-bit int16 | 128-bit
sign: signed | unsigned
pagination!: cursor cursor-based keyset | offset offset-based
normal: normalised normalized normalize normalise | denormalised denormalized denormalize denormalise
identity!: own-service-account | default-service-account
tenancy!: schema-per-tenant | shared-schema
state-home: stateful | stateless
size: whole-file everything-at-once whole-thing in-one-go entirely
    | line-by-line streaming streamed stream chunked in-chunks incrementally
span: global globally module-level | local-scope locally per-instance per-request per-call per-thread
singleness: single shared global singleton in-one into-one one-for-all across
    | separate dedicated own its-own their-own per for-each
coverage: every all each always everywhere any everybody everyone anyone anybody | only
wholeness: whole full entire | truncate truncated shortened abbreviated
freshness: cached from-cache | fresh uncached
kind: type-alias | interface | abstract-class
collection: list array slice vec | hashset a-set | dict hashmap a-map | tuple
absence: null none nil undefined | empty-list empty-string empty-array empty-map
persistence: persistent durable | ephemeral transient temporary in-memory-only
manual: manual manually by-hand | automatic automatically auto
explicit: explicit explicitly | implicit implicitly
verbosity: verbose | quiet silent silently
hard-coded: hard-coded hardcode hardcoded hard-code
    | configurable parametrised parameterized parameterised environment-variable
depth: deep deep-copy deepcopy | shallow shallow-copy
relative: relative relatively | absolute absolutely
exactness: exact exactly | fuzzy approximate approximately
stability: stable | unstable nightly-build beta
side: server server-side backend on-the-server in-the-database
    | browser client client-side frontend on-the-client in-the-client
copy: primary leader primary-database | replica follower secondary standby
orientation: horizontal horizontally | vertical vertically
height: uppercase upper-case | lowercase lower-case
reach: local-only internal-only | internet-facing public-facing publicly
ordering: ordered sorted | unordered unsorted
padding: prefix prepend leading | suffix append trailing
frequency: more-often | less-often
level-of: higher longer larger | shorter smaller
life: short-lived | long-lived
lifetime: forever indefinitely never-expire unlimited unbounded infinite | bounded limited capped finite
secret-home!: vault secrets-manager secret-manager | in-the-repository hard-coded-secret
session-home!: jwt stateless-token | server-side-session session-store
database!: postgres postgresql | mysql mariadb | sqlite | mongodb mongo
cache-home: redis | memcached | in-process-cache process-memory
compare: constant-time compare_digest | == plain-equality
equality: strict-equality === | loose-equality
declaration!: let | var
loops!: for-loop | while-loop | foreach | comprehension
nil-kind: optional-return option optional | result | sentinel
errors-kind!: checked-exception | unchecked-exception runtime-exception
smart-pointer!: unique_ptr | shared_ptr | raw-pointer
counter-kind!: arc | rc | box
strings!: f-string f-strings | percent-formatting | str.format
paths!: pathlib | os.path
dates!: naive | timezone-aware tz-aware aware
column-time!: timestamptz | timestamp-without-time-zone
commit-time: per-batch after-each-batch each-batch batched | one-transaction single-transaction all-or-nothing
merge-kind: fast-forward | no-ff merge-commit
tag: latest latest-tag floating | pinned digest by-digest fixed-version commit-hash
match-kind: exact-match | prefix-match substring partial-match
layout: fixed-width | fluid responsive
theme!: light-theme | dark-theme
tense: present-tense imperative | past-tense
line-width!: 80-columns 80-characters | 100-columns 100-characters | 120-columns 120-characters
endianness!: big-endian | little-endian network-order
indexing!: zero-based 0-based | one-based 1-based
precision: single-precision | double-precision
distribution: round-robin | least-connections | sticky sticky-sessions | random
eviction!: lru | lfu | fifo-eviction
consistency!: eventual eventually-consistent | strong-consistency strongly-consistent linearizable
writing!: write-through | write-back write-behind
versioning!: semver semantic-versioning | calver calendar-versioning
license!: mit | apache-2.0 apache | gpl
"""


_LONGEST = 4
"""Words of the longest member."""


@functools.cache
def classes() -> dict[str, tuple[tuple[str, str], ...]]:
    """A word, or words with hyphens, to the classes that it is in and the member that it means there."""
    table: dict[str, tuple[tuple[str, str], ...]] = {}
    for entry in re.split(r"\n(?=\S)", CLASSES.strip()):
        name, _, sides = entry.partition(":")
        for words in map(str.split, sides.split("|")):
            for word in words:
                table[word] = (*table.get(word, ()), (name, words[0]))
    return table


def members(words: Sequence[str]) -> Iterator[tuple[range, tuple[tuple[str, str], ...]]]:
    """Where in the words a member stands, the longest first, and what it means."""
    table, at = classes(), 0
    while at < len(words):
        for size in range(min(_LONGEST, len(words) - at), 0, -1):
            said = "-".join(words[at : at + size]).replace(" ", "-")
            if found := table.get(said) or table.get(said.removesuffix("s")):
                yield range(at, at + size), found
                at += size - 1
                break
        at += 1
