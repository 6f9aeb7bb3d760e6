"""Where files of tests, examples and test data lie, as globs."""

from __future__ import annotations

TESTS = (
    *("test/", "tests/", "testing/", "spec/", "specs/", "__tests__/", "e2e/", "t/", "test_*"),
    *("*_test.*", "*_spec.*", "*.test.*", "*.spec.*", "conftest.py"),
)
EXAMPLES = (
    *("doc/", "docs/", "docs_src/", "example/", "examples/", "sample/", "samples/", "demo/"),
    *("demos/", "tutorial/", "tutorials/", "benchmark/", "benchmarks/"),
)
FIXTURES = (
    *(
        "fixture/",
        "fixtures/",
        "_fixture/",
        "_fixtures/",
        "testdata/",
        "test-data/",
        "test_data/",
        "snapshots/",
        "golden/",
    ),
    *("__snapshots__/", "cassettes/", "corpus/", "testcases/", "test_cases/", "test-cases/"),
    *("**/test/data/**", "**/tests/data/**", "**/tests/roots/**"),
)
