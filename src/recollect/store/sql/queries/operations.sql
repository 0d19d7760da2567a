-- part: ops_run_columns
-- Every column of a run that a value has.
id, job, chain_id, parent_id, trigger, tier, attempt, state, dry_run, started_at, ended_at, runner_pid, runner_birth,
pid, pid_birth, exit_code, model, agent_session, tokens_in, tokens_out, cost_usd, turns, prompt, summary, error,
memories_told, malformed, quoted, client, folder, structured

-- name: ops_run_put
-- A run begins.
INSERT INTO ops_run ({ops_run_columns})
VALUES (:id, :job, :chain_id, :parent_id, :trigger, :tier, :attempt, :state, :dry_run, :started_at, :ended_at,
        :runner_pid, :runner_birth, :pid, :pid_birth, :exit_code, :model, :agent_session, :tokens_in, :tokens_out,
        :cost_usd, :turns, :prompt, :summary, :error, :memories_told, :malformed, :quoted, :client, :folder, :structured)

-- name: ops_run_started
-- The agent of a run has a process now.
UPDATE ops_run SET pid = :pid, pid_birth = :pid_birth WHERE id = :id

-- name: ops_run_told
-- What a run was asked, and how many memories it was told.
UPDATE ops_run SET prompt = :prompt, memories_told = :memories_told WHERE id = :id

-- name: ops_run_close
-- A run ended; only one that is still open can be closed.
UPDATE ops_run SET state = :state, ended_at = :ended_at, exit_code = :exit_code, model = :model,
       agent_session = :agent_session, tokens_in = :tokens_in, tokens_out = :tokens_out, cost_usd = :cost_usd,
       turns = :turns, summary = :summary, error = :error, malformed = :malformed, quoted = :quoted
 WHERE id = :id AND state = 'running'

-- name: ops_run_stop
-- Somebody wants a run to end.
UPDATE ops_run SET stop_wanted = 1 WHERE id = :id AND state = 'running'

-- name: ops_run_stop_wanted
-- Whether somebody wants a run to end.
SELECT stop_wanted FROM ops_run WHERE id = :id

-- name: ops_run_get
-- Runs whose id begins so.
SELECT {ops_run_columns} FROM ops_run WHERE id >= :id AND id < :above ORDER BY id LIMIT 2

-- name: ops_runs
-- The newest runs, of one job or of all.
SELECT {ops_run_columns} FROM ops_run
 WHERE (:job = '' OR job = :job) AND (:state = '' OR state = :state)
 ORDER BY started_at DESC, id DESC LIMIT :limit

-- name: ops_runs_of_chain
-- All runs that one start led to, in order.
SELECT {ops_run_columns} FROM ops_run WHERE chain_id = :chain_id ORDER BY started_at, id

-- name: ops_runs_open
-- Runs that have not ended, of one job or of all.
SELECT {ops_run_columns} FROM ops_run WHERE state = 'running' AND (:job = '' OR job = :job) ORDER BY started_at

-- name: ops_run_last_end
-- When the newest chain of a job ended.
SELECT MAX(ended_at) AS ended_at FROM ops_run WHERE job = :job

-- name: ops_runs_old
-- Runs that ended before a moment.
SELECT id FROM ops_run WHERE ended_at < :before AND state <> 'running' LIMIT :limit

-- name: ops_runs_drop
-- Let go of runs that ended before a moment.
DELETE FROM ops_run WHERE ended_at < :before AND state <> 'running'

-- name: ops_event_put
-- Something happened; read a second time at the same place, it is the same.
INSERT INTO ops_event (run_id, job, tier, at, type, level, service, message, memory_id, position, place)
VALUES (:run_id, :job, :tier, :at, :type, :level, :service, :message, :memory_id, :position, :place)
ON CONFLICT (run_id, position, place, type) DO NOTHING

-- name: ops_events
-- The newest events that pass a filter.
SELECT num, run_id, job, tier, at, type, level, service, message, memory_id, position, place FROM ops_event
 WHERE num > :after AND (:service = '' OR service = :service) AND (:type = '' OR type = :type)
   AND (:job = '' OR job = :job) AND (:run_id = '' OR run_id = :run_id)
 ORDER BY num DESC LIMIT :limit

