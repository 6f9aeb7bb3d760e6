-- Accounts and their entries. Amounts are whole cents.
CREATE TABLE accounts (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner TEXT NOT NULL,
    currency CHAR(3) NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE entries (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id BIGINT NOT NULL REFERENCES accounts (id) ON DELETE RESTRICT,
    amount_cents BIGINT NOT NULL CHECK (amount_cents <> 0),
    booked_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    reference TEXT NOT NULL UNIQUE
);

CREATE INDEX entries_by_account ON entries (account_id, booked_at);
