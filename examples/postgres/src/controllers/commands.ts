/**
 * What runs in the containers, in the words of the image `postgres`. Values come as variables, and never become part of
 * the text.
 */

/** Where the data is. Whatever writes a first version of it renames a folder when that is whole. */
export const PGDATA = "/data/pgdata";

const UNLESS_THERE = `set -eu
test ! -s "$PGDATA/PG_VERSION" || exit 0
rm -rf "$PGDATA.new"`;
/** Nobody else can connect. */
const START = `pg_ctl start --wait --pgdata="$PGDATA.new" --options="-k /tmp -c listen_addresses="`;
const STOP_AND_KEEP = `pg_ctl stop --wait --pgdata="$PGDATA.new" --mode=fast
mv "$PGDATA.new" "$PGDATA"`;

/** Makes an empty database and its owner. */
export const INITDB = `${UNLESS_THERE}
echo "$PGPASSWORD" > /tmp/superuser
initdb --pgdata="$PGDATA.new" --username=postgres --pwfile=/tmp/superuser --data-checksums \\
  --auth-local=trust --auth-host=scram-sha-256
echo "host all all all scram-sha-256" >> "$PGDATA.new/pg_hba.conf"
echo "host replication postgres all scram-sha-256" >> "$PGDATA.new/pg_hba.conf"
${START}
psql --host=/tmp --username=postgres --set=ON_ERROR_STOP=1 \\
  --set=database="$DATABASE" --set=owner="$OWNER" --set=password="$OWNER_PASSWORD" <<SQL
CREATE ROLE :"owner" LOGIN PASSWORD :'password';
CREATE DATABASE :"database" OWNER :"owner";
SQL
${STOP_AND_KEEP}`;

/** Takes the data of a backup, which `pg_basebackup --format=tar --wal-method=fetch` made, and gives it our password. */
export const RESTORE = `${UNLESS_THERE}
mkdir -m 700 "$PGDATA.new"
wget -O - "$BACKUP" | tar -x -C "$PGDATA.new"
${START}
psql --host=/tmp --username=postgres --set=ON_ERROR_STOP=1 --set=password="$PGPASSWORD" <<SQL
ALTER ROLE postgres PASSWORD :'password';
SQL
${STOP_AND_KEEP}`;

/**
 * Before a member starts: the way back to the primary's data where the two have parted, or a copy of all of it. A member
 * that meets no primary for a minute fails, and begins again: a pod that waits would say nothing.
 */
export const FOLLOW = `set -eu
source="host=$PRIMARY user=postgres dbname=postgres connect_timeout=10"
if test -s "$PGDATA/PG_VERSION"; then
  pg_isready --host="$PRIMARY" --timeout=3 || exit 0
  pg_rewind --target-pgdata="$PGDATA" --source-server="$source" && exit 0
fi
seconds=0
until pg_isready --host="$PRIMARY" --timeout=3; do
  seconds=$((seconds + 1))
  test "$seconds" -lt 60 || { echo "no primary answers at $PRIMARY" >&2; exit 1; }
  sleep 1
done
rm -rf "$PGDATA.new"
pg_basebackup --dbname="$source" --pgdata="$PGDATA.new" --checkpoint=fast
rm -rf "$PGDATA"
mv "$PGDATA.new" "$PGDATA"`;

/** Every member starts as a standby: none accepts writes before it is promoted. */
export const SERVE = `touch "$PGDATA/standby.signal"
exec postgres -c listen_addresses='*' -c primary_conninfo="host=$PRIMARY user=postgres" "$@"`;

/** Promotes the pod that is meant; a command that comes late meets another one of its name, and does nothing. */
export const PROMOTE = `test "$POD_UID" = "$0" || { echo "this is pod $POD_UID" >&2; exit 1; }
test "$(psql --username=postgres -AXtc 'SELECT pg_is_in_recovery()')" = f || pg_ctl promote`;

/** How much of the log a standby has, in bytes. */
export const POSITION = `SELECT pg_wal_lsn_diff(
  GREATEST(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')`;
