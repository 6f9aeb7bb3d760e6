-- Written by guildmoot 0.1.0 before it kept calls: two runs that spent money, and one call under way.
PRAGMA user_version = 1;
CREATE TABLE spend (
            id INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL,
            call_key TEXT NOT NULL,
            day TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released')),
            micros INTEGER CHECK (micros >= 0), -- null: no price was known
            expires REAL NOT NULL -- seconds since 1970, for what is still reserved
        );
INSERT INTO spend VALUES (1, '20260102-120000-000abc', 'evaluator-security', '2026-01-02', 'settled', 125000, 1767355380.0);
INSERT INTO spend VALUES (2, '20260102-120000-000abc', 'evaluator-tests', '2026-01-02', 'settled', 250000, 1767355380.0);
INSERT INTO spend VALUES (3, '20260102-130000-000def', 'evaluator-security', '2026-01-02', 'settled', 500000, 1767358980.0);
INSERT INTO spend VALUES (4, '20260102-130000-000def', 'the whole panel', '2026-01-02', 'released', 2000000, 1767358980.0);
INSERT INTO spend VALUES (5, '20260102-130000-000def', 'evaluator-tests', '2026-01-02', 'reserved', 500000, 1767358980.0);
CREATE INDEX spend_by_run ON spend (run_id);
CREATE INDEX spend_by_day ON spend (day);
