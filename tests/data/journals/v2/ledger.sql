PRAGMA user_version = 2;
CREATE TABLE spend (
            id INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL,
            call_key TEXT NOT NULL,
            day TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released')),
            micros INTEGER CHECK (micros >= 0), -- null: no price was known
            expires REAL NOT NULL -- seconds since 1970, for what is still reserved
        );
INSERT INTO spend VALUES (1, '20261116-015742-2d3d34', 'calm', '2026-01-02', 'settled', NULL, 1767355380.0);
INSERT INTO spend VALUES (2, '20261116-015742-2d3d34', 'critic', '2026-01-02', 'settled', NULL, 1767355380.0);
INSERT INTO spend VALUES (3, '20261116-015742-2d3d34', 'mumbler', '2026-01-02', 'reserved', NULL, 1767355380.0);
CREATE INDEX spend_by_run ON spend (run_id);
CREATE INDEX spend_by_day ON spend (day);
CREATE TABLE calls (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE, -- the content of the call, as SHA-256
            run_id TEXT NOT NULL, -- who asked last
            packet TEXT NOT NULL,
            seat TEXT NOT NULL,
            backend TEXT NOT NULL,
            model TEXT NOT NULL,
            round INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            version TEXT NOT NULL, -- of the program that asked
            state TEXT NOT NULL CHECK (state IN ('intended', 'answered', 'failed')),
            holder TEXT NOT NULL, -- the process that is making the call
            began REAL NOT NULL,
            expires REAL NOT NULL, -- after that, an intent is a dead process's
            ended REAL,
            spend INTEGER, -- what was set aside for it
            reply BLOB -- JSON, packed; null until there is one
        );
INSERT INTO calls VALUES (1, '25f255ac07b66931267e4bb0d367a063634bd41f193cea9a8ccc957536549f1b', '20261116-015742-2d3d34', 'bd98317034860e29216753d6f6f5e7a07d66140cc78afb9dc8d2e24ccb14eb03', 'calm', 'command', '', 0, 0, '0.1.0', 'answered', 'machine:1:1', 1767355200.0, 1767355380.0, 1767355201.0, 1, CAST('{"seat":"calm","status":"answered","text":"VERDICT: approved","error":"","exit_code":0,"seconds":0.526748,"usage":null,"model":""}' AS BLOB));
INSERT INTO calls VALUES (2, '3668510821cffbf4de00dcf68978f3b5e874810bb131390e71f22d1d61e3e707', '20261116-015742-2d3d34', 'bd98317034860e29216753d6f6f5e7a07d66140cc78afb9dc8d2e24ccb14eb03', 'critic', 'command', '', 0, 0, '0.1.0', 'answered', 'machine:1:1', 1767355200.0, 1767355380.0, 1767355201.0, 2, CAST('{"seat":"critic","status":"answered","text":"VERDICT: flagged\n\nReasons:\n- wrong: a.py:1 price is wrong\n","error":"","exit_code":0,"seconds":0.34707,"usage":null,"model":""}' AS BLOB));
INSERT INTO calls VALUES (3, '16811796ff3d5f809f5cc0c7599c9e23ce6c58b640bf019813a8cb1f024aa791', '20261116-015742-2d3d34', 'bd98317034860e29216753d6f6f5e7a07d66140cc78afb9dc8d2e24ccb14eb03', 'mumbler', 'command', '', 0, 0, '0.1.0', 'intended', 'machine:1:1', 1767355200.0, 1767355380.0, NULL, 3, NULL);
CREATE TABLE asked (run_id TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (run_id, key)) WITHOUT ROWID;
INSERT INTO asked VALUES ('20261116-015742-2d3d34', '16811796ff3d5f809f5cc0c7599c9e23ce6c58b640bf019813a8cb1f024aa791');
INSERT INTO asked VALUES ('20261116-015742-2d3d34', '25f255ac07b66931267e4bb0d367a063634bd41f193cea9a8ccc957536549f1b');
INSERT INTO asked VALUES ('20261116-015742-2d3d34', '3668510821cffbf4de00dcf68978f3b5e874810bb131390e71f22d1d61e3e707');
CREATE INDEX asked_by_key ON asked (key);
CREATE TABLE packets (hash TEXT PRIMARY KEY, kept REAL NOT NULL, body BLOB NOT NULL);
INSERT INTO packets VALUES ('bd98317034860e29216753d6f6f5e7a07d66140cc78afb9dc8d2e24ccb14eb03', 1767355200.0, packed('{"target": "a.py", "files": [{"path": "a.py", "sha256": "7be9597b441fde94fb4045a41be6104d4be240255df753fa81bd530eb14fd414"}], "sections": [], "omitted": [], "masked": [], "changed": [], "checkout": true, "hash": "bd98317034860e29216753d6f6f5e7a07d66140cc78afb9dc8d2e24ccb14eb03"}'));
CREATE TABLE texts (sha256 TEXT PRIMARY KEY, body BLOB NOT NULL);
INSERT INTO texts VALUES ('7be9597b441fde94fb4045a41be6104d4be240255df753fa81bd530eb14fd414', packed('def price(x: int) -> int:
    return x
'));
CREATE TABLE settled (scope TEXT NOT NULL, name TEXT NOT NULL, micros INTEGER NOT NULL, PRIMARY KEY (scope, name)) WITHOUT ROWID;
INSERT INTO settled VALUES ('day', '2026-01-02', 0);
INSERT INTO settled VALUES ('run', '20261116-015742-2d3d34', 0);
CREATE INDEX spend_live ON spend (expires) WHERE state = 'reserved';
