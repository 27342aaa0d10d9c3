#!/usr/bin/env bash
# A hang of each part of the daemon alone, inside a booted systemd: the watchdog ends it within twice WatchdogSec, and
# what does not hang goes on until then.
#
# strace makes the hangs, from outside and in the shipped program: a system call of one thread takes a minute, or fails
# each time, as on a disk that does not answer or with no descriptor left.
# In, out: as checks.sh says.
# usage: tests/systemd/run hang
# shellcheck source=tests/systemd/checks.sh
source /srv/pagewire/tests/systemd/checks.sh

# with_watchdog SECONDS: the service, started anew.
with_watchdog() {
    watchdog=$1
    mkdir -p "/run/systemd/system/$unit.d"
    printf '[Service]\nWatchdogSec=%ss\n' "$watchdog" >"/run/systemd/system/$unit.d/test.conf"
    systemctl daemon-reload
    systemctl restart "$unit"
    within 5 answers topics/tpu.atom
    process=$(property MainPID)
}
as_readme_says >/tmp/installed 2>&1
with_watchdog 3

# The thread of that name, of the daemon.
thread() { grep -lx "$1" /proc/"$process"/task/*/comm | head -1 | cut -d/ -f5; }
# with_strace THREAD OPTIONS...: until the process ends.
with_strace() {
    strace --quiet=all --output=/dev/null --attach="$1" "${@:2}" 2>/tmp/strace &
    tracer=$!
    within 5 grep -qE '^TracerPid:\s[1-9]' "/proc/$process/task/$1/status"
}
starts_over() {
    check "is ended by the watchdog within $((2 * watchdog)) s" within $((2 * watchdog)) said "Watchdog timeout"
    # A thread that strace delays can't end before strace lets go of it.
    kill -9 "$tracer" 2>/dev/null || true
    check "after the journal named it" said "$1"
    check "and replaced" within 5 other_process "$process"
    check "and all is well again" within 5 answers topics/tpu.atom
    check "with the same bytes and validators" [ "$(fingerprint)" = "$before" ]
    wait "$tracer" 2>/dev/null || true
}
before=$(fingerprint)

sleep $((2 * watchdog + 1))
check "a daemon that moves lives on" is MainPID "$process"

# --- the scheduler: its loop never wakes again
from_now
process=$(property MainPID)
with_strace "$(thread work)" --trace=epoll_wait --inject=epoll_wait:delay_exit=60s
check "while the scheduler hangs, feeds answer" answers topics/tpu.atom
check "and the control socket" curl --silent --fail --unix-socket /run/pagewire/control.sock http://localhost/healthz
check "a scheduler that hangs" fails timeout 1 pagewire refresh tpu
starts_over "the scheduler or the state does not answer"

# --- the state: the disk does not come back from a write
from_now
process=$(property MainPID)
with_strace "$(thread work)" --trace=fdatasync,fsync --inject=fdatasync,fsync:delay_exit=60s
check "a state that hangs" fails timeout 1 pagewire refresh --force tpu
check "leaves the feeds" answers topics/tpu.atom
starts_over "the scheduler or the state does not answer"

# --- the listener: nobody is let in any more
from_now
process=$(property MainPID)
with_strace "$process" --trace=accept4 --inject=accept4:error=EMFILE
check "a listener that hangs" fails curl --silent --max-time 1 "$site/healthz"
starts_over "does not answer; systemd is not told"


# --- what is no hang: another program that has locked the database, for which no restart is a cure
with_watchdog 12
cat >/tmp/lock.py <<'P'
import sqlite3, time
db = sqlite3.connect("/var/lib/pagewire/pagewire.db", isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open("/tmp/locked", "w").close()
time.sleep(20)
P
by pagewire python3 /tmp/lock.py &
lock=$!
within 5 [ -e /tmp/locked ]
sleep 1
check "while another program has locked the database, feeds answer" answers topics/tpu.atom
check "and a refresh says what is wrong" says "database is locked" pagewire refresh --force tpu
wait "$lock"
check "nothing was ended for it" is MainPID "$process"
check "and then it refreshes again" within 5 pagewire refresh --force tpu

finish
