//! The texts that the token estimate is fitted to and measured on, and how its error is counted.
//!
//! Kinds are file extensions (`.txt`: the directory's name), plus samples embedded here.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

const SAMPLES: [(&str, &str); 5] = [
    ("sample json", JSON),
    ("sample log", LOG),
    ("sample de", GERMAN),
    ("sample ru", RUSSIAN),
    ("sample zh", CHINESE),
];

/// The texts by kind: those that the command line names, or this project's, and the samples.
pub(crate) fn texts() -> BTreeMap<String, Vec<String>> {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    paths.retain(|path| !path.to_string_lossy().starts_with("--"));
    if paths.is_empty() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        paths = ["crates", "docs", "Cargo.lock"]
            .map(|name| root.join(name))
            .into();
        paths.extend(
            children(root)
                .into_iter()
                .filter(|path| path.extension() == Some(OsStr::new("md"))),
        );
    }
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (kind, text) in SAMPLES {
        texts
            .entry(kind.to_owned())
            .or_default()
            .push(text.to_owned());
    }
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(children(&path));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let kind = match path.extension() {
                Some(extension) if extension != "txt" => Some(extension),
                _ => path.parent().and_then(Path::file_name),
            };
            let kind = kind.map_or_else(String::new, |kind| kind.to_string_lossy().into_owned());
            texts.entry(kind).or_default().push(text);
        }
    }
    texts
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

/// Cuts at character boundaries into pieces of about `size` bytes; a short rest is left out unless it is all.
pub(crate) fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() >= size {
        let (piece, tail) = rest.split_at(rest.floor_char_boundary(size));
        pieces.push(piece);
        rest = tail;
    }
    if pieces.is_empty() && !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// Mean, bias and 95th percentile of the error in percent.
pub(crate) fn errors(pairs: impl Iterator<Item = (usize, usize)>) -> (f64, f64, f64) {
    let signed: Vec<f64> = pairs
        .map(|(real, count)| (count as f64 / real.max(1) as f64 - 1.0) * 100.0)
        .collect();
    let n = signed.len().max(1) as f64;
    let mut sizes: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    (
        sizes.iter().sum::<f64>() / n,
        signed.iter().sum::<f64>() / n,
        quantile(&sizes, 0.95),
    )
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank within a slice"
)]
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share) as usize;
    sorted.get(rank).or(sorted.last()).copied().unwrap_or(0.0)
}

const JSON: &str = r#"{
  "version": 3,
  "generated_at": "2026-11-15T09:49:31.204Z",
  "project": { "name": "scratchpad", "root": "/home/ada/src/scratchpad", "dirty": true },
  "entries": [
    {
      "id": "b7f0c2d4-91e3-4c0a-8a53-0f6d2f1c77aa",
      "kind": "note",
      "title": "Parser rejects CRLF line endings",
      "tags": ["bug", "parser", "windows"],
      "priority": 2,
      "score": 0.8731,
      "links": [{ "file": "src/parse/lines.rs", "line": 214, "column": 9 }],
      "closed": null
    },
    {
      "id": "0d9a4e16-5b2f-47f8-b1c9-c3e8a7d05e42",
      "kind": "todo",
      "title": "Measure the cold start of the store",
      "tags": [],
      "priority": 1,
      "score": 12.5,
      "links": [],
      "closed": "2026-11-14T22:10:05Z"
    }
  ],
  "limits": { "max_bytes": 1048576, "max_entries": 4096, "timeout_ms": 2500 },
  "hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
}
{"level":"info","msg":"compacted","before":18231,"after":6120,"ratio":0.3357,"took_us":8412}
{"level":"warn","msg":"slow query","sql":"SELECT id, body FROM entry WHERE pad = ?1 ORDER BY rank","rows":381}
"#;

const LOG: &str = r#"2026-11-15T09:49:31.204Z  INFO server: listening on 127.0.0.1:8080 (pid 48213)
2026-11-15T09:49:31.377Z DEBUG store::open: path="/var/lib/pad/pad.db" wal=true took=3.412ms
2026-11-15T09:49:35.010Z  WARN http: 203.0.113.17 "POST /v1/pads/7f3a HTTP/1.1" 429 0.8ms retry_after=30
2026-11-15T09:49:36.551Z ERROR worker[7]: failed to read block 0x7ffd3c10: unexpected end of file (os error 5)
    at read_block (src/store/block.rs:188:17)
    at Worker::run (src/worker.rs:92:22)
