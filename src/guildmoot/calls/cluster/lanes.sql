-- Lanes of plans that workers do: who offers one holds its ticket, who took it its token, and nobody else
-- can change it. A token that was taken back makes whatever comes later count for nothing.


-- They call functions that routines.sql makes after them.
SET LOCAL check_function_bodies = off;
-- Put a lane before a worker. The state that it is in: 'busy' where the worker has no room; one that was
-- offered before and is asked, running or done stays as it is.
CREATE OR REPLACE FUNCTION guild.offer_lane(
    id text, ticket text, run_id text, task text, host text, slots integer, job text, seconds double precision
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    old guild.lanes;
    until timestamptz := now() + make_interval(secs => least(seconds, 3600));
BEGIN
    PERFORM 1 FROM guild.workers WHERE name = offer_lane.host FOR UPDATE;  -- one offer at a time
    SELECT * INTO old FROM guild.lanes WHERE lanes.id = offer_lane.id FOR UPDATE;
    IF FOUND AND old.ticket <> offer_lane.ticket THEN
        RAISE EXCEPTION 'this lane is somebody else''s';
    ELSIF FOUND AND (old.state IN ('asked', 'running') OR old.state = 'ended' AND old.kept) THEN
        RETURN old.state;
    ELSIF (SELECT count(*) FROM guild.lanes WHERE lanes.host = offer_lane.host AND (state = 'running'
            AND guild.hears(worker) OR state = 'asked' AND wanted > now())) >= slots THEN
        RETURN 'busy';
    END IF;
    UPDATE guild.lanes SET dismissed = true WHERE lanes.ticket = offer_lane.ticket AND lanes.id <> offer_lane.id
        AND lanes.run_id = offer_lane.run_id AND lanes.task = offer_lane.task AND state = 'running';
    UPDATE guild.lanes SET state = 'dismissed', ended = now() WHERE lanes.ticket = offer_lane.ticket
        AND lanes.id <> offer_lane.id AND lanes.run_id = offer_lane.run_id AND lanes.task = offer_lane.task
        AND state = 'asked';
    DELETE FROM guild.lanes WHERE lanes.id = offer_lane.id;
    INSERT INTO guild.lanes (id, ticket, run_id, task, host, state, job, wanted) VALUES (offer_lane.id,
        offer_lane.ticket, offer_lane.run_id, offer_lane.task, offer_lane.host, 'asked', offer_lane.job, until);
    RETURN 'asked';
END $$;

-- How it stands; who looks still wants it.
CREATE OR REPLACE FUNCTION guild.look_lane(id text, ticket text, seconds double precision, most bigint)
RETURNS TABLE (state text, host text, worker text, alive boolean, waits double precision, quiet double precision,
    tail text, written bigint, beat text, kept boolean, result text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE guild.lanes SET wanted = now() + make_interval(secs => least(seconds, 3600))
        WHERE lanes.id = look_lane.id AND lanes.ticket = look_lane.ticket AND lanes.state = 'asked';
    RETURN QUERY SELECT l.state, l.host, l.worker, CASE l.state WHEN 'running' THEN guild.hears(l.worker)
            ELSE EXISTS (SELECT 1 FROM guild.workers WHERE name = l.host AND guild.hears(executor)) END,
        extract(epoch FROM now() - l.asked)::double precision,
        greatest(extract(epoch FROM now() - l.heard), 0)::double precision, l.tail, l.written, l.beat, l.kept,
        CASE WHEN octet_length(l.result) <= most THEN l.result END
        FROM guild.lanes AS l WHERE l.id = look_lane.id AND l.ticket = look_lane.ticket;
END $$;

-- Have it ended. One that nobody took is; one that runs is by its worker, which says so.
CREATE OR REPLACE FUNCTION guild.dismiss_lane(id text, ticket text) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.lanes SET dismissed = true, state = CASE state WHEN 'asked' THEN 'dismissed' ELSE state END,
        ended = CASE state WHEN 'asked' THEN now() ELSE ended END
        WHERE lanes.id = dismiss_lane.id AND lanes.ticket = dismiss_lane.ticket RETURNING state
$$;

CREATE OR REPLACE FUNCTION guild.nudge_lane(id text, ticket text, nudge text) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.lanes SET nudge = left(nudge_lane.nudge, 4000) WHERE lanes.id = nudge_lane.id
        AND lanes.ticket = nudge_lane.ticket AND state = 'running' RETURNING true
$$;

-- Take it back: from who did not take it, from who gave no sign of life for the lease, or a result that was
-- refused. Whatever its holder sends later has no token any more.
CREATE OR REPLACE FUNCTION guild.lose_lane(id text, ticket text, refused boolean) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.lanes SET state = 'lost', token = NULL, ended = now() WHERE lanes.id = lose_lane.id
        AND lanes.ticket = lose_lane.ticket AND (state = 'asked' OR state = 'running' AND NOT guild.hears(worker)
            OR state = 'ended' AND refused) RETURNING true
$$;

-- The oldest lane for this worker. Only who signed in under the name takes what is offered to it.
CREATE OR REPLACE FUNCTION guild.take_lane(
    worker text, ticket text, token text, share double precision, most bigint
) RETURNS TABLE (id text, task text, job text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.lanes SET state = 'running', worker = take_lane.worker, token = take_lane.token,
        started = now(), heard = now() WHERE lanes.id = (SELECT l.id FROM guild.lanes AS l, guild.workers AS w
            WHERE w.executor = take_lane.worker AND w.ticket = take_lane.ticket AND w.state = 'working'
            AND l.host = w.name AND l.state = 'asked' AND l.wanted > now()
            AND guild.hears(take_lane.worker, share) ORDER BY l.asked LIMIT 1 FOR UPDATE OF l SKIP LOCKED)
        RETURNING lanes.id, lanes.task, CASE WHEN octet_length(lanes.job) <= most THEN lanes.job END
$$;

-- A sign of life; no row where the lane is no longer this worker's.
CREATE OR REPLACE FUNCTION guild.sign_lane(
    id text, token text, tail text, written bigint, beat text, quiet double precision
) RETURNS TABLE (dismissed boolean, nudge text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.lanes SET tail = right(sign_lane.tail, 8000), written = sign_lane.written,
        beat = left(sign_lane.beat, 4000), heard = now() - make_interval(secs => least(greatest(quiet, 0), 1e7))
        WHERE lanes.id = sign_lane.id AND lanes.token = sign_lane.token AND state = 'running'
        RETURNING lanes.dismissed, lanes.nudge
$$;

CREATE OR REPLACE FUNCTION guild.finish_lane(id text, token text, state text, kept boolean, result text)
RETURNS boolean LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.lanes SET state = finish_lane.state, kept = finish_lane.kept, result = finish_lane.result,
        token = NULL, ended = now() WHERE lanes.id = finish_lane.id AND lanes.token = finish_lane.token
        AND lanes.state = 'running' AND finish_lane.state IN ('ended', 'dismissed')
        AND octet_length(finish_lane.result) <= 300000 RETURNING true
$$;
