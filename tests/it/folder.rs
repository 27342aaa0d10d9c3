//! The published folder: every file whole, with the right bits and time, and nothing outside.

use pagewire::model::{Document, Stamp};
use pagewire::publish::{Folder, PublishError};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const WHEN: Stamp = Stamp(1_790_244_000);

fn document(path: &str, text: &str) -> Document {
    Document { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
}

fn publish(folder: &mut Folder, path: &str, text: &str) {
    folder.stage(&document(path, text), WHEN).unwrap();
    assert_eq!(folder.commit().unwrap(), 1);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Every path below a folder, hidden ones too.
fn below(dir: &Path) -> Vec<String> {
    let mut found: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .flat_map(|item| {
            let path = item.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let inner = if path.is_dir() { below(&path) } else { vec![] };
            inner.into_iter().map(|i| format!("{name}/{i}")).chain([name.clone()]).collect::<Vec<_>>()
        })
        .collect();
    found.sort();
    found
}

#[test]
fn documents_become_files_on_commit_and_not_before() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().join("var/feeds");
    let mut folder = Folder::open(&root, 0o644).unwrap();
    folder.stage(&document("topics/tpu.atom", "old"), WHEN).unwrap();
    folder.stage(&document("topics/tpu.atom", "new"), WHEN).unwrap();
    folder.stage(&document("all.rss", "all"), Stamp(-1)).unwrap();
    assert!(!root.join("all.rss").exists() && !folder.holds("all.rss", 3));
    assert_eq!(folder.commit().unwrap(), 2);
    assert_eq!(below(&root), ["all.rss", "topics", "topics/tpu.atom"]);
    assert_eq!(fs::read_to_string(root.join("topics/tpu.atom")).unwrap(), "new", "the last one staged");
    assert_eq!(fs::metadata(root.join("topics/tpu.atom")).unwrap().mtime(), WHEN.0);
    assert_eq!(fs::metadata(root.join("all.rss")).unwrap().mtime(), -1, "before 1970 too");
    assert_eq!(folder.commit().unwrap(), 0);
}

#[test]
fn many_documents_are_put_in_place_at_once() {
    let dir = TempDir::new().unwrap();
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    for i in 0..100 {
        folder.stage(&document(&format!("companies/c{i}.json"), "{}"), WHEN).unwrap();
    }
    assert_eq!(folder.commit().unwrap(), 100);
    assert_eq!(fs::read_dir(dir.path().join("companies")).unwrap().count(), 100);
}

#[test]
fn a_reader_sees_the_old_file_or_the_new_one() {
    let dir = TempDir::new().unwrap();
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    let whole = |i: usize| ["a", "b"][i % 2].repeat(200_000 + i % 2);
    publish(&mut folder, "all.atom", &whole(0));
    let file = dir.path().join("all.atom");
    let reader = std::thread::spawn(move || {
        loop {
            let seen = fs::read_to_string(&file).unwrap();
            if seen == "end" {
                return;
            }
            assert!(seen == whole(0) || seen == whole(1), "half a file of {} bytes", seen.len());
        }
    });
    for i in 0..100 {
        publish(&mut folder, "all.atom", &whole(i));
    }
    publish(&mut folder, "all.atom", "end");
    reader.join().unwrap();
}

#[test]
fn holds_knows_what_is_there_with_which_length() {
    let dir = TempDir::new().unwrap();
    publish(&mut Folder::open(dir.path(), 0o644).unwrap(), "topics/tpu.atom", "12345");
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    assert!(folder.holds("topics/tpu.atom", 5));
    assert!(!folder.holds("topics/tpu.atom", 4) && !folder.holds("topics/other.atom", 5) && !folder.holds("../x", 0));
    fs::remove_file(dir.path().join("topics/tpu.atom")).unwrap();
    folder.look().unwrap();
    assert!(!folder.holds("topics/tpu.atom", 5));
    publish(&mut folder, "topics/tpu.atom", "123");
    assert!(folder.holds("topics/tpu.atom", 3));
    assert!(folder.remove("topics/tpu.atom").unwrap());
    assert!(!folder.remove("topics/tpu.atom").unwrap() && !folder.holds("topics/tpu.atom", 3));
    assert!(!folder.remove("types/none.atom").unwrap());
    folder.stage(&document("topics/tpu.atom", "1"), WHEN).unwrap();
    assert!(!folder.remove("topics/tpu.atom").unwrap(), "taken back");
    assert_eq!((folder.commit().unwrap(), below(dir.path()).as_slice()), (0, ["topics".to_owned()].as_slice()));
}

#[test]
fn a_folder_that_was_removed_is_made_again() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().join("feeds");
    let mut folder = Folder::open(&root, 0o644).unwrap();
    publish(&mut folder, "topics/tpu.atom", "1");
    fs::remove_dir_all(&root).unwrap();
    publish(&mut folder, "topics/tpu.atom", "2");
    assert_eq!(fs::read_to_string(root.join("topics/tpu.atom")).unwrap(), "2");
}

