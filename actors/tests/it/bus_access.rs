//! Who may take part in the bus: nodes reach a NATS server by TLS, with a password or the credentials of an account. A
//! node that the server refuses goes on by the head check.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bipe_actors::bus::{NatsError, NatsSettings};
use bipe_core::event::EventName;
use bipe_core::secret::Secret;
use bipe_core::testing::{Authority, TestDb};
use bipe_testkit::free_port;
use nkeys::KeyPair;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::bus::{DISTURBED, TwoNodes, read_events, two_nodes_with, until_pushed};
use crate::nats_server::{NatsServer, connect};

/// Files of one test, deleted after it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bipe-bus-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A claim in the format of NATS, signed by its issuer.
fn token(issuer: &KeyPair, subject: &KeyPair, nats: &Value) -> String {
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = encode(&json!({"typ": "JWT", "alg": "ed25519-nkey"}));
    let claims = json!({
        "jti": "one", "iat": 1_700_000_000, "name": "bipe",
        "iss": issuer.public_key(), "sub": subject.public_key(), "nats": nats,
    });
    let signed = format!("{header}.{}", encode(&claims));
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}

/// The lines of a server's configuration that let one account in, and the credentials of its user, who may use the
/// subject of the installation and nothing else.
fn account() -> (String, String) {
    let (operator, account, user) =
        (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user());
    let unlimited = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
    });
    let of_operator = token(&operator, &operator, &json!({"type": "operator", "version": 2}));
    let of_account = json!({"type": "account", "version": 2, "limits": unlimited});
    let of_account = token(&operator, &account, &of_account);
    let only = json!({"allow": ["bipe.test.ev"]});
    let of_user = json!({
        "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1, "pub": only, "sub": only,
    });
    let of_user = token(&account, &user, &of_user);
    let lines = format!(
        "operator: {of_operator}\nresolver: MEMORY\nresolver_preload: {{ {}: {of_account} }}\n",
        account.public_key()
    );
    let seed = user.seed().unwrap();
    let credentials = format!(
        "-----BEGIN NATS USER JWT-----\n{of_user}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    );
    (lines, credentials)
}

/// Three events of the writer, none of which is pushed.
async fn until_repaired((_test, writer, other, company, mut reader): TwoNodes) {
    for n in 0..3 {
        read_events(&other);
        writer.emit(company, EventName::CompanyUpdated, n).await;
        timeout(DISTURBED, reader.events(1)).await.expect("the event in time");
        assert!(read_events(&other), "nobody pushed it");
    }
}

#[actix::test]
async fn a_node_comes_by_tls_with_the_credentials_of_an_account_or_not_at_all() {
    let folder = Folder::new("account");
    let (ours, other) = (Authority::new("bus-ours"), Authority::new("bus-other"));
    let (certificate, key) = ours.certify(&["127.0.0.1"]);
    let certificate = folder.write("server.pem", &certificate);
    let key = folder.write("server.key", &key);
    let (lines, credentials) = account();
    let (_, foreign) = account();
    let credentials = folder.write("bipe.creds", &credentials);
    let foreign = folder.write("foreign.creds", &foreign);
    let tls = format!("tls {{ cert_file: {certificate:?}, key_file: {key:?} }}\n");
    let config = folder.write("nats.conf", &(lines + &tls));
    let Some(server) = NatsServer::start_with(&["--config", config.to_str().unwrap()]).await else {
        return;
    };
    let url = format!("tls://127.0.0.1:{}", server.port);
    let with = |credentials: &PathBuf, authority: &Authority| {
        let (credentials, authorities) = (credentials.clone(), authority.file.clone());
        move |settings: &mut NatsSettings| {
            settings.credentials = Some(credentials);
            settings.authorities = Some(authorities);
        }
    };
    let (_test, writer, reading, company, mut reader) =
        two_nodes_with(&url, with(&credentials, &ours), with(&credentials, &ours)).await;
    until_pushed(&writer, &reading, company, &mut reader).await;
    for refused in [with(&foreign, &ours), with(&credentials, &other)] {
        until_repaired(two_nodes_with(&url, with(&credentials, &ours), refused).await).await;
    }
}

#[actix::test]
async fn a_node_with_a_wrong_password_goes_on_by_the_head_check() {
    let folder = Folder::new("password");
    let config = folder.write(
        "nats.conf",
        r#"authorization {
          users: [{ user: bipe, password: "r@ght", permissions: { publish: "bipe.>", subscribe: "bipe.>" } }]
        }"#,
    );
    let Some(server) = NatsServer::start_with(&["--config", config.to_str().unwrap()]).await else {
        return;
    };
    let url = |password: &str| format!("nats://bipe:{password}@127.0.0.1:{}", server.port);
    let (_test, writer, other, company, mut reader) =
        two_nodes_with(&url("r%40ght"), |_| {}, |_| {}).await;
    until_pushed(&writer, &other, company, &mut reader).await;
    let wrong = |settings: &mut NatsSettings| settings.url = Secret::new(url("wrong"));
    until_repaired(two_nodes_with(&url("r%40ght"), |_| {}, wrong).await).await;
}

#[actix::test]
async fn nodes_at_two_servers_of_a_cluster_reach_each_other_and_survive_one() {
    let (first, second) = (free_port(), free_port());
    let routes = [first, second].map(|port| format!("nats://127.0.0.1:{port}"));
    let member = async |own: &str, peer: &str| {
        let cluster = ["--cluster_name", "bipe", "--cluster", own, "--routes", peer];
        NatsServer::start_with(&cluster).await
    };
    let Some(mut here) = member(&routes[0], &routes[1]).await else { return };
    let Some(there) = member(&routes[1], &routes[0]).await else { return };
    let elsewhere = |settings: &mut NatsSettings| settings.url = Secret::new(there.url());
    let both = format!("{},{}", here.url(), there.url());
    let at_first = |settings: &mut NatsSettings| settings.url = Secret::new(here.url());
    let (_test, writer, other, company, mut reader) =
        two_nodes_with(&both, at_first, elsewhere).await;
    until_pushed(&writer, &other, company, &mut reader).await;
    here.kill();
    // The first server named its peer to the writer.
    until_pushed(&writer, &other, company, &mut reader).await;
}

#[actix::test]
async fn a_file_that_is_not_there_stops_the_start() {
    let nowhere = PathBuf::from("/nowhere/bipe.pem");
    let of = async |change: fn(&mut NatsSettings, PathBuf)| {
        let opened = TestDb::new().await.opened();
        connect(opened, "nats://127.0.0.1:1", |settings| change(settings, nowhere.clone())).await
    };
    let refused = of(|settings, file| settings.credentials = Some(file)).await.err();
    assert!(matches!(refused, Some(NatsError::Credentials(_))), "{refused:?}");
    let refused = of(|settings, file| settings.authorities = Some(file)).await.err();
    assert!(matches!(refused, Some(NatsError::Authorities(_))), "{refused:?}");
}