Nov 15 09:50:01 build-03 CRON[9921]: (root) CMD (/usr/lib/cleanup --max-age 14d >/dev/null 2>&1)
Nov 15 09:50:02 build-03 kernel: [81234.567890] eth0: link up, 1000 Mbps, full duplex
198.51.100.4 - - [15/Nov/2026:09:50:07 +0000] "GET /assets/app.5d41402a.js HTTP/2.0" 200 48213 "-" "curl/8.5.0"
198.51.100.4 - - [15/Nov/2026:09:50:09 +0000] "GET /favicon.ico HTTP/2.0" 404 153 "-" "curl/8.5.0"
   Compiling serde_core v1.0.229
   Compiling rusqlite v0.41.1
warning: unused variable: `limit`
  --> src/model/quantity.rs:41:9
   |
41 |     let limit = budget.min(4096);
   |         ^^^^^ help: if this is intentional, prefix it with an underscore: `_limit`
test model::block::tests::keeps_the_last_line ... ok
test model::block::tests::splits_on_blank_lines ... FAILED
test result: FAILED. 41 passed; 1 failed; 0 ignored; 0 measured; finished in 0.27s
"#;

const GERMAN: &str = "Als der Zug endlich in den kleinen Bahnhof einfuhr, war es draußen bereits dunkel, und über den \
Dächern lag ein dünner Nebel. Frau Möller stellte ihren Koffer auf den Bahnsteig, knöpfte den Mantel zu und suchte \
nach dem Zettel, auf dem die Adresse der Pension stehen sollte. Natürlich hatte sie ihn in das falsche Buch gelegt. \
»Das fängt ja gut an«, murmelte sie und musste trotzdem lachen.

Die Einrichtung des Programms ist einfach: Zuerst wird das Verzeichnis angelegt, danach werden die Schlüssel erzeugt \
und die Zugriffsrechte überprüft. Schlägt einer dieser Schritte fehl, so bricht die Installation mit einer \
verständlichen Fehlermeldung ab, ohne bereits vorhandene Dateien zu verändern. Größere Änderungen sollten vorher \
gesichert werden, weil sich gelöschte Einträge nicht wiederherstellen lassen.

Später, beim Frühstück, erzählte der Wirt von früher: von Überschwemmungen im März, von der Wollspinnerei am Fluss \
und von den Straßenbahnschaffnern, die jeden Fahrgast mit Namen grüßten. Heute fahren die meisten mit dem Auto, \
und die Fabrik ist ein Museum für Industriegeschichte. Nur die alte Brücke, sagte er, die sei geblieben.
";

const RUSSIAN: &str = "Утром мы вышли из дома рано, когда на улице ещё почти никого не было. Снег скрипел под ногами, \
в окнах соседних домов горел жёлтый свет, и казалось, что город только притворяется спящим. Дедушка шёл впереди и \
рассказывал, как в молодости строил мост через эту реку, а я слушал и старался не отставать.

Программа сохраняет заметки в одном файле и умеет быстро находить нужную строку. Если файл повреждён, она сообщает \
об ошибке и предлагает восстановить последнюю резервную копию. Пользователь может изменить настройки в любое время: \
достаточно открыть меню, выбрать нужный раздел и подтвердить изменения.

К вечеру погода испортилась. Подул сильный ветер, пошёл дождь, и нам пришлось вернуться раньше, чем мы хотели. Зато \
дома нас ждал горячий чай с малиновым вареньем, и долгий разговор о том, куда поехать следующим летом.
";

const CHINESE: &str = "清晨的市场已经热闹起来了。卖菜的老人把刚摘下来的黄瓜和西红柿整齐地摆在木板上，旁边的小店里飘出豆浆和油条的香味。\
我买了两个包子，一边走一边吃，忽然想起小时候奶奶总是在这个时间叫我起床上学。那时候的街道很窄，也没有这么多汽车，\
孩子们可以在路中间踢毽子。

这个工具的作用是保存工作过程中的笔记。每一条笔记都有编号、标题和正文，可以按照时间或者重要程度排序。如果内容超过了限制，\
程序会自动删除最旧的部分，并且在日志里写明原因。使用之前，请先检查配置文件是否正确，然后运行测试命令；\
如果出现错误，请把完整的错误信息复制下来，再联系管理员处理。

下午下了一场大雨，河水涨得很快，大家都站在桥上看。有人说上游的水库已经开始放水，也有人说明天还要继续下雨。回到家里，\
我打开窗户，听着雨声写完了这封信，希望你在远方一切都好。
";
