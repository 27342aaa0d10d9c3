#!/usr/bin/env bash
# What the service promises, tried inside a booted systemd, from installation to purge.
#
# In, out: as checks.sh says; besides, /usr/bin/python3 for an origin that never finishes.
# usage: [STARTS=100] tests/systemd/run lifecycle
# shellcheck source=tests/systemd/checks.sh
source /srv/pagewire/tests/systemd/checks.sh

# --- as README says
from_now
check "README's commands install and start it" as_readme_says
check "it answers when they return" answers readyz
check "the topic's feed is there soon" within 5 answers topics/tpu.atom
check "systemd is told what it does" has "follows 1 page, serving $site" "$(property StatusText)"
check "it is enabled" systemctl is-enabled "$unit"
verified() { ! systemd-analyze verify --man=no /usr/lib/systemd/system/pagewire* 2>&1 | grep -E 'Unknown|Failed to parse|ignoring'; }
check "systemd-analyze verify finds nothing in any unit" verified
check "the manual is there" [ -e /usr/share/man/man1/pagewire.1.gz -a -e /usr/share/man/man5/pagewire.toml.5.gz ]
check "and a doctor finds nothing wrong" pagewire doctor
exposure=$(systemd-analyze security --no-pager "$unit" | sed -n 's/.*Overall exposure level.*: \([0-9.]*\) .*/\1/p')
check "exposure $exposure is at most 1.2" awk "BEGIN { exit !(${exposure:-9} <= 1.2) }"

# --- journal
one_line_a_change() {
    journalctl --unit "$unit" --output json --no-pager --since "@$since" >/tmp/journal
    grep -F '"PAGEWIRE_ADDED":"11"' /tmp/journal | grep -F '"PAGEWIRE_PAGE":"' | grep -qF '"SYSLOG_IDENTIFIER":"pagewire"' || return 1
    [[ $(grep -c PAGEWIRE_ADDED /tmp/journal) == 1 ]]
}
check "the journal has one line with fields for the change" within 5 one_line_a_change

# --- files
modes() { [[ $(stat --format '%a %U:%G' "$1") == "$2" ]] || { stat --format '%n %a %U:%G' "$1"; return 1; }; }
useradd --system www
useradd --system ops
usermod -aG pagewire ops
check "the state's folder can be passed through" modes "$state" "711 pagewire:pagewire"
check "the database is pagewire's" modes "$state/pagewire.db" "600 pagewire:pagewire"
check "its log, too" modes "$state/pagewire.db-wal" "600 pagewire:pagewire"
check "the socket is the group's" modes /run/pagewire/control.sock "660 pagewire:pagewire"
check "another user reads a feed" by www cat "$state/feeds/topics/tpu.atom"
check "another user does not read the database" fails by www cat "$state/pagewire.db"
check "another user does not list the state" fails by www ls "$state"
check "another user may not refresh" fails by www pagewire refresh

# --- commands
for who in root ops; do
    check "$who refreshes" by "$who" pagewire refresh
    check "$who sees the status" says '"state":"ok"' by "$who" pagewire status --json
    check "$who reloads" by "$who" pagewire reload
done
check "no file is somebody else's" all_is_pagewires

# --- start
restarts() {
    for ((n = 0; n < starts; n++)); do
        systemctl stop "$unit"
        start_again
        answers topics/tpu.atom || return 1
    done
}
starts=${STARTS:-20}
before=$(fingerprint)
check "$starts times the feed answers when systemctl start returns" restarts
check "with the same bytes and validators" [ "$(fingerprint)" = "$before" ]

# --- reload
process=$(property MainPID)
sed 's/TPU/Tea/' "$etc/seeds/pages/tpu.md" >"$etc/seeds/pages/tea.md"
topic tea pages/tea.md
check "systemctl reload" systemctl reload "$unit"
check "the new topic is known when it returns" grep -qE '200|503' <<<"$(code topics/tea.atom)"
check "systemd is told" has "follows 2 pages" "$(property StatusText)"
check "the new topic's feed is there soon" within 5 answers topics/tea.atom
from_now
echo '[[topc]]' >"$etc/seeds/bad.toml"
check "systemctl reload of a bad configuration fails" fails systemctl reload "$unit"
check "the journal says where it is bad" within 5 said "$etc/seeds/bad.toml:1:3"
check "pagewire reload says it, too" says "$etc/seeds/bad.toml:1:3" pagewire reload
rm "$etc/seeds/bad.toml"
sed -i 's/^listen = .*/listen = "127.0.0.1:8081"/' "$etc/pagewire.toml"
check "another address is refused" fails systemctl reload "$unit"
check "the journal says what helps" within 5 said "restart to change it"
sed -i 's/^listen = .*/listen = "127.0.0.1:8080"/' "$etc/pagewire.toml"
check "the old configuration goes on" answers topics/tea.atom
check "and a good one is taken again" systemctl reload "$unit"
check "all by one process" is MainPID "$process"

