#!/bin/bash
# One of the pair of PostgreSQL servers, before the image's own entry point: the key where PostgreSQL takes it, and for
# the standby a copy of the primary. usage: database-node postgres ARGUMENT... (BIPE_DATABASE_ROLE: primary or standby)
set -eu
secrets=${BIPE_SECRETS:-/run/secrets} tls=${BIPE_TLS:-/run/tls} primary=${BIPE_PRIMARY:-database1}
data=${PGDATA:-/var/lib/postgresql/data}

# PostgreSQL refuses a key that others may read, and takes one that is its own.
install -o postgres -g postgres -m 600 "$secrets/database.key" "$tls/database.key"

# pg_basebackup writes standby.signal last, and a server that has started keeps no backup_label. The one without the
# other is a copy that was cut short: nothing starts from it, and nothing is copied into a folder that is not empty.
if [ "$BIPE_DATABASE_ROLE" = standby ] && [ -e "$data/backup_label" ] && [ ! -e "$data/standby.signal" ]; then
  find "$data" -mindepth 1 -delete
fi

if [ "$BIPE_DATABASE_ROLE" = standby ] && [ ! -s "$data/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$data"
  from="host=$primary port=${BIPE_PRIMARY_PORT:-5432} user=bipe_standby sslmode=verify-full"
  from="$from sslrootcert=$secrets/authority.pem"
  # In the environment: everybody on the machine can read a command line. PostgreSQL finds it in the copy's settings.
  password=$(cat "$secrets/standby_password")
  as() { PGPASSWORD=$password setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
  # The slot makes the primary keep what the standby lacks after an absence. That of an earlier copy is of no use.
  as pg_receivewal -d "$from" --drop-slot --slot=bipe_standby 2>/dev/null || true
  as pg_basebackup -D "$data" -d "$from application_name=$(hostname)" --write-recovery-conf --wal-method=stream \
    --create-slot --slot=bipe_standby
fi

exec "${BIPE_ENTRYPOINT:-docker-entrypoint.sh}" "$@"
