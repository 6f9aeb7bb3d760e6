-- Balances of all open accounts, also of those without any entry.
SELECT a.id, a.owner, coalesce(sum(e.amount_cents), 0) AS balance_cents
FROM accounts AS a
LEFT JOIN entries AS e ON e.account_id = a.id
WHERE a.status = 'open'
GROUP BY a.id, a.owner
ORDER BY a.id;

-- Entries of one month: the first moment of the next month is not part of it.
SELECT account_id, amount_cents, reference
FROM entries
WHERE booked_at >= date_trunc('month', $1::timestamptz)
  AND booked_at < date_trunc('month', $1::timestamptz) + INTERVAL '1 month'
ORDER BY booked_at, id;

-- Accounts that no entry was ever booked on.
SELECT a.id
FROM accounts AS a
WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.account_id = a.id);
