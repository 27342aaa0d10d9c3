//! What a configuration means, and what is said about one that is wrong: one test a rule.

use pagewire::config::{ConfigError, Surroundings, load_in};
use pagewire::model::{AllowPrivate, Cadence, Format, Kind, Late, LinkMode, Listen, Page, Settings, Slug};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder with `config/pagewire.toml` and `seeds/*.toml`.
struct Folder {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let it = Self { _dir: dir, root };
        for (name, text) in files {
            it.write(name, text);
        }
        it
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn around(&self) -> Surroundings {
        Surroundings { folder: self.root.clone(), ..Surroundings::default() }
    }

    fn load(&self) -> Result<Settings, ConfigError> {
        load_in(Path::new("config/pagewire.toml"), &self.around())
    }

    /// What is said about it, with the folder as `/srv`.
    fn faults(&self) -> String {
        self.load().expect_err("is refused").to_string().replace(&self.root.display().to_string(), "/srv")
    }
}

const SEEDS: &str = "seeds = \"../seeds/*.toml\"\n";
const TOPIC: &str = "[[topic]]\nslug = \"tpu\"\npages = [\"tpu.md\"]\n";

/// Settings of a configuration with one topic.
fn settings(config: &str) -> Settings {
    let folder = Folder::new(&[("config/pagewire.toml", &format!("{SEEDS}{config}")), ("seeds/tpu.toml", TOPIC)]);
    folder.load().unwrap_or_else(|e| panic!("{e}"))
}

/// What is said about a configuration with one good topic. Its first line is line 2.
fn faults(config: &str) -> String {
    Folder::new(&[("config/pagewire.toml", &format!("{SEEDS}{config}")), ("seeds/tpu.toml", TOPIC)]).faults()
}

fn seeded(config: &str, seeds: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(seeds);
    folder.write("config/pagewire.toml", format!("{SEEDS}{config}"));
    folder
}

/// Settings of some seeds.
fn followed(seeds: &str) -> Settings {
    seeded("", &[("seeds/a.toml", seeds)]).load().unwrap_or_else(|e| panic!("{e}"))
}

/// What is said about some seeds.
fn seed_faults(seeds: &str) -> String {
    seeded("", &[("seeds/a.toml", seeds)]).faults()
}

/// What is said about a page of a topic.
fn page_fault(page: &str) -> String {
    seed_faults(&format!("[[topic]]\nslug = \"a\"\npages = [{page}]\n"))
}

/// The first line of each fault, without the file.
fn heads(faults: &str) -> Vec<&str> {
    faults.split("\n\n").map(|fault| fault.lines().next().unwrap().split_once(": ").unwrap().1).collect()
}

mod faults_are_shown {
    use super::*;

    #[test]
    fn with_file_line_column_caret_and_remedy() {
        assert_eq!(
            faults("[site]\nbase-url = \"https://feeds.example.org\"\n"),
            "\
config/pagewire.toml:3:1: `base-url` is no key of [site]
  |
3 | base-url = \"https://feeds.example.org\"
  | ^^^^^^^^
  = help: did you mean `base_url`?"
        );
    }

    #[test]
    fn with_the_whole_path_to_a_daemon_that_stands_in_the_root_folder() {
        let folder = seeded("", &[("seeds/a.toml", "[[topc]]\n")]);
        let root = Surroundings { folder: "/".into(), ..Surroundings::default() };
        let faults = load_in(&folder.root.join("config/pagewire.toml"), &root).unwrap_err().to_string();
        assert!(faults.starts_with(&format!("{}/seeds/a.toml:1:3: ", folder.root.display())), "{faults}");
    }

