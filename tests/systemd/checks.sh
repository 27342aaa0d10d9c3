# What the scripts beside this one share; they source it. Each runs inside a booted systemd, as root: see `run`.
#
# In: a checkout at /srv/pagewire with README.md and what its section "As a service" installs. Out: a line a check, `ok`
# or `FAIL`, and at the end "N passed, M failed".
# shellcheck shell=bash
set -euo pipefail

unit=pagewire.service
etc=/etc/pagewire
state=/var/lib/pagewire
site=http://127.0.0.1:8080
passed=0
failed=0
trap 'echo "FAIL ended early, at line $LINENO"' EXIT

# check NAME COMMAND...: whether it succeeds, and how long it took.
check() {
    local name=$1 start verdict=ok
    shift
    start=$(date +%s%N)
    if "$@" >/tmp/said 2>&1; then
        passed=$((passed + 1))
    else
        verdict=FAIL
        failed=$((failed + 1))
    fi
    printf '%-4s %5d ms  %s\n' "$verdict" $((($(date +%s%N) - start) / 1000000)) "$name"
    [[ $verdict == ok ]] || sed 's/^/        | /' /tmp/said
}

# within SECONDS COMMAND...: whether it succeeds before they are over.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.05
    done
}

fails() { ! "$@"; }
has() { grep -qF -- "$1" <<<"$2"; }
property() { systemctl show --property "$1" --value "$unit"; }
is() { [[ $(property "$1") == "$2" ]] || { echo "$1 is $(property "$1"), not $2"; return 1; }; }
said() { journalctl --unit "$unit" --output cat --no-pager --since "@$since" | grep -F -- "$1"; }
from_now() { sleep 1; since=$(date +%s); }
# What a command says matters, not how it ends.
says() { local what=$1; shift; has "$what" "$("$@" 2>&1)" || { "$@" 2>&1; return 1; }; }
code() { curl --silent --output /dev/null --write-out '%{http_code}' "$site/$1"; }
answers() { [[ $(code "$1") == 200 ]]; }
# Bytes and validators of a feed.
fingerprint() { curl --silent --show-error --include "$site/topics/tpu.atom" | grep -viE '^(date|cache-control):' | sha256sum; }
# A command of somebody's, without any variable, from the root folder.
by() { local who=$1; shift; (cd / && setpriv --reuid "$who" --regid "$who" --init-groups env --ignore-environment PATH=/usr/bin:/bin "$@"); }
topic() { printf '[[topic]]\nslug = "%s"\npages = ["%s"]\n' "$1" "$2" >"$etc/seeds/$1.toml"; }
start_again() { systemctl reset-failed "$unit"; systemctl start "$unit"; }
other_process() { [[ $(property ActiveState) == active && $(property MainPID) != "$1" ]]; }
all_is_pagewires() { [[ -z $(find "$state" ! -user pagewire -print | tee /dev/stderr) ]]; }

# readme WORDS [SED]: the commands of the first block below "As a service" that has these words, word for word, or as SED
# changes them.
readme() {
    awk -v words="$1" '
        /^## / { here = $0 == "## As a service" }
        here && /^```/ { if (code && index(block, words)) { printf "%s", block; exit } code = !code; block = ""; next }
        code && here { block = block $0 "\n" }
    ' README.md | sed "${2-}" >/tmp/readme.sh
    cat /tmp/readme.sh
    grep -qF -- "$1" /tmp/readme.sh && bash -euo pipefail /tmp/readme.sh
}

# Installs and starts the service.
as_readme_says() { readme "dpkg --install"; }

# The last line of a script.
finish() {
    trap - EXIT
    echo "$passed passed, $failed failed"
}

cd /srv/pagewire
# shellcheck source=/dev/null
source ./settings
# Images of containers say that packages must not start services; here they must.
rm -f /usr/sbin/policy-rc.d
