-- What roles may do to the tables: only through these functions, which run with their owner's rights.
-- Each looks for itself whether the step is allowed, so whoever holds a role can take calls and answer
-- those it holds, or ask and settle what it asked for, and nothing else. Written anew by every migrate.

CREATE OR REPLACE FUNCTION guild.lease() RETURNS interval
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT make_interval(secs => least(greatest(lease, 1), 3600)) FROM guild.control $$;

CREATE OR REPLACE FUNCTION guild.hears(executor text, share double precision DEFAULT 1) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM guild.workers WHERE workers.executor = hears.executor
        AND state IN ('working', 'draining')
        AND heartbeat BETWEEN now() - guild.lease() * share AND now() + guild.lease())
$$;

-- Texts by their content -----------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION guild.keep(parts text[]) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH named AS (SELECT encode(sha256(convert_to(array_to_string(parts, ''), 'UTF8')), 'hex') AS name),
    written AS (INSERT INTO guild.chunks (sha256, part, data)
        SELECT name, number - 1, piece FROM named, unnest(parts) WITH ORDINALITY AS each (piece, number)
        ON CONFLICT (sha256, part) DO UPDATE SET kept = now())
    SELECT name FROM named
$$;

CREATE OR REPLACE FUNCTION guild.kept(name text, most bigint) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(data, '' ORDER BY part) FROM guild.chunks WHERE sha256 = name
        AND (SELECT sum(octet_length(data)) FROM guild.chunks WHERE sha256 = name) <= most
$$;

-- Asking ---------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION guild.ensure_queue(name text, needs text, at_once integer, poll double precision)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF octet_length(name) > 255 OR octet_length(needs) > 65536 THEN
        RAISE EXCEPTION 'this is no queue';
    END IF;
    INSERT INTO guild_dbos.queues (name, worker_concurrency, polling_interval_sec, application_name)
        VALUES (ensure_queue.name, at_once, poll, 'guildmoot') ON CONFLICT DO NOTHING;
    -- One that is there stays, unless nobody can read it.
    INSERT INTO guild.queues AS q (name, needs) VALUES (ensure_queue.name, ensure_queue.needs)
        ON CONFLICT ON CONSTRAINT queues_pkey DO UPDATE SET needs = excluded.needs
        WHERE octet_length(q.needs) > 65536 OR q.needs !~ '^\{"backend":"[^"\\]+"';
END $$;

