#!/bin/sh
# The gate before a hook: sh gate.sh tool|batch|submit PYTHON -P -m recollect.hooks CLIENT EVENT
#
# Starting Python costs more than everything else a hook does, and at most steps there is nothing to say. So the shell
# looks first whether the payload names anything that something is known about: the words beside the database, which are
# gone as soon as the store changes. If it does, or the words are missing, the hook runs and the agent waits for it. If
# not, the same hook runs behind the agent's back and only records. Either way it is one Python a tool call, and the
# payload is never on disk. Clients' own ways to run a hook beside are no use here: they kill it when they end.

kind=$1
shift
payload=$(cat)

run_hook() {
    printf '%s' "$payload" | "$@"
}

# Of a batch only calls that were refused are news: the others told of themselves.
if [ "$kind" = batch ]; then
    printf '%s' "$payload" | LC_ALL=C grep -qF -e '<tool_use_error>' -e 'requires approval' \
        -e "doesn't want to proceed" -e 'been denied' -e 'was rejected' -e 'requested permissions' -e '"not_started"'
    [ $? -eq 1 ] && exit 0
fi
# Sent before every request to the model; a person typed something before few of them.
if [ "$kind" = submit ]; then
    printf '%s' "$payload" | LC_ALL=C grep -qE '"prompt" ?: ?""' && exit 0
    run_hook "$@"
    exit 0
fi

# Where the store is unless a settings file says otherwise; then there are no words at this place.
if [ -n "$RECOLLECT_HOME" ]; then
    data=$RECOLLECT_HOME/data
elif [ -d /System/Library ]; then
    data="$HOME/Library/Application Support/recollect"
else
    data=${XDG_DATA_HOME:-$HOME/.local/share}/recollect
fi
db=$data/memories.db
if [ -n "$RECOLLECT_DB" ]; then
    db=$RECOLLECT_DB
elif [ -n "$RECOLLECT_URL" ]; then
    db=$data/servers/$(printf '%s' "$RECOLLECT_URL" | LC_ALL=C tr -c 'A-Za-z0-9' '-').db
fi
words=$db.gate

if [ ! -f "$words" ]; then
    RECOLLECT_GATE=missing
    export RECOLLECT_GATE
    run_hook "$@"
    exit 0
fi
if [ "$kind" = tool ]; then
    printf '%s' "$payload" | LC_ALL=C grep -qiFf "$words"
    if [ $? -ne 1 ]; then
        run_hook "$@"
        exit 0
    fi
fi

# When it was heard: it may be written down a little later, and what follows in between must not overtake it.
if [ -r /proc/uptime ]; then
    read -r RECOLLECT_HEARD _ </proc/uptime
    export RECOLLECT_HEARD
fi
# Nobody will hear what it says.
RECOLLECT_GATE=behind
export RECOLLECT_GATE
# Who learns from the session waits for this mark to go.
mark=$db.recording.$$
true >"$mark"
(
    trap '' HUP INT TERM
    run_hook "$@"
    rm -f "$mark"
) </dev/null >/dev/null 2>&1 &
exit 0
