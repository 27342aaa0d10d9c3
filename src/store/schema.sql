-- Version 1. Times are whole seconds since 1970-01-01T00:00:00Z.

-- A page and what is known of its polls.
CREATE TABLE page (
    id                INTEGER PRIMARY KEY,
    address           TEXT NOT NULL UNIQUE,
    fingerprint       INTEGER NOT NULL DEFAULT 0,
    kind              TEXT,
    body              BLOB,
    unproved          BLOB,
    count_fitted      INTEGER NOT NULL DEFAULT 0,
    title             TEXT,
    description       TEXT,
    posts             INTEGER NOT NULL DEFAULT 0,
    validator_address TEXT,
    etag              BLOB,
    last_modified     BLOB,
    last_fetch        INTEGER,
    last_change       INTEGER,
    next_due          INTEGER,
    failures          INTEGER NOT NULL DEFAULT 0,
    since             INTEGER,
    error_kind        TEXT,
    error             TEXT,
    warnings          TEXT,
    retry_after       INTEGER,
    ended             INTEGER NOT NULL DEFAULT 0,
    hold              TEXT,
    stale_at          INTEGER,
    stale             INTEGER NOT NULL DEFAULT 0,
    paused            INTEGER NOT NULL DEFAULT 0,
    server            TEXT,
    habit             BLOB
);

-- What a page's own readings said, packed: one row a page is written once a change, not one a post.
CREATE TABLE listing (
    page  INTEGER PRIMARY KEY,
    posts BLOB NOT NULL
);

-- A post as we know it. uid, first_seen and published are written once; revision counts changes of the text.
-- feeds: numbers, separated by spaces. gone: 0 in its feeds; 1 forgotten, in none for good; 2 in none because it is old
-- or its topic was dropped, until a page lists it again; 3 in none yet: it waits for its own page. owner 0: imported, until a page lists it. authors: a line each. companies: a line each of feed, link and name, by tabs.
-- delisted: when a page last listed it no more. opens: what a feed's link opens, where that is not `link`. content: the text of its own page.
CREATE TABLE entry (
    id         INTEGER PRIMARY KEY,
    owner      INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    published  INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    revision   INTEGER NOT NULL DEFAULT 0,
    gone       INTEGER NOT NULL DEFAULT 0,
    delisted   INTEGER,
    feeds      TEXT NOT NULL,
    uid        TEXT NOT NULL,
    link       TEXT,
    dated      TEXT,
    title      TEXT NOT NULL,
    kind       TEXT,
    authors    TEXT,
    companies  TEXT,
    guid       TEXT,
    extra      TEXT,
    enclosures TEXT,
    summary    TEXT NOT NULL,
    opens      TEXT,
    content    TEXT
);

-- Posts whose own page is read for the settings of `page`. due: the next try; null once it was read or given up. asked: the
-- last one. until: how long the post waits for it at most; null once it is published. news: whether it is new then, or of a
-- backlog. original, authors: what its page says.
CREATE TABLE own (
    entry    INTEGER PRIMARY KEY,
    page     INTEGER NOT NULL,
    due      INTEGER,
    asked    INTEGER,
    tries    INTEGER NOT NULL DEFAULT 0,
    until    INTEGER,
    news     INTEGER NOT NULL DEFAULT 0,
    original TEXT,
    authors  TEXT
);
CREATE INDEX own_page ON own (page);
CREATE INDEX own_due ON own (due) WHERE due IS NOT NULL;
CREATE INDEX own_asked ON own (asked) WHERE asked IS NOT NULL;
CREATE INDEX own_until ON own (until) WHERE until IS NOT NULL;

-- Every key under which a post was ever seen, as the first 64 bits of its BLAKE3 hash, and the addresses that several
-- posts share (then `entry` may be null). The texts are long and in no order, and every new post looks for its own. Two
-- of a million keys are one with a chance of 1 in 40 million, and to meet a given one takes 2^64 tries.
CREATE TABLE key (
    key   INTEGER PRIMARY KEY,
    entry INTEGER,
    split INTEGER
);

-- The fragments under which posts of an address are known; the address as in key.
CREATE TABLE fragment (
    address  INTEGER NOT NULL,
    fragment TEXT NOT NULL,
    PRIMARY KEY (address, fragment)
) WITHOUT ROWID;

-- A feed. kind: 0 all, 1 topic, 2 company, 3 type, 4 combined. The slug is null until the end of the round that first needs it.
-- dirty: when its content may have changed, until the change is published. identity: the path that it was first
-- published at, where that was another one. ttl: in minutes, of topics and of everything. retired: since when a topic
-- gets no more posts. rule: what the posts of a combined feed were chosen by; null while it is not in the seeds.
CREATE TABLE feed (
    id          INTEGER PRIMARY KEY,
    kind        INTEGER NOT NULL,
    name        TEXT NOT NULL,
    slug        TEXT,
    hint        TEXT,
    title       TEXT NOT NULL,
    description TEXT,
    fixed       INTEGER NOT NULL DEFAULT 0,
    identity    TEXT,
    language    TEXT,
    ttl         INTEGER,
    retired     INTEGER,
    rule        TEXT,
    posts       INTEGER NOT NULL DEFAULT 0,
    digest      BLOB,
    updated     INTEGER,
    dirty       INTEGER,
    UNIQUE (kind, name),
    UNIQUE (kind, slug)
);

