//! The files are valid for the tools that read them: schemas of Kubernetes, shapes of AWS, Helm values, Terraform, a
//! real shell.

use std::fs;
use std::path::Path;
use std::process::Command;

use fleet::install::{Platform, plan};
use serde_json::json;

use crate::common::*;
use crate::quoting::HOSTILE;

/// What is tried on every platform.
const VARIANTS: [&str; 5] = [
    "",
    "name=edge-eu&tags=eu,linux&description=Edge&upgrades=hand&replicas=3",
    "name=edge&tags=it's,$(id),%22q%22,a%20b,platform:x&description=%24%7BHOME%7D%20%60id%60%20'%22%5C%20%23%20a:%20b%20%25%7Bx%7D&permission=namespace-admin&namespace=true",
    "name=edge&permission=cluster-viewer&proxy=http://proxy.example:3128&no_proxy=10.0.0.1,.corp&transport=polling",
    "name=edge&role=arn:aws:iam::111122223333:role/r&subnets=subnet-1a,subnet-2b&groups=sg-1&public_ip=yes&logs=own&secret=arn:aws:secretsmanager:us-east-1:111122223333:secret:d-AbCdEf",
];

#[test]
fn every_file_is_valid_for_its_tool_and_holds_what_was_chosen() {
    let checkers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/checkers");
    let python = checkers.join(".venv/bin/python");
    assert!(python.exists(), "the checkers are not installed; run: scripts/install-tools.sh test");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("install-files");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an empty folder");
    }
    for platform in Platform::ALL {
        for (number, variant) in VARIANTS.iter().enumerate() {
            for (place, scope) in ["acme", "acme/payments/checkout"].iter().enumerate() {
                let name = format!("{}-{number}-{place}", platform.as_str());
                write(&folder.join(name), scope, &query(platform, variant));
            }
        }
    }
    texts(&folder.join("texts"));
    let output = Command::new(python).arg(checkers.join("check.py")).arg(&folder).output().expect("python");
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
}

/// The files of an install, and what they must hold.
fn write(folder: &Path, scope: &str, query: &str) {
    let install = install_in(scope, query).unwrap_or_else(|wrong| panic!("{query}: {wrong:?}"));
    fs::create_dir_all(folder).expect("a folder");
    for file in plan(&install).files {
        fs::write(folder.join(file.name), file.text).expect("a file");
    }
    let told = json!({
        "platform": install.platform.as_str(),
        "account": install.account,
        "manager": install.manager,
        "name": install.name,
        "tags": install.tags,
        "description": install.description,
        "token": install.token,
        "secret": install.aws.secret.is_some(),
    });
    fs::write(folder.join("install.json"), told.to_string()).expect("a file");
}

/// Hostile texts as a YAML list, which no parser here in Rust reads.
fn texts(folder: &Path) {
    let noise = (0..0x500_u32).filter_map(char::from_u32).map(|c| format!("{c}a {c}"));
    let texts: Vec<String> = HOSTILE.iter().map(|text| (*text).to_owned()).chain(noise).collect();
    let list: Vec<String> =
        texts.iter().map(|text| format!("- {}\n", fleet::install::quote::yaml(text))).collect();
    let list = list.concat();
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("texts"), format!("{list}\n---8<---\n{}", json!(texts))).expect("a file");
    fs::write(folder.join("install.json"), "{}").expect("a file");
}