CREATE OR REPLACE FUNCTION guild.find_call(key text, most bigint)
RETURNS TABLE (try integer, state text, run_id text, asker text, reply text, alive boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT try, state, run_id, asker, CASE WHEN octet_length(reply) <= most THEN reply END,
        wanted > now() OR state = 'running' FROM guild.calls WHERE calls.key = find_call.key FOR UPDATE
$$;

CREATE OR REPLACE FUNCTION guild.wait_for(key text, caller text, seconds double precision) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.calls SET wanted = now() + make_interval(secs => least(seconds, 3600))
        WHERE calls.key = wait_for.key AND state IN ('asked', 'running');
    INSERT INTO guild.waiters VALUES (key, caller, now() + make_interval(secs => least(seconds, 3600)))
        ON CONFLICT ON CONSTRAINT waiters_pkey DO UPDATE SET until = excluded.until
$$;

CREATE OR REPLACE FUNCTION guild.ask(
    key text, again integer, run_id text, asker text, caller text, seat text, queue text, call text,
    packet text, timeout double precision, micros bigint, seconds double precision, protocol text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    workflow text := CASE WHEN again = 0 THEN key ELSE key || '.' || again END;
    until timestamptz := now() + make_interval(secs => least(seconds, 3600));
BEGIN
    IF again = 0 THEN
        INSERT INTO guild.calls (key, try, state, run_id, asker, seat, queue, call, packet, timeout, wanted)
            VALUES (ask.key, 0, 'asked', ask.run_id, ask.asker, ask.seat, ask.queue, ask.call, ask.packet,
                ask.timeout, until)
            ON CONFLICT ON CONSTRAINT calls_pkey DO NOTHING;
    ELSE
        UPDATE guild.spend SET state = CASE state WHEN 'made' THEN 'settled' ELSE 'released' END
            WHERE spend.key = ask.key AND state IN ('made', 'reserved') AND EXISTS (SELECT 1 FROM guild.calls
                WHERE calls.key = ask.key AND try = again - 1
                AND (state IN ('failed', 'cancelled') OR state = 'asked' AND wanted <= now()));
        UPDATE guild.calls SET try = again, state = 'asked', run_id = ask.run_id, asker = ask.asker,
            queue = ask.queue, call = ask.call, packet = ask.packet, timeout = ask.timeout, wanted = until,
            worker = NULL, token = NULL, reply = NULL, asked = now(), started = NULL, ended = NULL
            WHERE calls.key = ask.key AND try = again - 1
            AND (state IN ('failed', 'cancelled') OR state = 'asked' AND wanted <= now());
    END IF;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO guild.spend (id, run_id, key, day, state, micros, expires, caller) VALUES (workflow, ask.run_id,
        ask.key, (now() AT TIME ZONE 'UTC')::date, 'reserved', ask.micros, until, ask.caller);
    PERFORM guild.wait_for(key, caller, seconds);
    PERFORM guild_dbos.enqueue_workflow(workflow_name => 'guild.call', queue_name => queue,
        positional_args => ARRAY[to_json(key), to_json(again)], workflow_id => workflow,
        app_version => protocol, application_name => 'guildmoot');
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION guild.renew(keys text[], caller text, seconds double precision) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    till timestamptz := now() + make_interval(secs => least(seconds, 3600));
    mine text[];
BEGIN
    -- Calls before their money, and in one order: as everybody who moves both does.
    PERFORM 1 FROM guild.calls WHERE key = ANY (keys) ORDER BY key FOR UPDATE;
    WITH waits AS (UPDATE guild.waiters SET until = till WHERE key = ANY (keys)
        AND waiters.caller = renew.caller RETURNING key) SELECT array_agg(key) INTO mine FROM waits;
    UPDATE guild.spend SET expires = till FROM guild.calls WHERE calls.key = ANY (mine)
        AND spend.key = calls.key AND spend.state = 'reserved' AND isfinite(expires) AND wanted > now();
    UPDATE guild.calls SET wanted = till WHERE key = ANY (mine)
        AND (state = 'running' OR state = 'asked' AND wanted > now());
END $$;

CREATE OR REPLACE FUNCTION guild.leave(key text, caller text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM 1 FROM guild.calls WHERE calls.key = leave.key FOR UPDATE;
    DELETE FROM guild.waiters WHERE waiters.key = leave.key AND waiters.caller = leave.caller;
    IF NOT FOUND OR EXISTS (SELECT 1 FROM guild.waiters WHERE waiters.key = leave.key AND until > now()) THEN
        RETURN false;
    END IF;
    UPDATE guild.calls SET state = 'cancelled', ended = now() WHERE calls.key = leave.key AND state = 'asked';
    IF FOUND THEN
        UPDATE guild.spend SET state = 'released' WHERE spend.key = leave.key AND state = 'reserved';
        RETURN true;
    END IF;
    RETURN false;
END $$;

-- Who set the money aside tells the price; another only when that caller is gone without having told.
CREATE OR REPLACE FUNCTION guild.settle(key text, micros bigint, caller text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.spend SET state = 'settled', micros = coalesce(settle.micros, spend.micros)
        WHERE spend.key = settle.key AND state = 'made' AND (spend.caller = settle.caller OR NOT EXISTS
            (SELECT 1 FROM guild.waiters WHERE waiters.key = settle.key AND waiters.caller = spend.caller
                AND until > now()))
$$;

-- Its replies are told to the caller; where it told no price, what was set aside is the price.
CREATE OR REPLACE FUNCTION guild.collected(keys text[], caller text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.spend SET state = 'settled' WHERE key = ANY (keys) AND state = 'made'
        AND spend.caller = collected.caller;
    DELETE FROM guild.waiters WHERE waiters.caller = collected.caller AND key = ANY (keys)
$$;

-- Working --------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION guild.requeue(executors text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM 1 FROM guild.calls WHERE worker = ANY (executors) AND state = 'running' ORDER BY key FOR UPDATE;
    UPDATE guild.spend SET expires = now() + interval '30 seconds' FROM guild.calls WHERE spend.key = calls.key
        AND calls.worker = ANY (executors) AND calls.state = 'running' AND spend.state = 'reserved';
    UPDATE guild.calls SET state = 'asked', token = NULL WHERE worker = ANY (executors) AND state = 'running';
END $$;

-- The executor, or how long the name is taken, or the process of the same place that holds it.
CREATE OR REPLACE FUNCTION guild.sign_in(
    name text, host text, place text, pid integer, capabilities text, ticket text, dead integer
) RETURNS TABLE (executor text, seconds double precision, holder integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    old guild.workers;
    counted bigint := 1;
BEGIN
    SELECT * INTO old FROM guild.workers WHERE workers.name = sign_in.name FOR UPDATE;
    IF FOUND THEN
        IF guild.hears(old.executor) THEN
            IF old.place = '' OR old.place <> sign_in.place THEN
                RETURN QUERY SELECT NULL::text,
                    extract(epoch FROM old.heartbeat + guild.lease() - now())::double precision, NULL::integer;
                RETURN;
            ELSIF old.pid IS DISTINCT FROM dead THEN
                RETURN QUERY SELECT NULL::text, 0::double precision, old.pid;
                RETURN;
            END IF;
        END IF;
        counted := CASE WHEN old.incarnation BETWEEN 0 AND 2147480000 THEN old.incarnation + 1 ELSE 1 END;
        PERFORM guild.requeue(ARRAY[old.executor]);
    END IF;
    WHILE EXISTS (SELECT 1 FROM guild.workers WHERE workers.executor = sign_in.name || '.' || counted
            AND workers.name <> sign_in.name) LOOP
        counted := counted + 1;
    END LOOP;
    INSERT INTO guild.workers (name, executor, incarnation, host, place, pid, state, capabilities, ticket)
        VALUES (sign_in.name, sign_in.name || '.' || counted, counted, sign_in.host, sign_in.place, sign_in.pid,
            'working', sign_in.capabilities, sign_in.ticket)
        ON CONFLICT ON CONSTRAINT workers_pkey DO UPDATE SET executor = excluded.executor,
            incarnation = excluded.incarnation, host = excluded.host, place = excluded.place,
            pid = excluded.pid, state = 'working', started = now(), heartbeat = now(), serves = '{}',
            capabilities = excluded.capabilities, ticket = excluded.ticket;
    RETURN QUERY SELECT sign_in.name || '.' || counted, 0::double precision, NULL::integer;
END $$;

CREATE OR REPLACE FUNCTION guild.beat(executor text, ticket text, serves text[], capabilities text) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE guild.workers SET heartbeat = now(), serves = beat.serves, capabilities = beat.capabilities
        WHERE workers.executor = beat.executor AND workers.ticket = beat.ticket RETURNING state
$$;

CREATE OR REPLACE FUNCTION guild.set_state(executor text, ticket text, state text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE guild.workers SET state = set_state.state
        WHERE workers.executor = set_state.executor AND workers.ticket = set_state.ticket;
    IF FOUND AND set_state.state = 'stopped' THEN
        PERFORM guild.requeue(ARRAY[executor]);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION guild.lock_state(executor text) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT state FROM guild.workers WHERE workers.executor = lock_state.executor FOR UPDATE $$;

-- Take calls from the dead, and end what has lost its place in a queue or holds one without a call.
CREATE OR REPLACE FUNCTION guild.sweep() RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    struck text[];
    late bigint := (extract(epoch FROM now() - guild.lease()) * 1000)::bigint;
BEGIN
    WITH gone AS (UPDATE guild.workers SET state = 'gone' WHERE name IN (SELECT name FROM guild.workers
        WHERE state IN ('working', 'draining') AND NOT guild.hears(executor) FOR UPDATE SKIP LOCKED)
        RETURNING executor) SELECT array_agg(executor) INTO struck FROM gone;
    PERFORM guild.requeue(coalesce(struck, '{}') || ARRAY(SELECT DISTINCT worker FROM guild.calls
        WHERE state = 'running' AND worker NOT IN (SELECT executor FROM guild.workers)));
    UPDATE guild.calls SET state = 'failed', token = NULL, ended = now(), reply = json_build_object('seat', '',
            'status', 'failed', 'error', 'the call has lost its place in the queue; ask again')::text
        WHERE key IN (SELECT key FROM guild.calls WHERE (state = 'asked' OR state = 'running' AND worker IS NULL)
            AND asked < now() - guild.lease() AND NOT EXISTS (SELECT 1 FROM guild_dbos.workflow_status
                WHERE workflow_uuid = CASE WHEN try = 0 THEN key ELSE key || '.' || try END
                AND status IN ('ENQUEUED', 'PENDING', 'DELAYED'))
            ORDER BY key LIMIT 1000 FOR UPDATE SKIP LOCKED);
    UPDATE guild_dbos.workflow_status SET status = 'CANCELLED' WHERE workflow_uuid IN (SELECT workflow_uuid
        FROM guild_dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING') AND updated_at < late
            AND NOT EXISTS (SELECT 1 FROM guild.calls WHERE key = split_part(workflow_uuid, '.', 1)
                AND state IN ('asked', 'running'))
            LIMIT 1000 FOR UPDATE SKIP LOCKED);
    RETURN QUERY SELECT unnest(struck);
END $$;

CREATE OR REPLACE FUNCTION guild.take(
    key text, again integer, worker text, token text, share double precision, most bigint
) RETURNS TABLE (call text, packet text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    workflow text := CASE WHEN again = 0 THEN key ELSE key || '.' || again END;
BEGIN
    -- A worker that was not heard for a while must not begin what DBOS gave it before: others have taken
    -- it for dead, or soon will, and put its calls back into their queues.
    RETURN QUERY UPDATE guild.calls SET state = 'running', worker = take.worker, token = take.token,
        started = now() WHERE calls.key = take.key AND try = again AND state IN ('asked', 'running')
        AND wanted > now() AND guild.hears(take.worker, share) AND guild.given(workflow, take.worker)
        RETURNING CASE WHEN octet_length(calls.call) <= most THEN calls.call END,
            CASE WHEN octet_length(calls.packet) <= 65536 THEN calls.packet END;
    IF FOUND THEN
        UPDATE guild.spend SET expires = 'infinity' WHERE id = workflow AND state = 'reserved';
    END IF;
END $$;

CREATE OR REPLACE FUNCTION guild.given(workflow text, worker text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM guild_dbos.workflow_status WHERE workflow_uuid = workflow
        AND status = 'PENDING' AND executor_id = worker)
$$;

CREATE OR REPLACE FUNCTION guild.lapse(key text, again integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE guild.calls SET state = 'cancelled', token = NULL, ended = now() WHERE calls.key = lapse.key
        AND try = again AND state IN ('asked', 'running') AND wanted <= now();
    IF FOUND THEN
        UPDATE guild.spend SET state = 'released' WHERE spend.key = lapse.key AND state = 'reserved';
    END IF;
END $$;

CREATE OR REPLACE FUNCTION guild.holds(key text, token text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM guild.calls WHERE calls.key = holds.key AND calls.token = holds.token
        AND state = 'running')
$$;

CREATE OR REPLACE FUNCTION guild.finish(key text, again integer, token text, state text, reply text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE guild.calls SET state = finish.state, reply = finish.reply, token = NULL, ended = now()
        WHERE calls.key = finish.key AND calls.token = finish.token AND calls.state = 'running'
        AND finish.state IN ('answered', 'failed');
    IF FOUND THEN
        UPDATE guild.spend SET state = 'made' WHERE spend.state = 'reserved'
            AND id = CASE WHEN again = 0 THEN finish.key ELSE finish.key || '.' || again END;
        RETURN true;
    END IF;
    RETURN false;
END $$;

CREATE OR REPLACE FUNCTION guild.limit_queue(name text, most integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ UPDATE guild.queues SET concurrency = CASE WHEN most > 0 THEN most END WHERE queues.name = limit_queue.name $$;

-- Rights ---------------------------------------------------------------------------------------------

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA guild FROM PUBLIC;

-- SELECT guild.let('some_role', 'work') or 'ask': the whole of what a role needs for that.
CREATE OR REPLACE FUNCTION guild.let(role text, what text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    names text[] := CASE what
        WHEN 'ask' THEN ARRAY['keep', 'kept', 'lease', 'hears', 'ensure_queue', 'find_call', 'wait_for', 'ask',
            'renew', 'leave', 'settle', 'collected', 'offer_lane', 'look_lane', 'dismiss_lane', 'nudge_lane',
            'lose_lane']
        WHEN 'work' THEN ARRAY['keep', 'kept', 'lease', 'hears', 'sign_in', 'beat', 'set_state', 'lock_state',
            'sweep', 'take', 'given', 'lapse', 'holds', 'finish', 'limit_queue', 'take_lane', 'sign_lane',
            'finish_lane'] END;
    each record;
BEGIN
    IF names IS NULL THEN
        RAISE EXCEPTION 'a role may ask or work, not %', what;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA guild, guild_dbos TO %I', role);
    EXECUTE format('GRANT SELECT ON guild.control, guild.queues, guild.spend TO %I', role);
    EXECUTE format('GRANT SELECT (key, try, state, seat, queue, timeout, worker, asked, wanted, started, ended)'
        ' ON guild.calls TO %I', role);
    EXECUTE format('GRANT SELECT (name, executor, incarnation, host, place, pid, state, started, heartbeat,'
        ' serves, capabilities) ON guild.workers TO %I', role);
    EXECUTE format('GRANT SELECT (run_id, task, host, state, worker, asked, wanted, started, ended)'
        ' ON guild.lanes TO %I', role);
    EXECUTE format('GRANT SELECT ON guild_dbos.queues, guild_dbos.workflow_status TO %I', role);
    IF what = 'ask' THEN
        EXECUTE format('GRANT SELECT (run_id, reply) ON guild.calls TO %I', role);
    ELSE
        -- DBOS works with its own tables as this role; what they say decides no reply and no money.
        EXECUTE format('GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA guild_dbos TO %I', role);
        EXECUTE format('REVOKE INSERT, UPDATE ON guild_dbos.dbos_migrations FROM %I', role);
        EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA guild_dbos TO %I', role);
        EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA guild_dbos TO %I', role);
    END IF;
    FOR each IN SELECT oid::regprocedure AS it FROM pg_proc WHERE proname = ANY (names)
            AND pronamespace = 'guild'::regnamespace LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', each.it, role);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION guild.let(text, text) FROM PUBLIC;

-- Roles that an earlier version let write to the tables get the functions in place of that.
DO $$
DECLARE
    each record;
BEGIN
    FOR each IN SELECT DISTINCT grantee::regrole::text AS role, grantee AS oid FROM pg_class, aclexplode(relacl)
            WHERE relnamespace = 'guild'::regnamespace AND grantee NOT IN (0, relowner)
            AND privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE') LOOP
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA guild, guild_dbos FROM %s', each.role);
        EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA guild, guild_dbos REVOKE ALL ON TABLES FROM %s', each.role);
        PERFORM guild.let(pg_get_userbyid(each.oid), 'work'), guild.let(pg_get_userbyid(each.oid), 'ask');
    END LOOP;
    FOR each IN SELECT rolname FROM pg_roles WHERE NOT rolsuper AND NOT pg_has_role(oid, current_user, 'USAGE')
            AND has_function_privilege(oid, 'guild.holds(text, text)', 'EXECUTE') LOOP
        PERFORM guild.let(each.rolname, 'work');  -- DBOS may have got new tables
    END LOOP;
    FOR each IN SELECT rolname FROM pg_roles WHERE NOT rolsuper AND NOT pg_has_role(oid, current_user, 'USAGE')
            AND has_function_privilege(oid, 'guild.leave(text, text)', 'EXECUTE') LOOP
        PERFORM guild.let(each.rolname, 'ask');  -- and we new functions
    END LOOP;
END $$;