# --- crash
before=$(fingerprint)
cp --archive "$state/feeds" /tmp
echo damaged | tee "$state/feeds/index.html" "$state/feeds/all.rss" >/dev/null
kill -9 "$process"
check "after kill -9 the feed answers within 5 s" within 5 eval 'other_process $process && answers topics/tpu.atom'
check "with the same bytes and validators" [ "$(fingerprint)" = "$before" ]
check "and damaged files are written again" within 5 diff --recursive /tmp/feeds "$state/feeds"

# --- watchdog, and pages that never come
cat >/tmp/origin.py <<'P'
import http.server, time
class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/robots.txt":
            return self.send_error(404)
        open("/tmp/asked" + self.path, "w").close()
        if self.path == "/stall":
            time.sleep(30)
        self.send_response(200)
        self.send_header("Content-Type", "text/markdown")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while True:
            self.wfile.write(b"#")
            time.sleep(0.1)
http.server.ThreadingHTTPServer(("127.0.0.1", 9000), Origin).serve_forever()
P
mkdir /tmp/asked
python3 /tmp/origin.py 2>/dev/null &
origin=$!
sed -i 's/^allow_private = .*/allow_private = ["127.0.0.1"]/' "$etc/pagewire.toml"
mkdir -p "/run/systemd/system/$unit.d"
printf '[Service]\nWatchdogSec=3s\n' >"/run/systemd/system/$unit.d/test.conf"
systemctl daemon-reload
systemctl restart "$unit"
topic stall http://127.0.0.1:9000/stall
systemctl reload "$unit"
check "a page that stalls is asked" within 5 [ -e /tmp/asked/stall ]
process=$(property MainPID)
sleep 7
check "it stops no beat of the watchdog" is MainPID "$process"
check "nor the feeds" answers topics/tpu.atom
from_now
kill -STOP "$process"
check "a process that hangs is replaced" within 10 other_process "$process"
check "by the watchdog" within 5 said "Watchdog timeout"
check "and the feed answers" within 5 answers topics/tpu.atom
rm -r "/run/systemd/system/$unit.d"
systemctl daemon-reload

# --- stop
topic slow http://127.0.0.1:9000/drip
systemctl reload "$unit"
check "a page that drips is asked" within 5 [ -e /tmp/asked/drip ]
check "systemctl stop in mid-download takes at most 5 s" timeout 5 systemctl stop "$unit"
check "a clean stop" is Result success
rm "$etc/seeds/slow.toml" "$etc/seeds/stall.toml"
kill "$origin"

# --- root without a daemon
check "root refreshes without a daemon" by root pagewire refresh
check "and leaves no file of root's" all_is_pagewires
mv "$state/pagewire.db" /tmp
check "nor where it makes the database" by root pagewire refresh tpu
check "which is pagewire's" modes "$state/pagewire.db" "600 pagewire:pagewire"
check "as all is" all_is_pagewires
mv /tmp/pagewire.db "$state"

# --- what a restart mends
setpriv --reuid pagewire --regid pagewire --clear-groups flock "$state/pagewire.db.lock" sleep 4 &
sleep 0.5
check "while another process holds the state it does not start" fails start_again
check "and tries again until it can" within 10 answers topics/tpu.atom

# --- feeds elsewhere
cp "$etc/pagewire.toml" /tmp
sed -i "s|^directory = .*|directory = \"$state/public/feeds\"|" "$etc/pagewire.toml"
check "another folder of feeds needs a restart" systemctl restart "$unit"
check "another user reads feeds in folders that it made" by www cat "$state/public/feeds/topics/tpu.atom"
cp /tmp/pagewire.toml "$etc"
systemctl stop "$unit"

# --- what no restart mends
unusable() {
    from_now
    ! start_again || return 1
    (($(date +%s) - since < 5)) && is ActiveState failed && is NRestarts 0 && is ExecMainStatus 78 && within 5 said "$1"
}
echo '[[topc]]' >"$etc/seeds/bad.toml"
check "a bad configuration ends it with 78" unusable "$etc/seeds/bad.toml:1:3"
rm "$etc/seeds/bad.toml"
python3 -m http.server --bind 127.0.0.1 8080 >/dev/null 2>&1 &
other=$!
within 5 curl --silent --output /dev/null "$site"
check "a busy address, too" unusable "cannot listen on \`127.0.0.1:8080\`: another program does"
kill "$other"
sed -i 's|^directory = .*|directory = "/srv/feeds"|' "$etc/pagewire.toml"
check "a folder of feeds outside the sandbox, too" unusable "cannot use the folder \`/srv/feeds\`"
mkdir /srv/feeds
cp -r "$state"/feeds/. /srv/feeds
check "also where all feeds are there" unusable "cannot use the folder \`/srv/feeds\`"
cp /tmp/pagewire.toml "$etc"
chown root "$state/pagewire.db"
check "a database of somebody else's, too" unusable "check the folder's owner and permissions"
chown pagewire "$state/pagewire.db"
check "and then it starts" start_again
check "and answers" answers topics/tpu.atom

