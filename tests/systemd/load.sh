#!/usr/bin/env bash
# 200 requests a second through restarts, reloads and upgrades, with the socket unit, inside a booted systemd: none fails.
#
# In, out: as checks.sh says; besides, /usr/bin/python3 for the client (load.py). $CYCLES says how many restarts and how
# many reloads; the whole promise is 20 of each.
# usage: CYCLES=20 tests/systemd/run load
# shellcheck source=tests/systemd/checks.sh
source /srv/pagewire/tests/systemd/checks.sh

cycles=${CYCLES:-4}
paths=(/topics/tpu.atom /topics/tpu.rss /topics/tpu.json /all.atom /feeds.opml /types/tutorial.atom)

as_readme_says >/tmp/installed 2>&1
within 5 answers topics/tpu.atom
# load COMMAND...: what clients saw while it ran is in /tmp/load.
load() {
    python3 tests/systemd/load.py 127.0.0.1:8080 200 "${paths[@]}" >/tmp/load 2>&1 &
    local client=$!
    sleep 1
    "$@" || { kill "$client"; return 1; }
    sleep 1
    kill "$client"
    wait "$client"
}
load_is_served() {
    local name=$1
    shift
    check "$name: no request fails" load "$@"
    sed 's/^/        | /' /tmp/load
}
reloads() {
    for ((n = 0; n < cycles; n++)); do
        topic "tea$((n % 3))" pages/tpu.md
        systemctl reload "$unit" || return 1
        sleep 0.3
    done
}
restarts() {
    for ((n = 0; n < cycles; n++)); do
        systemctl reset-failed "$unit"
        systemctl restart "$unit" || return 1
        sleep 0.3
    done
}
upgrades() { for _ in 1 2; do dpkg --force-confold --install target/debian/pagewire_*.deb || return 1; sleep 0.3; done; }

load_is_served "$cycles reloads in place" reloads
rm "$etc"/seeds/tea*.toml
check "systemd takes the address, as README says" readme pagewire.socket
check "and the feed answers" answers topics/tpu.atom
systemctl stop "$unit" 2>/dev/null
check "the first request starts a service that is stopped" answers topics/tpu.atom
load_is_served "$cycles restarts with the socket unit" restarts
load_is_served "$cycles reloads with the socket unit" reloads
load_is_served "2 upgrades of the package with the socket unit" upgrades
check "the service is active" is ActiveState active

finish
