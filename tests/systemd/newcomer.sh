#!/usr/bin/env bash
# The newcomer's path: from the package to the first subscribed feed, with README's commands and nothing else.
#
# In, out: as checks.sh says; besides, /usr/bin/python3 for the page that is followed. The page is on this machine, where
# no page may be by default, and without a certificate: `allow_private` and an http address are all that is done besides.
# usage: tests/systemd/run newcomer, or SUITE=bookworm tests/systemd/run newcomer for a bare Debian 12
# shellcheck source=tests/systemd/checks.sh
source /srv/pagewire/tests/systemd/checks.sh

mkdir /tmp/tea
cat >/tmp/tea/news <<'P'
<!doctype html><html lang=en><title>Tea House</title><main><h1>News</h1>
<article><h2><a href="/brew">How long to brew</a></h2><time datetime=2025-09-24>24 September</time><p>Two minutes.</article>
<article><h2><a href="/pots">On pots</a></h2><time datetime=2025-09-20>20 September</time><p>Clay, not glass.</article>
<article><h2><a href="/water">Water first</a></h2><time datetime=2025-09-02>2 September</time><p>Soft, and fresh.</article>
</main></html>
P
cat >/tmp/site.py <<'P'
import http.server
class Site(http.server.SimpleHTTPRequestHandler):
    extensions_map = {"": "text/html"}
http.server.ThreadingHTTPServer(("127.0.0.1", 80), lambda *a: Site(*a, directory="/tmp/tea")).serve_forever()
P
echo "127.0.0.1 tea.example" >>/etc/hosts
python3 /tmp/site.py 2>/dev/null &

start=$SECONDS
check "the package, as README says" as_readme_says
check "its first feed is there" within 10 answers topics/tpu.atom
sed -i 's/^allow_private = .*/allow_private = ["tea.example"]/' "$etc/pagewire.toml"
check "following a page, as README says" readme "pagewire add" 's|https://tea|http://tea|'
check "what it said" cat /tmp/said
check "the page's feed is there" within 10 answers topics/tea.atom
entries() { curl --silent "$site/topics/tea.atom" | grep -o '<title[^>]*>[^<]*' | grep -c -e "How long to brew" -e "On pots" -e "Water first"; }
check "with its three posts" [ "$(entries)" = 3 ]
curl --silent --output /tmp/feed.atom "$site/topics/tea.atom"
check "and pagewire finds nothing wrong with it" pagewire check-feed /tmp/feed.atom
check "a doctor neither" pagewire doctor
echo "        from package to feed in $((SECONDS - start)) s, without the reading"

finish
