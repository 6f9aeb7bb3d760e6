-- Accounts can be closed; those that are there stay open.
BEGIN;

ALTER TABLE accounts ADD COLUMN status TEXT NOT NULL DEFAULT 'open'
    CHECK (status IN ('open', 'frozen', 'closed'));

UPDATE accounts
SET status = 'closed'
WHERE owner = 'system:retired';

COMMIT;
