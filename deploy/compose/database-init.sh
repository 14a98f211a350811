#!/bin/bash
# Run once by the image of PostgreSQL, in an empty data folder: the role and the database of Bipe, and the role of a
# standby where there is one. Bipe's role may not bypass row-level security; `CREATEROLE` is for the first migration.
set -eu
secrets=${BIPE_SECRETS:-/run/secrets}
ask() { psql -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres; }

# In the environment: everybody on the machine can read a command line.
password=$(cat "$secrets/database_password")
PASSWORD=$password ask <<'SQL'
\getenv password PASSWORD
CREATE ROLE bipe LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE bipe OWNER bipe;
SQL

if [ -e "$secrets/standby_password" ]; then
  password=$(cat "$secrets/standby_password")
  PASSWORD=$password ask <<'SQL'
\getenv password PASSWORD
CREATE ROLE bipe_standby LOGIN REPLICATION PASSWORD :'password';
SQL
  echo 'hostssl replication bipe_standby all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  # The next start reads it.
fi