-- Names and links under which a company or type is known. kind as in feed; a link's key begins with `//`.
-- feed null: a link that stands at several names and so means none. via: the link that made this name an alias.
CREATE TABLE alias (
    kind INTEGER NOT NULL,
    key  TEXT NOT NULL,
    feed INTEGER,
    via  TEXT,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;

-- Where companies were published that now go on in others. Their slugs are nobody else's.
CREATE TABLE moved (
    path TEXT PRIMARY KEY,
    feed INTEGER NOT NULL
) WITHOUT ROWID;

-- Which entries a feed holds, by the order in which readers see them. entered: null where that is when it was published,
-- as for all of a backlog, which the primary key finds. archive: the number of the feed's archive that has it.
CREATE TABLE member (
    feed      INTEGER NOT NULL,
    published INTEGER NOT NULL,
    entry     INTEGER NOT NULL,
    entered   INTEGER,
    archive   INTEGER NOT NULL,
    PRIMARY KEY (feed, published, entry)
) WITHOUT ROWID;
CREATE INDEX member_entered ON member (feed, entered) WHERE entered IS NOT NULL;

-- The posts of a feed, a hundred a row, in the order in which they were stored for it: numbers of entries, each between
-- two spaces. Never taken out again, so that no post changes its place; those that left are no members any more.
-- gaps: how many those are. dirty: 0 when it is published as it is, else it counts what happened since.
CREATE TABLE archive (
    feed   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    posts  TEXT NOT NULL,
    gaps   INTEGER NOT NULL DEFAULT 0,
    dirty  INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (feed, number)
) WITHOUT ROWID;
CREATE TRIGGER member_left AFTER DELETE ON member BEGIN
    UPDATE archive SET gaps = gaps + 1, dirty = dirty + 1 WHERE feed = old.feed AND number = old.archive;
END;

-- A title and a slug stand in a feed's archives, and those of a topic in every feed that has its posts; those of one that
-- was never published stand nowhere yet.
CREATE TRIGGER feed_renamed AFTER UPDATE OF title, slug ON feed
WHEN old.updated IS NOT NULL AND (old.title <> new.title OR old.slug <> new.slug) BEGIN
    UPDATE archive SET dirty = dirty + 1 WHERE feed = new.id OR new.kind = 1;
    UPDATE feed SET dirty = coalesce(dirty, updated) WHERE id = new.id OR (new.kind = 1 AND kind <> 1);
END;

-- What was published: the same bytes written again get the same time.
-- A size of -1: not to be trusted, written again. Of -2: its feed has another name now, to be removed.
CREATE TABLE document (
    path  TEXT PRIMARY KEY,
    hash  BLOB NOT NULL,
    size  INTEGER NOT NULL,
    mtime INTEGER NOT NULL
) WITHOUT ROWID;

-- What readings and orders did, a row each that did something; see the packing of events in model::journal. The first
-- document of `raw` that a row names by its number (body) may still be there.
CREATE TABLE journal (
    id      INTEGER PRIMARY KEY,
    page    INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    address TEXT,
    bytes   INTEGER,
    body    BLOB,
    health  INTEGER NOT NULL DEFAULT 0,
    events  TEXT NOT NULL
);
CREATE INDEX journal_page ON journal (page);
CREATE INDEX journal_health ON journal (health) WHERE health;

-- The last document of a page that was taken (good 1) and the last that was not, compressed by zlib.
CREATE TABLE raw (
    page       INTEGER NOT NULL,
    good       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    address    TEXT NOT NULL,
    media_type TEXT,
    size       INTEGER NOT NULL,
    bytes      BLOB NOT NULL,
    PRIMARY KEY (page, good)
);
-- The topic pages that an index listed, each told once; the key as in key. With a slug, title and address: followed since
-- `at`. dropped: not to be followed again.
CREATE TABLE proposal (
    page    INTEGER NOT NULL,
    key     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    slug    TEXT,
    title   TEXT,
    address TEXT,
    dropped INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (page, key)
) WITHOUT ROWID;

-- What sites' robots.txt say to us. known: 0 where it could not be read.
CREATE TABLE robots (
    origin TEXT PRIMARY KEY,
    read   INTEGER NOT NULL,
    text   TEXT NOT NULL,
    known  INTEGER NOT NULL
) WITHOUT ROWID;

-- How many requests were sent for pages on schedule auto, hour by hour since 1970, for a day; planned: polls of due pages.
CREATE TABLE spent (
    hour     INTEGER PRIMARY KEY,
    requests INTEGER NOT NULL,
    planned  INTEGER NOT NULL
);

-- What waits to be sent, by model::push: purpose, and by what it is known: the feed's path and the receiver, or the event
-- and the hook. serial goes up when the same is to be sent once more. due: the next try.
CREATE TABLE errand (
    id       INTEGER PRIMARY KEY,
    purpose  INTEGER NOT NULL,
    path     TEXT NOT NULL,
    target   TEXT NOT NULL,
    body     TEXT NOT NULL,
    serial   INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    since    INTEGER NOT NULL,
    due      INTEGER NOT NULL,
    UNIQUE (purpose, path, target)
);

-- What hooks have last heard of a topic's feed, packed as model::Heard.
CREATE TABLE heard (
    feed INTEGER PRIMARY KEY,
    what BLOB NOT NULL
);

-- Who subscribed at our hub, to which feed, until when.
CREATE TABLE subscriber (
    path     TEXT NOT NULL,
    callback TEXT NOT NULL,
    secret   TEXT,
    expires  INTEGER NOT NULL,
    PRIMARY KEY (path, callback)
) WITHOUT ROWID;

-- Files that were not put in place, since they were wrong: why, and since when. The last good one stays.
CREATE TABLE refused (
    path  TEXT PRIMARY KEY,
    why   TEXT NOT NULL,
    since INTEGER NOT NULL
) WITHOUT ROWID;

-- Single facts about the whole: with which settings the files were made.
CREATE TABLE note (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