# --- sandbox: the same unit with another program
cat >/usr/bin/probe <<'P'
#!/bin/bash
tried() { if "${@:2}" 2>/dev/null; then echo "FAIL $1"; else echo "ok $1"; fi; }
[[ $(id -un) == pagewire ]] && echo "ok runs as pagewire"
tried "reads /etc/shadow" cat /etc/shadow
tried "lists /home" ls /home/somebody
tried "lists /root" ls /root
tried "writes to /etc/pagewire" touch /etc/pagewire/x
tried "writes to /usr" touch /usr/x
tried "sees other processes" ls -d /proc/1
tried "makes a namespace" unshare --user true
tried "makes a raw socket" python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'
tried "makes memory both writable and executable" python3 -c 'import mmap; mmap.mmap(-1, 4096, prot=7)'
tried "changes owners" chown root /var/lib/pagewire
touch /var/lib/pagewire/probe /run/pagewire/probe && rm /var/lib/pagewire/probe && echo "ok writes to its own folders"
P
chmod 755 /usr/bin/probe
mkdir --parents /home/somebody
systemctl stop "$unit"
sed --expression 's|^ExecStart=.*|ExecStart=/usr/bin/probe|' --expression 's/^Type=.*/Type=oneshot/' \
    --expression '/^\(ExecReload\|Restart.*\|WatchdogSec\)=/d' "/usr/lib/systemd/system/$unit" >/run/systemd/system/probe.service
systemctl daemon-reload
probed() { systemctl start probe.service; journalctl --unit probe.service --output cat --no-pager >/tmp/probed; cat /tmp/probed; [[ $(grep -c '^ok' /tmp/probed) == 12 ]]; }
check "the sandbox holds" probed

# --- timer, for those who want no daemon
rm -f /run/systemd/system/probe.service /var/lib/systemd/timers/stamp-pagewire-refresh.timer
systemctl daemon-reload
systemctl stop "$unit"
mkdir -p /var/lib/systemd/timers "/run/systemd/system/pagewire-refresh.timer.d"
printf '[Timer]\nRandomizedDelaySec=0\n' >/run/systemd/system/pagewire-refresh.timer.d/test.conf
systemctl daemon-reload
touch --date '3 days ago' /var/lib/systemd/timers/stamp-pagewire-refresh.timer
sed 's/TPU/Toys/' "$etc/seeds/pages/tpu.md" >"$etc/seeds/pages/toys.md"
topic toys pages/toys.md
check "a timer that missed three days" systemctl start pagewire-refresh.timer
check "refreshes at once, without a daemon" within 10 [ -e "$state/feeds/topics/toys.atom" ]
check "once" [ "$(journalctl --unit pagewire-refresh.service --output cat --no-pager | grep -c 'Starting')" = 1 ]
check "and leaves all to pagewire" all_is_pagewires
systemctl stop pagewire-refresh.timer
rm "$etc/seeds/toys.toml"
check "and the daemon takes over again" start_again

# --- package: upgrade, removal
# The same package as an older version stands for the previous one.
dpkg-deb --raw-extract /srv/pagewire/target/debian/pagewire_*.deb /tmp/older
sed -i 's/^Version: .*/Version: 0.0.1-1/' /tmp/older/DEBIAN/control
dpkg-deb -Znone --build /tmp/older /tmp/older.deb >/dev/null
sed -i 's/^operator = .*/operator = "local" # mine/' "$etc/pagewire.toml"
check "an older version can be installed" dpkg --force-downgrade --force-confold --install /tmp/older.deb
check "and serves" within 5 answers topics/tpu.atom
before=$(fingerprint)
check "an upgrade" dpkg --force-confold --install /srv/pagewire/target/debian/pagewire_*.deb
check "restarts the service, which answers" within 5 answers topics/tpu.atom
check "with the same bytes and validators" [ "$(fingerprint)" = "$before" ]
check "and keeps what was configured" grep -q '# mine' "$etc/pagewire.toml"
check "a removed package keeps its state" dpkg --remove pagewire
check "on disk" [ -e "$state/pagewire.db" ]
check "and nothing answers any more" fails answers topics/tpu.atom
check "a purged one" dpkg --purge pagewire
check "leaves nothing" [ ! -e "$state" -a ! -e "$etc" -a ! -e /usr/bin/pagewire ]

finish
