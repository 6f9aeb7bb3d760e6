"""A hundred and twenty questions to forty pages: names, other words for the same, one word too many, and what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from guildmoot.memory.recall.recall import Recall
from wikis import put, repository

PAGES = """
cache_ttl|Cache lifetime|Entries of the product cache live for cache_ttl seconds; a janitor removes older ones every night.|how long do cached products live
retryLimit|Retries of payments|A payment that fails is tried again up to retryLimit times, with growing pauses between the attempts.|how often is a failed payment attempted again
E1042|Error at checkout|The checkout answers E1042 when the basket holds an article that was sold out meanwhile.|which error does the checkout return for sold out articles
ledger.post_entry|Booking in the ledger|Every booking calls ledger.post_entry twice, once as debit and once as credit, inside one transaction.|how is a booking written as debit and credit
CVE-2026-4411|Hole in the parser|CVE-2026-4411 let a crafted invoice exhaust memory; the parser now stops at a depth of fifty.|crafted invoice that exhausted memory
MAX_UPLOAD_BYTES|Size of uploads|Pictures larger than MAX_UPLOAD_BYTES are refused before they reach the disk of the media host.|largest picture that may be uploaded
build_matrix.yml|Builds on every system|build_matrix.yml lists the operating systems and interpreters on which each commit is compiled.|on which operating systems are commits compiled
user_id_seq|Numbers of customers|Customer numbers come from the sequence user_id_seq and are never given out a second time.|are customer numbers ever reused
pg_bouncer|Pool of connections|Connections to the database go through pg_bouncer in transaction mode, forty for each node.|how many database connections does a node have
FeatureFlag42|Switch for the new search|FeatureFlag42 turns the new product search on for a tenth of the visitors.|share of visitors with the new search
smtp_relay_host|Sending mail|Mail leaves through smtp_relay_host only; other hosts are blocked by the firewall on port 25.|which way does mail leave our network
OrderState.SHIPPED|Life of an order|An order moves to OrderState.SHIPPED when the carrier scanned the parcel, and never back.|when is an order counted as shipped
tax_rate_table|Rates of tax|Rates are read from tax_rate_table by country and day, so that old invoices keep the old rate.|do old invoices keep their tax rate
gc_interval_s|Cleaning of sessions|Sessions without a request for an hour are collected every gc_interval_s seconds.|when do idle sessions get collected
apiVersion2|Second version of the interface|Partners use apiVersion2; the first version answers with a notice of its end since spring.|which interface version do partners use
backup_weekly.sh|Weekly backup|backup_weekly.sh copies the volumes to the vault on Sunday and verifies one restored table.|is a restored table verified after the backup
KAFKA_TOPIC_ORDERS|Stream of orders|New orders are published to KAFKA_TOPIC_ORDERS with the customer as key, so they stay in sequence.|how do published orders stay in sequence
ratelimit.burst|Limits for callers|A caller may send ratelimit.burst requests at once and ten a second after that.|requests that a caller may send at once
i18n_fallback|Missing translations|Texts without a translation are shown in the language of i18n_fallback and reported to the editors.|what is shown when a translation is missing
sha256_manifest|Proof of releases|Each release carries a sha256_manifest that the installer compares before it unpacks anything.|what does the installer compare before unpacking
worker_heartbeat|Dead workers|A worker that sends no worker_heartbeat for ninety seconds loses its lease, and its jobs are queued anew.|what happens to the jobs of a silent worker
X-Request-Id|Following a request|The gateway sets X-Request-Id, and every service writes it into each line of its log.|how can one request be followed through the logs
price_rounding|Rounding of amounts|Amounts are rounded half to even by price_rounding, only when an invoice is printed.|are amounts rounded half to even
dark_launch_dir|Trying changes quietly|Handlers below dark_launch_dir receive a copy of the traffic, and their answers are thrown away.|where does a copy of the traffic go
svc-mesh-ca1|Certificates between services|Services prove themselves with certificates of svc-mesh-ca1, which are renewed every twelve hours.|how often are certificates of services renewed
stock_lock_ms|Reserving articles|A basket reserves an article for stock_lock_ms milliseconds while the buyer pays.|how long is an article reserved during payment
LogLevel.AUDIT|What auditors read|Events of LogLevel.AUDIT go to storage that can be written once and is kept for ten years.|how long are audit events kept
cdn_purge_url|Fresh pictures|After an editor changes a picture, a call to cdn_purge_url removes it from the edge.|how is a changed picture removed from the edge
replica_lag_max|Reading from copies|Reports read from a replica unless it lags more than replica_lag_max behind the primary.|when do reports not read from the replica
coupon_v3|Vouchers|Vouchers of the form coupon_v3 are signed, so that nobody can invent one offline.|can somebody invent a voucher
http2_only|Old clients|The setting http2_only was taken back, because scanners in the warehouses speak the older protocol.|why do warehouse scanners need the older protocol
merge_queue.rb|Order of merging|merge_queue.rb tests changes in the sequence in which they would land and drops the first that breaks.|which change is dropped when tests break in the queue
PiiScrubber|Personal data in logs|PiiScrubber replaces names and addresses before a line is written anywhere.|are customer names hidden in log lines
blue_green_swap|Deploying without a gap|blue_green_swap moves the traffic when the new fleet answered its health check for five minutes.|when does traffic move to the new fleet
disk_watermark|Full disks|Above disk_watermark the search nodes refuse new documents and page the person on duty.|what do search nodes do when disks are full
TZ_DEFAULT|Times and zones|All times are stored in universal time; TZ_DEFAULT is only used to print delivery slots.|in which zone are times stored
fraud_score_v7|Suspicious orders|Orders with a fraud_score_v7 above eighty wait for a person, and the others go through.|which orders wait for a person because of fraud
openapi.json|Description of the interface|openapi.json is generated from the handlers at each build and compared with the committed one.|is the interface description generated from handlers
gift_wrap_fee|Presents|The fee for wrapping presents, gift_wrap_fee, is waived for members of the loyalty programme.|do loyalty members pay for wrapping
canary_percent|First users of a release|canary_percent of the traffic meets a release for thirty minutes before everybody does.|how long does part of the traffic meet a release first
""".strip().split("\n")
ROWS = [tuple(row.split("|")) for row in PAGES]
UNKNOWN = ["zorptastic", "quuxification", "florbish", "snazzle", "grimblewick"]
ABSENT = """
how do penguins breed in antarctica
kubernetes operator for cassandra tombstones
recipe for sourdough bread with rye
which gpu trains the recommendation transformer
salary bands of the legal department
quantum annealing schedule parameters
VectorStoreClient
bluetooth_pairing_mode
chess opening theory for black
parking permits at the berlin office
terraform state locking with dynamodb
what colour is the mascot costume
football results from saturday
E9999
graphql subscription websocket reconnect
holiday calendar of the madrid branch
how to train for a marathon
swift concurrency actor isolation
kernel_panic_handler
violin strings and rosin brands
""".strip().split("\n")


@pytest.fixture(scope="module")
def recall(tmp_path_factory):
    root: Path = repository(tmp_path_factory.mktemp("memory") / "shop")
    for number, (_, title, body, _) in enumerate(ROWS):
        put(root, f"concepts/page-{number:02d}.md", f"# {title}\n\n{body}\n")
    found = Recall(root)
    yield found
    found.close()


def path(number: int) -> str:
    return f"concepts/page-{number:02d}.md"


def best(recall: Recall, question: str) -> str:
    hits = recall.ask(question)
    return hits[0].path if hits else ""


def test_an_identifier_finds_its_page_first(recall):
    wrong = [name for number, (name, *_) in enumerate(ROWS) if best(recall, name) != path(number)]
    assert wrong == []
    asked = [
        name
        for number, (name, *_) in enumerate(ROWS)
        if best(recall, f"what is {name} for") != path(number)
    ]
    assert asked == []


def test_other_words_for_the_same_find_the_page(recall):
    answers = [
        (best(recall, question), path(number)) for number, (_, _, _, question) in enumerate(ROWS)
    ]
    assert sum(not got for got, _ in answers) <= 2
    assert sum(got == wanted for got, wanted in answers) >= 36


def test_one_unknown_word_does_not_empty_an_answer(recall):
    questions = [f"{row[3]} {UNKNOWN[number % 5]}" for number, row in enumerate(ROWS[:20])]
    answers = [(best(recall, question), path(number)) for number, question in enumerate(questions)]
    assert sum(not got for got, _ in answers) <= 1
    assert sum(got == wanted for got, wanted in answers) >= 18


def test_what_is_not_there_is_answered_with_nothing(recall):
    answered = {question: best(recall, question) for question in ABSENT if best(recall, question)}
    assert len(answered) <= 1, answered