    #[test]
    fn all_at_once_from_every_file() {
        let folder = seeded(
            "[fetch]\ntimeout = 60\nrobots = \"yes\"\n",
            &[("seeds/a.toml", "[[topic]]\nslug = \"A B\"\n"), ("seeds/b.toml", "[[topc]]\n")],
        );
        assert_eq!(
            folder.faults(),
            "\
config/pagewire.toml:3:11: `timeout`: expected a length of time such as \"30m\", but found the number `60`
  |
3 | timeout = 60
  |           ^^

config/pagewire.toml:4:10: `robots`: expected `true` or `false`, without quotes, but found the text `\"yes\"`
  |
4 | robots = \"yes\"
  |          ^^^^^

seeds/a.toml:1:1: this [[topic]] has no pages
  |
1 | [[topic]]
  | ^^^^^^^^^
  = help: list at least one: pages = [\"https://…\"]

seeds/a.toml:2:8: `A B` is no slug: use a-z, 0-9 and single `-` between them, at most 80, for example `a-b`
  |
2 | slug = \"A B\"
  |        ^^^^^

seeds/b.toml:1:3: `topc` is no key of a seeds file
  |
1 | [[topc]]
  |   ^^^^
  = help: did you mean `topic`?"
        );
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(
            faults("[site]\ntitle = \"Größe 日本\" # \u{1F600}\nformat = 1\n[fetch]\nper_host = { pause = \"ä\", pauze = 1 }\n")
                .lines()
                .skip(6)
                .collect::<Vec<_>>(),
            [
                "config/pagewire.toml:6:22: `ä` is no length of time: write a number and s, m, h, d, w or y, such as \"30m\" or \"1h 30m\"",
                "  |",
                "6 | per_host = { pause = \"ä\", pauze = 1 }",
                "  |                      ^^^",
                "",
                "config/pagewire.toml:6:27: `pauze` is no key of [fetch] `per_host`",
                "  |",
                "6 | per_host = { pause = \"ä\", pauze = 1 }",
                "  |                           ^^^^^",
                "  = help: did you mean `pause`?",
            ]
        );
    }

    #[test]
    fn in_a_file_with_a_byte_order_mark_and_windows_lines() {
        let folder = Folder::new(&[("config/pagewire.toml", "\u{feff}sedes = 1\r\nseeds = []\r\n")]);
        assert_eq!(
            folder.faults(),
            "\
config/pagewire.toml:1:1: `sedes` is no key of the configuration
  |
1 | sedes = 1
  | ^^^^^
  = help: did you mean `seeds`?"
        );
    }

    #[test]
    fn where_the_file_is_no_toml() {
        assert_eq!(
            faults("[publish]\nmode = 0644\n[log]\nformat = json\nlevel = 1\n"),
            "\
config/pagewire.toml:3:8: no TOML: unexpected leading zero, expected nothing
  |
3 | mode = 0644
  |        ^
  = help: put it between quotes: \"0644\"

config/pagewire.toml:5:10: no TOML: string values must be quoted, expected literal string
  |
5 | format = json
  |          ^^^^
  = help: put the value between quotes: \"…\"

config/pagewire.toml:6:1: `level` is no key of [log]
  |
6 | level = 1
  | ^^^^^
  = help: [log] knows `format`"
        );
    }

    #[test]
    fn once_for_a_list_that_never_closes() {
        assert_eq!(
            seed_faults("[[topic]]\npages = [\"a.md\"\nslug = \"tpu\"\n[[topic]]\nslug = \"b\"\n"),
            "\
seeds/a.toml:3:1: no TOML: missing comma between array elements, expected `,`
  |
3 | slug = \"tpu\"
  | ^
  = help: put a comma between two values, and `]` behind the last"
        );
    }

    #[test]
    fn for_a_key_given_twice() {
        assert_eq!(
            faults("[log]\nformat = \"auto\"\nformat = \"json\"\n[site]\n[log]\n"),
            "\
config/pagewire.toml:4:1: `format` is given twice; the first is at line 3
  |
4 | format = \"json\"
  | ^^^^^^
  = help: take one of them out

config/pagewire.toml:6:2: `log` is given twice; the first is at line 2
  |
6 | [log]
  |  ^^^
  = help: take one of them out"
        );
    }

    #[test]
    fn for_files_that_cannot_be_read() {
        let folder = Folder::new(&[]);
        assert_eq!(folder.faults(), "config/pagewire.toml: can't be read: No such file or directory (os error 2)");
        folder.write("config/pagewire.toml", b"seeds = []\n[site]\ntitle = \"\xff\"\n");
        assert_eq!(folder.faults().lines().next(), Some("config/pagewire.toml:3:10: no UTF-8"),);
    }

    #[test]
    fn without_what_may_be_a_secret() {
        let folder = seeded(
            "[state]\ndatabase = \"postgres://me:secret@db/x\"\n[fetch]\nproxy = \"http://me:secret@proxy\"\n",
            &[(
                "seeds/a.toml",
                "[[topic]]\nslug = \"a\"\npages = [\"https://me:secret@x.example/\", { url = \"b\", credentials = \"me:secret\" }]\n",
            )],
        );
        assert_eq!(
            folder.faults(),
            "\
config/pagewire.toml:3:1: `database = \"postgres://…\"` is not in this version
  |
3 | database = ***************************
  | ^^^^^^^^
  = help: name a file, such as \"../var/pagewire.db\"

config/pagewire.toml:5:9: `proxy`: an address with a user name or password in it
  |
5 | proxy = ************************
  |         ^^^^^^^^^^^^^^^^^^^^^^^^
  = help: put the whole address into a file, and write \"file:PATH\"

seeds/a.toml:3:10: `pages`: an address with a user name or password in it
  |
3 | pages = [******************************, { url = \"b\", credentials = *********** }]
  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = help: take out what stands before the `@`: others would see it

seeds/a.toml:3:69: `credentials`: expected { basic = \"file:PATH\" } with user:password in the file, or { bearer = \"credential:NAME\" }
  |
3 | pages = [******************************, { url = \"b\", credentials = *********** }]
  |                                                                     ^^^^^^^^^^^"
        );
    }

    /// A secret is not shown, also where something else on its line is wrong.
    #[test]
    fn without_the_secret_beside_them() {
        for (page, what) in [
            ("{ url = \"a\", knd = \"x\", headers = { Cookie = \"s3cret\" } }", "`knd` is no key of a page"),
            ("{ url = \"a\", headers = { Cookie = \"s3cret\\n\" } }", "has a value that no header can have"),
            ("{ url = \"a\", headers = { Host = \"s3cret\" } }", "the header `host` is pagewire's own"),
            ("{ url = \"a\", headers = { \"a b\" = \"s3cret\" } }", "`a b` is no name of a header"),
            ("{ url = \"a\", headers = \"s3cret\" }", "expected a table of headers"),
            ("{ url = \"a\", credentials = { bearer = \"s3cret\" } }", "does not belong here"),
            ("{ url = \"a\", credentials = { token = \"file:s3cret\" } }", "`token` is no kind of credentials"),
            ("{ url = \"a\", credentials = { basic = \"file:a\", bearer = \"file:s3cret\" } }", "either one of"),
            ("{ url = \"a\", credentials = { bearer = \"credential:../s3cret\" } }", "names no credential"),
            ("{ url = \"a\", proxy = \"gopher://s3cret.lan\" }", "expected the address of a proxy"),
            ("{ url = \"a\", proxy = \"socks5://s3cret.lan\" }", "proxies of the kind `socks5` are not spoken"),
            ("{ url = \"a\", proxy = \"socks5h://me:s3cret@a.lan\" }", "user name or password in it"),
        ] {
            let said = page_fault(page);
            assert!(said.contains(what) && !said.contains("s3cret"), "{said}");
        }
    }
}

mod keys {
    use super::*;

    #[test]
    fn in_the_wrong_section_are_told_the_right_one() {
        for (config, remedy) in [
            ("[server]\nbase_url = \"x\"", "`base_url` belongs in [site]"),
            ("listen = \"off\"", "`listen` belongs in [server]"),
            ("[log]\nseeds = []", "`seeds` belongs in the first lines of the configuration, before any [section]"),
            ("[[topic]]\nslug = \"a\"", "`topic` belongs in a seeds file"),
            ("[site]\nbase_uri = \"x\"", "did you mean `base_url`?"),
            ("[state]\ndirectry = \"x\"", "did you mean `directory` in [publish]?"),
            ("[sever]", "did you mean `server`?"),
            ("[log]\nx = 1", "[log] knows `format`"),
        ] {
            let said = faults(config);
            assert!(said.ends_with(&format!(" = help: {remedy}")), "{config}: {said}");
        }
    }

    #[test]
    fn all_have_defaults_but_seeds() {
        let folder = Folder::new(&[("config/pagewire.toml", "[site]\n")]);
        assert_eq!(
            folder.faults(),
            "\
config/pagewire.toml:1:1: `seeds` is missing
  |
1 | [site]
  | ^
  = help: say what to follow, in the first lines: seeds = [\"../seeds/*.toml\"]"
        );
        let s = settings("");
        assert_eq!(s.site.title.as_str(), "Pagewire");
        assert_eq!(s.site.address("topics/tpu.atom"), "http://127.0.0.1:8080/topics/tpu.atom");
        assert_eq!(s.state.keep, 2 * 365 * 86_400);
        assert_eq!(s.publish.formats, [Format::Atom, Format::Rss, Format::Json]);
        assert_eq!((s.publish.entries, s.publish.entries_max, s.publish.mode), (50, 1000, 0o644));
        assert_eq!(s.server.listen, [Listen::Tcp("127.0.0.1:8080".parse().unwrap())]);
        assert_eq!(s.server.refresh_token_file, None);
        assert_eq!((s.server.refresh_min, s.server.operator_public), (Duration::from_mins(1), false));
        assert_eq!(s.fetch.user_agent, format!("pagewire/{} (+http://127.0.0.1:8080/)", env!("CARGO_PKG_VERSION")));
        assert_eq!((s.fetch.timeout, s.fetch.max_size), (Duration::from_mins(1), 10_485_760));
        assert_eq!((s.fetch.concurrency, s.fetch.robots), (64, true));
        assert_eq!((s.fetch.per_host.concurrency, s.fetch.per_host.pause), (2, Duration::from_secs(1)));
        assert_eq!(s.schedule.default, Cadence::Auto);
        assert_eq!((s.schedule.min, s.schedule.max), (Duration::from_mins(5), Duration::from_hours(24)));
        assert_eq!((s.schedule.timezone.name(), s.schedule.budget), ("UTC", 0));
        assert_eq!(s.warnings, Vec::<String>::new());
    }

    #[test]
    fn take_values_in_every_usual_form() {
        for (text, bytes) in [("\"8 MB\"", 8_000_000), ("\"10MiB\"", 10 << 20), ("4096", 4096), ("\"512 kB\"", 512_000)]
        {
            assert_eq!(settings(&format!("[fetch]\nmax_size = {text}")).fetch.max_size, bytes);
        }
        assert_eq!(settings("[state]\nkeep = \"12w\"").state.keep, 12 * 7 * 86_400);
        assert_eq!(settings("[publish]\nformats = \"rss\"").publish.formats, [Format::Rss]);
        assert_eq!(settings("[publish]\nmode = \"640\"").publish.mode, 0o640);
        assert_eq!(settings("[schedule]\nbudget = 1_000").schedule.budget, 1000);
        let allowed =
            settings("[fetch]\nallow_private = [\"10.0.0.0/8\", \"::1\", \"RSSHub.lan.\"]").fetch.allow_private;
        assert_eq!(
            allowed,
            AllowPrivate::Only {
                nets: vec!["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()],
                hosts: vec!["rsshub.lan".to_owned()]
            }
        );
    }

    #[test]
    fn refuse_values_with_what_they_expect() {
        for (config, message) in [
            ("[site]\ntitle = \" \"", "`title`: expected a text that is not empty, but found the text `\" \"`"),
            ("[state]\nkeep = \"1h\"", "`keep`: expected at least \"1d\", but found the text `\"1h\"`"),
            ("[publish]\nentries = 0", "`entries`: expected a whole number from 1, but found the number `0`"),
            (
                "[publish]\nentries = 9_999_999_999_999_999_999",
                "`entries`: expected a whole number from 1, but found the number `9_999_999_999_999_999_999`",
            ),
            ("[publish]\nentries = 2000", "`entries` = 2000 is more than `entries_max` = 1000"),
            ("[publish]\nentries_max = 20", "`entries` = 50 is more than `entries_max` = 20"),
            ("[log]\nformat = [[\"a\"]]", "`format`: expected \"auto\" or \"json\", but found a list"),
            (
                "[log]\nformat = \"\"\"a\nb\"\"\"",
                "`format`: expected \"auto\" or \"json\", but found the text `\"\"\"a…`",
            ),
            (
                "[publish]\nformats = [\"atom\", \"xml\"]",
                "`formats`: expected \"atom\" or \"rss\" or \"json\", but found the text `\"xml\"`",
            ),
            ("[publish]\nformats = []", "`formats` is empty, so no feed would be written"),
            (
                "[publish]\nmode = \"0444\"",
                "`mode`: expected permission bits such as \"0644\", which let the owner read and write, but found the text `\"0444\"`",
            ),
            ("[server]\noperator = true", "`operator`: expected \"local\" or \"public\", but found the word `true`"),
            ("[server]\nrefresh_token_file = \"~/token\"", "`~/token` is not in your home folder: no shell reads this"),
            (
                "[fetch]\nmax_size = \"10 apples\"",
                "`max_size`: expected a size such as \"10MiB\", \"8 MB\" or a number of bytes, but found the text `\"10 apples\"`",
            ),
            (
                "[fetch]\nuser_agent = \"a\\nb\"",
                "`user_agent`: expected printable ASCII, as a header needs it, but found the text `\"a\\nb\"`",
            ),
            ("[fetch]\nper_host = 3", "`per_host`: expected a table, [fetch] `per_host`, but found the number `3`"),
            ("[fetch]\nallow_private = [\"http://x\"]", "`http://x` is neither a network nor a host name"),
            ("[schedule]\ndefault = \"every 1m\"", "`every 1m` is below `min` = 5m of [schedule]"),
            ("[schedule]\nmin = \"2d\"", "`min` = 2d is more than `max` = 1d"),
            ("[schedule]\ntimezone = \"Europe/Berlln\"", "`Europe/Berlln` is no time zone"),
            ("[schedule]\ndefault = \"0 0 31 2 *\"", "`0 0 31 2 *` never fires: none of its months has that day"),
        ] {
            assert_eq!(heads(&faults(config)), [message], "{config}");
        }
    }
}

mod paths {
    use super::*;

    #[test]
    fn are_relative_to_their_file() {
        let folder = seeded(
            "[state]\ndatabase = \"../data/./p.db\"\n[publish]\ndirectory = \"out\"\n[server]\ncontrol = \"c.sock\"\nrefresh_token_file = \"token\"\n",
            &[("seeds/a.toml", "[[topic]]\nslug = \"a\"\npages = [\"../pages/a.md\", \"file:b.md\", \"/c.md\"]\n")],
        );
        let (s, root) = (folder.load().unwrap(), &folder.root);
        assert_eq!(s.file, root.join("config/pagewire.toml"));
        assert_eq!(s.state.database, root.join("data/p.db"));
        assert_eq!(s.publish.directory, root.join("config/out"));
        assert_eq!((s.server.control.path, s.server.control.set), (root.join("config/c.sock"), true));
        assert_eq!(s.server.refresh_token_file, Some(root.join("config/token")));
        let pages: Vec<PathBuf> = s.pages.iter().map(|page| page.address.file().unwrap()).collect();
        assert_eq!(pages, [root.join("pages/a.md"), root.join("seeds/b.md"), PathBuf::from("/c.md")]);
    }

    #[test]
    fn of_state_and_feeds_have_a_default_place() {
        let folder = Folder::new(&[("config/pagewire.toml", SEEDS), ("home/.config/pagewire/pagewire.toml", SEEDS)]);
        let place = |file: &str, variables: &[(&str, &str)]| {
            let mut around = folder.around();
            let root = folder.root.display().to_string();
            for (name, value) in variables {
                around.variables.insert((*name).to_owned(), value.replace("ROOT", &root).into());
            }
            let s = load_in(Path::new(file), &around).unwrap();
            assert_eq!(s.publish.directory.parent(), s.state.database.parent());
            assert_eq!(s.server.control.path, s.state.database.with_file_name("control.sock"));
            s.state.database.display().to_string().replace(&root, "ROOT")
        };
        assert_eq!(place("config/pagewire.toml", &[]), "ROOT/var/pagewire.db");
        assert_eq!(place("config/pagewire.toml", &[("STATE_DIRECTORY", "/run/a:/run/b")]), "/run/a/pagewire.db");
        assert_eq!(place("config/pagewire.toml", &[("STATE_DIRECTORY", "")]), "ROOT/var/pagewire.db");
        let user = "home/.config/pagewire/pagewire.toml";
        assert_eq!(place(user, &[("HOME", "ROOT/home")]), "ROOT/home/.local/state/pagewire/pagewire.db");
        assert_eq!(
            place(user, &[("HOME", "ROOT/home"), ("XDG_STATE_HOME", "ROOT/state")]),
            "ROOT/state/pagewire/pagewire.db"
        );
        assert_eq!(place(user, &[("XDG_CONFIG_HOME", "relative")]), "ROOT/home/.config/var/pagewire.db");
    }

    #[test]
    fn of_the_configuration_are_looked_for_in_order() {
        let folder = Folder::new(&[("xdg/pagewire/pagewire.toml", SEEDS)]);
        let mut around = folder.around();
        around.variables.insert("XDG_CONFIG_HOME".to_owned(), folder.root.join("xdg").into());
        let user = folder.root.join("xdg/pagewire/pagewire.toml");
        assert_eq!(around.locate(None).unwrap(), user);
        folder.write("config/pagewire.toml", SEEDS);
        assert_eq!(around.locate(None).unwrap(), Path::new("config/pagewire.toml"));
        around.variables.insert("PAGEWIRE_CONFIG".to_owned(), "env.toml".into());
        assert_eq!(around.locate(None).unwrap(), Path::new("env.toml"));
        assert_eq!(around.locate(Some(Path::new("named.toml"))).unwrap(), Path::new("named.toml"));

        let mut around = Folder::new(&[]).around();
        around.variables.insert("HOME".to_owned(), "/home/me".into());
        if !Path::new("/etc/pagewire/pagewire.toml").exists() {
            assert_eq!(
                around.locate(None).unwrap_err().to_string(),
                "no configuration: looked for config/pagewire.toml, /home/me/.config/pagewire/pagewire.toml, \
                 /etc/pagewire/pagewire.toml; name one with --config or $PAGEWIRE_CONFIG"
            );
        }
    }

    #[test]
    fn of_sockets_are_short() {
        let long = "d".repeat(120);
        assert_eq!(
            faults(&format!("[server]\ncontrol = \"/{long}\"\nlisten = \"unix:/{long}\"\n")),
            format!(
                "\
config/pagewire.toml:3:11: `control`: the path `/{long}` is 121 bytes long, too long for a socket
  |
3 | control = \"/{long}\"
  |           {}
  = help: choose one of at most 107 bytes, such as \"/run/pagewire/control.sock\"

config/pagewire.toml:4:10: `listen`: the path `/{long}` is 121 bytes long, too long for a socket
  |
4 | listen = \"unix:/{long}\"
  |          {}
  = help: choose one of at most 107 bytes, such as \"/run/pagewire/control.sock\"",
                "^".repeat(123),
                "^".repeat(128)
            )
        );
        let s = settings(&format!("[state]\ndatabase = \"/{long}/pagewire.db\"\n"));
        assert!(s.server.control.socket().unwrap_err().to_string().contains("set `control` in [server]"));
        assert!(settings("").server.control.socket().is_ok());
    }
}

mod addresses {
    use super::*;

    #[test]
    fn to_listen_at() {
        let tcp = |address: &str| Listen::Tcp(address.parse().unwrap());
        for (text, expected) in [
            ("\"off\"", vec![]),
            ("[\"off\"]", vec![]),
            ("\"[::1]:80\"", vec![tcp("[::1]:80")]),
            ("\"localhost:8080\"", vec![tcp("127.0.0.1:8080")]),
            ("[\"0.0.0.0:80\", \"unix:/run/p.sock\"]", vec![tcp("0.0.0.0:80"), Listen::Unix("/run/p.sock".into())]),
        ] {
            assert_eq!(settings(&format!("[server]\nlisten = {text}")).server.listen, expected, "{text}");
        }
        for (text, remedy) in [
            ("\":8080\"", "to listen on every address, write \"[::]:8080\" or \"0.0.0.0:8080\""),
            ("\"8080\"", "write \"127.0.0.1:8080\""),
            ("\"feeds.example.org:80\"", "write the address in numbers"),
            ("[\"off\", \"127.0.0.1:1\"]", "take one or the other out"),
            ("[\"127.0.0.1:1\", \"127.0.0.1:1\"]", "take one out"),
            ("[]", "name an address, or write \"off\""),
        ] {
            let said = faults(&format!("[server]\nlisten = {text}"));
            assert!(said.ends_with(&format!(" = help: {remedy}")), "{text}: {said}");
        }
    }

    #[test]
    fn of_subscribers_keep_their_path() {
        for (text, expected) in [
            ("https://x.example", "https://x.example/topics/a.atom"),
            ("https://x.example/feeds", "https://x.example/feeds/topics/a.atom"),
            ("http://x.example:8080/a/b/", "http://x.example:8080/a/b/topics/a.atom"),
        ] {
            assert_eq!(settings(&format!("[site]\nbase_url = \"{text}\"")).site.address("topics/a.atom"), expected);
        }
        for (text, message) in [
            (
                "feeds.example",
                "`base_url`: expected an address such as \"https://feeds.example.org/\", but found the text `\"feeds.example\"`",
            ),
            (
                "ftp://x.example/",
                "`base_url`: expected an address such as \"https://feeds.example.org/\", but found the text `\"ftp://x.example/\"`",
            ),
            ("https://x.example/?a", "`base_url`: `https://x.example/?a` has a `?` or `#`, and feeds lie below it"),
            ("https://x.example/#a", "`base_url`: `https://x.example/#a` has a `?` or `#`, and feeds lie below it"),
            ("https://me:x@x.example/", "`base_url`: an address with a user name or password in it"),
        ] {
            assert_eq!(heads(&faults(&format!("[site]\nbase_url = \"{text}\""))), [message]);
        }
    }

    #[test]
    fn of_pages_are_paths_files_or_the_web() {
        let s = followed(
            "[[topic]]\nslug = \"a\"\npages = [\"https://X.example/a.md#b\", \"file:///srv/a%20b.md\", \"./c:d.md\"]\n",
        );
        let pages: Vec<String> = s.pages.iter().map(|page| page.address.to_string()).collect();
        assert_eq!(pages[..2], ["https://x.example/a.md", "/srv/a b.md"]);
        assert!(pages[2].ends_with("/seeds/c:d.md"), "{}", pages[2]);
        for (page, message) in [
            ("\"gopher://x.example/\"", "`gopher://x.example/`: pagewire reads no `gopher:` addresses"),
            ("\"javascript:alert(1)\"", "`javascript:alert(1)`: pagewire reads no `javascript:` addresses"),
            ("\"file://host/a.md\"", "`file://host/a.md` is no file here"),
            ("\"\"", "`pages`: expected the address or path of a page, but found the text `\"\"`"),
            ("\"https://\"", "`pages`: expected the address or path of a page, but found the text `\"https://\"`"),
            ("\"https://me@x.example/\"", "`pages`: an address with a user name or password in it"),
            ("\"ftp://me:x@x.example/\"", "`pages`: an address with a user name or password in it"),
            ("\"https://me:x@\"", "`pages`: an address with a user name or password in it"),
            ("7", "`pages`: expected the address or path of a page, but found the number `7`"),
            ("{ kind = \"feed\" }", "this page has no `url`"),
            (
                "{ url = \"a\", base = \"/x\" }",
                "`base`: expected an absolute address such as \"https://yomu.fyi/\", but found the text `\"/x\"`",
            ),
        ] {
            assert_eq!(heads(&page_fault(page)), [message], "{page}");
        }
    }
}

mod seeds {
    use super::*;

    #[test]
    fn are_read_once_in_order() {
        let folder = Folder::new(&[]);
        folder.write("config/pagewire.toml", "seeds = [\"../seeds/z.toml\", \"../seeds/*.toml\", \"../[x]/*.toml\"]\n");
        for name in ["b", "a", "z", ".hidden"] {
            folder.write(
                &format!("seeds/{name}.toml"),
                format!("[[topic]]\nslug = \"{}\"\npages = \"p.md\"\n", name.trim_start_matches('.')),
            );
        }
        folder.write("seeds/a.toml.example", "no TOML");
        fs::create_dir(folder.root.join("seeds/folder.toml")).unwrap();
        let s = folder.load().unwrap();
        assert_eq!(s.topics.iter().map(|t| t.slug.as_str()).collect::<Vec<_>>(), ["z", "a", "b"]);
        assert_eq!(s.warnings, ["config/pagewire.toml:1:48: `seeds`: \"../[x]/*.toml\" matches no file"]);
    }

    #[test]
    fn are_not_opml_yet() {
        let folder = Folder::new(&[("config/pagewire.toml", "seeds = \"a.*\"\n"), ("config/a.opml", "<opml/>")]);
        assert_eq!(
            folder.faults(),
            "config/a.opml: OPML among the seeds is not in this version\n  = help: list its pages in a [[topic]]"
        );
    }

    #[test]
    fn may_lie_in_a_folder_whose_name_is_a_pattern() {
        let folder = Folder::new(&[("a[1]*/pagewire.toml", "seeds = \"*.seeds\"\n"), ("a[1]*/x.seeds", TOPIC)]);
        let s = load_in(Path::new("a[1]*/pagewire.toml"), &folder.around()).unwrap();
        assert_eq!(s.topics.len(), 1);
    }

    #[test]
    fn say_everything_about_topics_companies_and_pages() {
        let s = followed(
            r#"
[[topic]]
slug = "tpu"
title = "TPU"
former = ["tpus", "tensor"]
link = "html"
timezone = "Europe/Berlin"
pages = [
    "https://x.example/a.md",
    { url = "https://x.example/b.xml", former = ["https://x.example/old.xml"], kind = "feed", link = "page",
      late = "page", schedule = "@hourly", base = "https://y.example/", allow_private = true },
]

[[company]]
slug = "google"
title = "Google"
aliases = ["Google Cloud", "https://yomu.fyi/company/google"]
pages = []
"#,
        );
        assert_eq!(s.topics[0].title.as_ref().unwrap().as_str(), "TPU");
        assert_eq!(s.topics[0].former, [Slug::of("tpus"), Slug::of("tensor")]);
        assert_eq!(s.companies[0].slug, Slug::of("google"));
        assert_eq!(s.companies[0].aliases, ["Google Cloud", "https://yomu.fyi/company/google"]);
        let [Page { settings: a, .. }, b] = &s.pages[..] else { panic!("{:?}", s.pages) };
        assert_eq!((a.link, a.timezone.name(), a.late), (LinkMode::Html, "Europe/Berlin", Late::FirstSeen));
        assert_eq!((a.kind, &a.cadence, &a.allow_private), (None, &Cadence::Auto, &AllowPrivate::No));
        assert_eq!(b.former[0].to_string(), "https://x.example/old.xml");
        let b = &b.settings;
        assert_eq!((b.link, b.timezone.name(), b.late), (LinkMode::Page, "Europe/Berlin", Late::Page));
        assert_eq!((b.kind, b.cadence.to_string()), (Some(Kind::Feed), "@hourly".to_owned()));
        assert_eq!((b.base.as_ref().unwrap().as_str(), &b.allow_private), ("https://y.example/", &AllowPrivate::Yes));
    }

    #[test]
    fn list_a_page_once_on_its_shortest_schedule() {
        let cadence = |default: &str, first: &str, second: &str| {
            let topic = |slug: &str, schedule: &str| {
                let schedule = if schedule.is_empty() { String::new() } else { format!("schedule = \"{schedule}\"\n") };
                format!("[[topic]]\nslug = \"{slug}\"\n{schedule}pages = [\"https://x.example/a\", \"{slug}.md\"]\n")
            };
            let seeds = topic("one", first) + &topic("two", second);
            let folder = seeded(&format!("[schedule]\ndefault = \"{default}\""), &[("seeds/a.toml", &seeds)]);
            let s = folder.load().unwrap();
            assert_eq!(s.pages.len(), 3);
            assert_eq!(s.pages[0].topics, [0, 1]);
            s.pages[0].settings.cadence.to_string()
        };
        assert_eq!(cadence("auto", "every 2h", "every 30m"), "every 30m");
        assert_eq!(cadence("auto", "@hourly", "@daily"), "@hourly");
        assert_eq!(cadence("auto", "0 9 * * *", "every 23h"), "every 23h");
        assert_eq!(cadence("auto", "", "@weekly"), "@weekly");
        assert_eq!(cadence("every 10m", "", "@weekly"), "every 10m");
        assert_eq!(cadence("auto", "every 1h", "@hourly"), "every 1h");
    }

    #[test]
    fn contradict_where_one_page_has_two_settings() {
        assert_eq!(
            seed_faults(
                "[[topic]]\nslug = \"a\"\nlink = \"html\"\npages = [\"https://x.example/p\"]\n\
                 [[topic]]\nslug = \"b\"\npages = [{ url = \"https://x.example/p#top\", link = \"page\" }]\n\
                 [[topic]]\nslug = \"c\"\npages = [\"https://x.example/p\"]\n"
            ),
            "\
seeds/a.toml:7:52: `link` of `https://x.example/p` contradicts seeds/a.toml:3:8
  |
7 | pages = [{ url = \"https://x.example/p#top\", link = \"page\" }]
  |                                                    ^^^^^^
  = help: a page that several topics list is one page: say the same, or say it once"
        );
    }

    #[test]
    fn name_both_places_of_what_is_there_twice() {
        let folder = seeded(
            "",
            &[
                (
                    "seeds/a.toml",
                    "[[topic]]\nslug = \"a\"\nformer = [\"x\"]\npages = [{ url = \"p\", former = [\"q\"] }]\n\
                     [[company]]\nslug = \"c\"\ntitle = \"Google  Cloud\"\naliases = [\"https://x.example/g.html\"]\n",
                ),
                (
                    "seeds/b.toml",
                    "[[topic]]\nslug = \"a\"\nformer = [\"x\"]\npages = [{ url = \"r\", former = [\"q\"] }]\n\
                     [[company]]\nslug = \"c\"\naliases = [\"ＧＯＯＧＬＥ cloud\", \"http://www.x.example/g\"]\n",
                ),
            ],
        );
        assert_eq!(
            folder.faults().lines().filter(|line| line.starts_with("seeds/")).collect::<Vec<_>>(),
            [
                "seeds/b.toml:2:8: topic `a` is given twice; the first is at seeds/a.toml:2:8",
                "seeds/b.toml:3:11: the former slug `x` is given twice; the first is at seeds/a.toml:3:11",
                "seeds/b.toml:4:33: the former address `/srv/seeds/q` is given twice; the first is at seeds/a.toml:4:33",
                "seeds/b.toml:6:8: company `c` is given twice; the first is at seeds/a.toml:6:8",
                "seeds/b.toml:7:12: the company name `ＧＯＯＧＬＥ cloud` is given twice; the first is at seeds/a.toml:7:9",
                "seeds/b.toml:7:28: the company name `http://www.x.example/g` is given twice; the first is at seeds/a.toml:8:12",
            ]
        );
    }

    #[test]
    fn call_nothing_former_that_is_in_use() {
        let said = seed_faults(
            "[[topic]]\nslug = \"a\"\nformer = [\"b\"]\npages = [{ url = \"p\", former = [\"q\"] }]\n\
             [[topic]]\nslug = \"b\"\npages = [\"q\"]\n",
        );
        assert_eq!(
            heads(&said),
            [
                "`b` is said to be a former slug, but it is one now, at seeds/a.toml:6:8",
                "`/srv/seeds/q` is said to be a former address, but a page is there now",
            ]
        );
    }

    #[test]
    fn lack_nothing_that_they_need() {
        assert_eq!(
            seed_faults("[[topic]]\ntitle = \"Größe & Co\"\npages = [\"ftp://x.example\"]\n[topic2]\n[[company]]\n"),
            "\
seeds/a.toml:1:1: `slug` is missing
  |
1 | [[topic]]
  | ^^^^^^^^^
  = help: give it the name that its feed's address ends with: slug = \"grosse-co\"

seeds/a.toml:3:10: `ftp://x.example`: pagewire reads no `ftp:` addresses
  |
3 | pages = [\"ftp://x.example\"]
  |          ^^^^^^^^^^^^^^^^^
  = help: use https:, http:, file: or a path; a path with a `:` in its first part begins with ./

seeds/a.toml:4:2: `topic2` is no key of a seeds file
  |
4 | [topic2]
  |  ^^^^^^
  = help: did you mean `topic`?

seeds/a.toml:5:1: `slug` is missing
  |
5 | [[company]]
  | ^^^^^^^^^^^
  = help: give it the name that its feed's address ends with: slug = \"google\""
        );
        assert_eq!(heads(&seed_faults("[topic]\nslug = \"a\"\n")), ["`topic` is a list, and this is one table"]);
    }

    #[test]
    fn in_great_number_are_read_in_linear_time() {
        let topic = |n: usize| {
            let page = format!("{{ url = \"https://x.example/{n}\", schedule = \"@daily\" }}");
            format!("[[topic]]\nslug = \"t{n}\"\npages = [\"t{n}.md\", {page}]\n")
        };
        let seeds = (0..10_000).map(topic).collect::<Vec<_>>().concat();
        let s = followed(&seeds);
        assert_eq!((s.topics.len(), s.pages.len()), (10_000, 20_000));
        let folder = seeded("", &[("seeds/a.toml", &seeds.replace("slug =", "slig ="))]);
        assert_eq!(folder.load().unwrap_err().faults().len(), 20_000, "an unknown and a missing key each");
    }
}

mod no_input {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Cut, doubled and overwritten configurations give settings or faults.
        #[test]
        fn panics(at in 0_usize..6000, length in 0_usize..40, junk in "[\\PC\n\"'\\[\\]{}=,.#ä]{0,12}") {
            let whole = ["config/pagewire.toml", "seeds/tpu.toml"].map(shipped::repository).concat();
            let mut bytes = whole.into_bytes();
            let at = at.min(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, junk.bytes());
            let folder = seeded("", &[]);
            folder.write("seeds/a.toml", &bytes);
            folder.write("config/pagewire.toml", &bytes);
            if let Err(faults) = folder.load() {
                prop_assert!(!faults.to_string().is_empty());
            }
        }
    }
}

mod later {
    use super::*;

    /// Every promise that this version does not keep, and what is taken in its place.
    #[test]
    fn keys_are_refused_and_their_defaults_taken() {
        for (config, what) in [
            ("[publish]\ndirectory = \"s3://b/p\"", "directory = \"s3://…\""),
            ("[state]\ndatabase = \"postgresql://x\"", "database = \"postgres://…\""),
        ] {
            assert_eq!(heads(&faults(config)), [format!("`{what}` is not in this version")], "{config}");
        }

        followed("[[index]]\nurl = \"a\"\nfollow = true\n");
        followed(
            "[[topic]]\nslug = \"a\"\ninclude = \"\"\npages = [{ url = \"a\", content = \"summary\", robots = true, \
             kind = \"auto\", headers = {} }]\n",
        );
    }
}

mod requests {
    use super::*;
    use pagewire::model::{Credentials, RequestSettings, Secret};

    #[test]
    fn carry_what_page_or_topic_says() {
        let folder = seeded(
            "[fetch]\nproxy = \"http://proxy.lan:3128\"",
            &[(
                "seeds/a.toml",
                "[[topic]]\nslug = \"a\"\nrobots = false\nheaders = { Accept-Language = \"en\", Cookie = \"file:cookie\" }\n\
                 pages = [\"a\", { url = \"b\", robots = true, headers = {}, proxy = \"\", \
                 credentials = { basic = \"credential:site\" } }]\n",
            )],
        );
        let pages = folder.load().unwrap_or_else(|e| panic!("{e}")).pages;
        let file = Secret::File(folder.root.join("seeds/cookie"));
        assert_eq!(
            pages[0].settings.request,
            RequestSettings {
                robots: false,
                headers: vec![("accept-language".into(), Secret::Plain("en".into())), ("cookie".into(), file),],
                credentials: None,
                proxy: Some(Secret::Plain("http://proxy.lan:3128".into())),
            }
        );
        let credentials = Some(Credentials::Basic(Secret::Credential("site".into())));
        let request = RequestSettings { robots: true, credentials, ..RequestSettings::default() };
        assert_eq!(pages[1].settings.request, request);
    }

    #[test]
    fn of_one_page_must_agree() {
        let page = |keys| format!("pages = [{{ url = \"a\", {keys} }}]\n");
        let said = seed_faults(&format!(
            "[[topic]]\nslug = \"a\"\n{}[[topic]]\nslug = \"b\"\n{}",
            page("robots = false, headers = { Cookie = \"file:a\" }"),
            page("robots = true, headers = { Cookie = \"file:b\" }")
        ));
        assert!(
            said.contains("`robots` of") && said.contains("`headers` of") && said.contains("contradicts"),
            "{said}"
        );
    }
}

mod shipped {
    use super::*;

    pub(super) fn repository(name: &str) -> String {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
    }

    /// The configuration that we ship holds every key, at its default.
    #[test]
    fn configuration_is_complete_and_at_its_defaults() {
        let text = repository("config/pagewire.toml");
        let folder = Folder::new(&[("seeds/tpu.toml", &repository("seeds/tpu.toml")), ("config/pagewire.toml", &text)]);
        let shipped = folder.load().unwrap_or_else(|e| panic!("{e}"));
        folder.write("config/pagewire.toml", SEEDS);
        assert_eq!(shipped, folder.load().unwrap());
        for key in pagewire::config::keys() {
            let given = text.lines().any(|line| line.starts_with(&format!("{key} = ")) || line == format!("[{key}]"));
            assert!(given || text.contains(&format!("{{ {key} = ")) || text.contains(&format!(", {key} = ")), "{key}");
        }
    }

    /// The reference of seeds, of which the manual and the editors' schema are made, describes every key.
    #[test]
    fn the_reference_of_seeds_is_complete() {
        let text = repository("config/seeds.reference.toml");
        let part = |table: &str| {
            let start = text.find(&format!("[[{table}]]\n")).or(text.find(&format!("[{table}]\n"))).unwrap();
            let end = text[start + 1..].find("\n[").map_or(text.len(), |end| start + end);
            text[start..end].to_owned()
        };
        for (table, keys) in pagewire::config::keys_of_seeds() {
            for key in keys {
                assert!(part(table).contains(&format!("\n{key} = ")), "[[{table}]] {key}");
            }
        }
    }

    #[test]
    fn the_service_has_the_same_configuration_in_other_places() {
        let keys = |text: &str| -> Vec<String> {
            text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).map(str::to_owned).collect()
        };
        let (usual, packaged) = (repository("config/pagewire.toml"), repository("packaging/pagewire.toml"));
        let (usual, packaged) = (keys(&usual), keys(&packaged));
        assert_eq!(usual.len(), packaged.len());
        let moved: Vec<&str> = packaged
            .iter()
            .zip(&usual)
            .filter(|(there, here)| there != here)
            .map(|(there, _)| there.as_str())
            .collect();
        assert_eq!(
            moved,
            [
                "seeds = [\"/etc/pagewire/seeds/*.toml\"]",
                "database = \"/var/lib/pagewire/pagewire.db\"",
                "directory = \"/var/lib/pagewire/feeds\"",
                "control = \"/run/pagewire/control.sock\"",
            ]
        );
    }

    #[test]
    fn seeds_are_read() {
        let folder = seeded("", &[("seeds/tpu.toml", &repository("seeds/tpu.toml"))]);
        let s = folder.load().unwrap();
        assert_eq!(s.pages[0].address.file(), Some(folder.root.join("seeds/pages/tpu.md")));
        assert_eq!(s.pages[0].settings.link, LinkMode::Html);
        let s = followed(&repository("seeds/yomu.toml.example"));
        assert_eq!(s.pages[0].address.to_string(), "https://yomu.fyi/topic/tpu.md");
        assert_eq!(s.companies.len(), 1);
        let commented = repository("seeds/yomu.toml.example").replace("\n# [[", "\n[[");
        let commented: String = commented
            .lines()
            .map(|line| {
                line.strip_prefix("# ").filter(|l| l.contains(" = ") || l.starts_with(']')).unwrap_or(line).to_owned()
                    + "\n"
            })
            .collect();
        let s = followed(&commented);
        assert_eq!(
            (s.topics.len(), s.combined.len(), s.pages.iter().filter(|page| page.index.is_some()).count()),
            (2, 1, 1),
            "what is commented out works too"
        );
    }
}

mod combined {
    use super::*;

    #[test]
    fn a_feed_says_what_it_chooses() {
        let s = followed(
            "[[topic]]\nslug = \"tpu\"\npages = [\"a\"]\n\
             [[feed]]\nslug = \"one\"\ntopics = \"tpu\"\ntypes = [\"benchmark\"]\n[[feed]]\nslug = \"two\"\ntitle = \"Two\"\n",
        );
        let [one, two] = &s.combined[..] else { panic!("{:?}", s.combined) };
        assert_eq!((one.title.as_str(), one.topics[0].as_str(), one.types[0].as_str()), ("one", "tpu", "benchmark"));
        assert_eq!((two.title.as_str(), two.topics.len(), two.companies.len()), ("Two", 0, 0));
    }

    #[test]
    fn a_topic_that_is_not_there_is_told_with_the_one_that_may_be_meant() {
        let said = seed_faults(
            "[[topic]]\nslug = \"tpu\"\npages = [\"a\"]\n[[feed]]\nslug = \"f\"\ntopics = [\"tpu\", \"tpv\"]\n",
        );
        assert!(
            said.starts_with("seeds/a.toml:6:18: `topics`: there is no topic `tpv`\n")
                && said.ends_with("= help: did you mean `tpu`?"),
            "{said}"
        );
    }

    #[test]
    fn one_slug_is_one_feed_and_a_type_is_named_by_its_slug() {
        let said = seed_faults("[[feed]]\nslug = \"f\"\n[[feed]]\nslug = \"f\"\n");
        assert!(heads(&said)[0].starts_with("the feed `f` is given twice; the first is at"), "{said}");
        let said = seed_faults("[[feed]]\nslug = \"f\"\ntypes = [\"Case study\"]\n");
        assert!(said.contains("for example `case-study`"), "{said}");
        assert!(heads(&seed_faults("[[feed]]\ntopics = []\n"))[0].contains("`slug` is missing"));
        assert!(seed_faults("[[feed]]\nslug = \"f\"\ntopcs = [\"a\"]\n").contains("did you mean `topics`?"));
    }

    #[test]
    fn a_company_lists_pages_as_a_topic_does() {
        let s = followed(
            "[[topic]]\nslug = \"tpu\"\npages = [\"https://x.example/a\"]\n[[company]]\nslug = \"acme\"\n\
             pages = [\"https://x.example/a\", { url = \"https://x.example/b\", schedule = \"@daily\" }]\n",
        );
        let listers: Vec<_> = s.pages.iter().map(|p| (p.topics.len(), p.companies.len())).collect();
        assert_eq!(listers, [(1, 1), (0, 1)]);
        assert_eq!(s.pages[1].settings.cadence.to_string(), "@daily");
        let fault = seed_faults("[[company]]\nslug = \"acme\"\npages = [{ adress = \"a\" }]\n");
        assert!(fault.contains("`adress` is no key of a page of a [[topic]] or [[company]]"), "{fault}");
    }
}

mod selectors_and_filters {
    use super::*;

    #[test]
    fn selectors_of_a_topic_hold_for_its_pages_and_a_pages_own_before_them() {
        let settings = followed(
            "[[topic]]\nslug = \"a\"\ntitle = \"A\"\nitem = \"article\"\ndate = \"time@datetime\"\npages = [\"a\", { url = \"b\", \
             item = \"li\", title = \"h3\", title_attr = \"aria-label\", date_format = \"%d/%m/%Y\", author = \"\" }]\n",
        );
        let of =
            |n: usize| settings.pages[n].settings.selectors.all().map(|(k, s)| format!("{k}={s}")).collect::<Vec<_>>();
        assert_eq!(of(0), ["item=article", "date=time@datetime"]);
        assert_eq!(of(1), ["item=li", "title=h3@aria-label", "date=time@datetime"]);
        assert_eq!(settings.pages[1].settings.selectors.date_format.as_deref(), Some("%d/%m/%Y"));
        assert_ne!(settings.pages[0].fingerprint(&settings.topics), {
            let bare = followed("[[topic]]\nslug = \"a\"\npages = [\"a\"]\n");
            bare.pages[0].fingerprint(&bare.topics)
        });
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let head = |page: &str| heads(&page_fault(page)).join("; ");
        assert_eq!(
            head("{ url = \"a\", item = \"li >\" }"),
            "`li >` is no CSS selector: something is missing beside a `>`, `+` or `~`"
        );
        assert!(head("{ url = \"a\", date_format = \"dd.mm\" }").contains("%d/%m/%Y"));
        let topic =
            |key: &str| heads(&seed_faults(&format!("[[topic]]\nslug = \"a\"\n{key}\npages = [\"a\"]\n"))).join("; ");
        assert_eq!(topic("include = \"a(\""), "`a(` is no regular expression: unclosed group");
        assert!(topic("exclude = { titel = \"x\" }").contains("`titel`"));
    }

    #[test]
    fn a_changed_filter_changes_how_a_page_is_read() {
        let of = |key: &str| {
            let settings = followed(&format!("[[topic]]\nslug = \"a\"\n{key}\npages = [\"a\"]\n"));
            settings.pages[0].fingerprint(&settings.topics)
        };
        assert_eq!(of(""), of("include = \"\""));
        assert_ne!(of(""), of("include = \"x\""));
        assert_ne!(of("include = \"x\""), of("exclude = \"x\""));
        assert_ne!(of("include = \"x\""), of("include = { title = \"x\" }"));
    }
}
