#!/usr/bin/env bash
# What the daemon takes while it has nothing to do: memory (PSS) and processor time, with the shipped configuration.
#
# usage: benches/idle.sh [PAGEWIRE [SECONDS]]      (default: target/release/pagewire, 30 seconds)
#
# Needs Linux with /proc/PID/smaps_rollup. Works in a folder of its own, on a port of its own. Exit status 1 above 20 MiB.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath "${1:-${CARGO_TARGET_DIR:-$repository/target}/release/pagewire}")
seconds=${2:-30}
[[ -x $program ]] || { echo "idle.sh: no program at $program; build it first (cargo build --release)" >&2; exit 1; }

folder=$(mktemp -d)
daemon=
trap '[[ -z $daemon ]] || kill "$daemon"; wait; rm -rf "$folder"' EXIT
cp -r "$repository/config" "$repository/seeds" "$folder"
sed -i 's/^listen = .*/listen = "127.0.0.1:0"/' "$folder/config/pagewire.toml"
"$program" --config "$folder/config/pagewire.toml" run 2>"$folder/log" &
daemon=$!

# Its first readings are over when the feed of everything is there.
for _ in $(seq 100); do
    [[ -e $folder/var/feeds/all.atom ]] && break
    sleep 0.1
done
[[ -e $folder/var/feeds/all.atom ]] || { cat "$folder/log" >&2; exit 1; }
ticks() { awk '{ print $14 + $15 }' "/proc/$daemon/stat"; }
sleep 2
before=$(ticks)
sleep "$seconds"
spent=$(( ($(ticks) - before) * 1000 / $(getconf CLK_TCK) ))
pss=$(awk '/^Pss:/ { print $2 }' "/proc/$daemon/smaps_rollup")
threads=$(ls "/proc/$daemon/task" | wc -l)
printf 'idle: %d KiB PSS, %d threads, %d ms of processor time in %d s\n' "$pss" "$threads" "$spent" "$seconds"
((pss <= 20 * 1024))