/// The umask belongs to the process, so this runs itself again under another.
#[test]
fn mode_is_as_configured_whatever_the_umask() {
    const ROOT: &str = "PAGEWIRE_TEST_UMASK_ROOT";
    if let Some(root) = std::env::var_os(ROOT) {
        publish(&mut Folder::open(Path::new(&root), 0o644).unwrap(), "topics/tpu.atom", "x");
        return;
    }
    for umask in ["000", "077"] {
        let dir = TempDir::new().unwrap();
        let root = dir.path().join("feeds");
        let run = Command::new("sh")
            .args([
                "-c",
                &format!("umask {umask}; exec \"$0\" --exact folder::mode_is_as_configured_whatever_the_umask"),
            ])
            .arg(std::env::current_exe().unwrap())
            .env(ROOT, &root)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
        assert_eq!(mode(&root.join("topics/tpu.atom")), 0o644, "umask {umask}");
        assert_eq!((mode(&root), mode(&root.join("topics"))), (0o755, 0o755), "umask {umask}");
    }
}

#[test]
fn an_existing_file_keeps_its_own_mode() {
    let dir = TempDir::new().unwrap();
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    publish(&mut folder, "all.atom", "1");
    let file = dir.path().join("all.atom");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    publish(&mut folder, "all.atom", "2");
    assert_eq!((mode(&file), fs::read_to_string(&file).unwrap().as_str()), (0o640, "2"));
}

#[test]
fn a_subfolder_that_leads_elsewhere_is_refused() {
    let (dir, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    symlink(outside.path(), dir.path().join("companies")).unwrap();
    let staged = folder.stage(&document("companies/x.atom", "x"), WHEN);
    assert!(matches!(staged, Err(PublishError::Link(_))), "made while we were at work");
    let message = Folder::open(dir.path(), 0o644).unwrap_err().to_string();
    assert!(message.contains("/companies`") && message.contains("remove it"), "{message}");
    assert_eq!(below(outside.path()), [""; 0]);
}

#[test]
fn a_link_in_a_files_place_is_replaced_and_not_followed() {
    let (dir, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let secret = outside.path().join("secret");
    fs::write(&secret, "mine").unwrap();
    symlink(&secret, dir.path().join("all.atom")).unwrap();
    symlink(&secret, dir.path().join(".all.atom.pagewire-tmp")).unwrap();
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    symlink(&secret, dir.path().join(".all.atom.pagewire-tmp")).unwrap();
    publish(&mut folder, "all.atom", "feed");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "mine");
    assert!(dir.path().join("all.atom").symlink_metadata().unwrap().is_file());
}

#[test]
fn no_path_leads_outside() {
    let dir = TempDir::new().unwrap();
    let mut folder = Folder::open(&dir.path().join("feeds"), 0o644).unwrap();
    for path in
        ["../x.atom", "/etc/x.atom", "topics/../../x.atom", "companies/../../etc/cron.d/x", "topics/..%2f..atom"]
    {
        assert!(matches!(folder.stage(&document(path, "x"), WHEN), Err(PublishError::Path(_))), "{path}");
        assert!(folder.remove(path).is_err(), "{path}");
    }
    assert_eq!(below(dir.path()), ["feeds"]);
}

#[test]
fn what_a_crash_left_is_cleared_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("topics")).unwrap();
    for name in [".all.atom.pagewire-tmp", "topics/.tpu.rss.pagewire-tmp", "topics/.htaccess", "robots.txt"] {
        fs::write(dir.path().join(name), "x").unwrap();
    }
    Folder::open(dir.path(), 0o644).unwrap();
    assert_eq!(below(dir.path()), ["robots.txt", "topics", "topics/.htaccess"]);
}

#[test]
fn what_is_not_committed_leaves_no_trace() {
    let dir = TempDir::new().unwrap();
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    folder.stage(&document("all.atom", "x"), WHEN).unwrap();
    drop(folder);
    assert_eq!(below(dir.path()), [""; 0]);
}

#[test]
fn an_error_names_the_file_and_leaves_nothing_half_done() {
    let dir = TempDir::new().unwrap();
    let mut folder = Folder::open(dir.path(), 0o644).unwrap();
    fs::create_dir_all(dir.path().join("all.atom/in-the-way")).unwrap();
    folder.stage(&document("all.atom", "x"), WHEN).unwrap();
    folder.stage(&document("all.rss", "x"), WHEN).unwrap();
    let message = folder.commit().unwrap_err().to_string();
    assert!(message.contains("/all.atom`") && message.contains("move what is in the way"), "{message}");
    assert_eq!(below(dir.path()), ["all.atom", "all.atom/in-the-way"]);
    publish(&mut folder, "all.rss", "x");
}

#[test]
fn a_file_where_the_folder_should_be_is_an_error_with_a_remedy() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("feeds");
    fs::write(&file, "").unwrap();
    let message = Folder::open(&file, 0o644).unwrap_err().to_string();
    assert!(message.contains("/feeds`") && message.contains("set `directory` of [publish]"), "{message}");
}