-- name: ops_events_drop
-- Let go of events from before a moment.
DELETE FROM ops_event WHERE at < :before

-- name: ops_action_put
-- An action is allowed, denied, or told to have been taken.
INSERT INTO ops_action (action, service, at, allowed, run_id, spent_at, succeeded, message, reset_at, position, place)
VALUES (:action, :service, :at, :allowed, :run_id, :spent_at, :succeeded, :message, NULL, :position, :place)

-- name: ops_actions_counted
-- The actions on a service that count within a window, oldest first.
SELECT num, at FROM ops_action
 WHERE service = :service AND action = :action AND allowed = 1 AND reset_at IS NULL AND at > :since ORDER BY at

-- name: ops_action_granted
-- What a run was allowed and has not done yet.
SELECT num FROM ops_action
 WHERE service = :service AND action = :action AND run_id = :run_id AND allowed = 1 AND spent_at IS NULL
   AND reset_at IS NULL AND at > :since
 ORDER BY num LIMIT 1

-- name: ops_action_spend
-- What was allowed is being done.
UPDATE ops_action SET spent_at = :at WHERE num = :num AND spent_at IS NULL

-- name: ops_action_read
-- The action that a marker at this place of a run's output has told of.
SELECT num FROM ops_action WHERE run_id = :run_id AND position = :position AND place = :place

-- name: ops_action_untold
-- What a run was allowed and has not told the outcome of.
SELECT num FROM ops_action
 WHERE service = :service AND action = :action AND run_id = :run_id AND allowed = 1 AND succeeded IS NULL
 ORDER BY num LIMIT 1

-- name: ops_action_outcome
-- How an action ended, and where that was told.
UPDATE ops_action
   SET succeeded = :succeeded, message = :message, spent_at = COALESCE(spent_at, :at), position = :position, place = :place
 WHERE num = :num

-- name: ops_actions_reset
-- The actions on a service count no longer.
UPDATE ops_action SET reset_at = :at
 WHERE service = :service AND (:action = '' OR action = :action) AND allowed = 1 AND reset_at IS NULL

-- name: ops_actions
-- The newest actions.
SELECT num, action, service, at, allowed, run_id, spent_at, succeeded, message, reset_at FROM ops_action
 WHERE (:service = '' OR service = :service) ORDER BY num DESC LIMIT :limit

-- name: ops_actions_drop
-- Let go of actions from before a moment.
DELETE FROM ops_action WHERE at < :before

-- name: ops_check_put
-- A look at a service; read a second time at the same place, it is the same.
INSERT INTO ops_check (service, healthy, at, message, run_id, position, place)
VALUES (:service, :healthy, :at, :message, :run_id, :position, :place)
ON CONFLICT (run_id, position, place) DO NOTHING

-- name: ops_health_get
-- How a service is.
SELECT service, healthy, streak, since, checked_at, message, run_id FROM ops_health WHERE service = :service

-- name: ops_health_all
-- How all services are, those in trouble first.
SELECT service, healthy, streak, since, checked_at, message, run_id FROM ops_health ORDER BY healthy, service

-- name: ops_health_put
-- How a service is now.
INSERT INTO ops_health (service, healthy, streak, since, checked_at, message, run_id)
VALUES (:service, :healthy, :streak, :since, :checked_at, :message, :run_id)
ON CONFLICT (service) DO UPDATE SET healthy = :healthy, streak = :streak, since = :since,
       checked_at = :checked_at, message = :message, run_id = :run_id

-- name: ops_checks_drop
-- Let go of looks from before a moment.
DELETE FROM ops_check WHERE at < :before

-- name: ops_due_get
-- When a job is to run next.
SELECT job, plan, due_at, seen FROM ops_due WHERE job = :job

-- name: ops_due_put
-- When a job is to run next, and what its triggers have seen.
INSERT INTO ops_due (job, plan, due_at, seen) VALUES (:job, :plan, :due_at, :seen)
ON CONFLICT (job) DO UPDATE SET plan = :plan, due_at = :due_at, seen = :seen
