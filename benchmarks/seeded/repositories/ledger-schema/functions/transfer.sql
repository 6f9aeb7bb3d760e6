-- Moves money between two accounts, both rows locked in the order of their numbers.
CREATE FUNCTION transfer(source BIGINT, target BIGINT, cents BIGINT, ref TEXT)
RETURNS VOID
LANGUAGE plpgsql
AS $$
DECLARE
    balance BIGINT;
    locked INTEGER;
BEGIN
    IF cents <= 0 THEN
        RAISE EXCEPTION 'an amount must be positive';
    END IF;

    PERFORM 1 FROM accounts
    WHERE id IN (source, target) AND status = 'open'
    ORDER BY id
    FOR UPDATE;
    GET DIAGNOSTICS locked = ROW_COUNT;
    IF locked <> 2 THEN
        RAISE EXCEPTION 'both accounts must be open and different';
    END IF;

    SELECT coalesce(sum(amount_cents), 0) INTO balance
    FROM entries
    WHERE account_id = source;

    IF balance < cents THEN
        RAISE EXCEPTION 'account % has only % cents', source, balance;
    END IF;

    INSERT INTO entries (account_id, amount_cents, reference)
    VALUES (source, -cents, ref || ':out'), (target, cents, ref || ':in');
END;
$$;
