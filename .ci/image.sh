#!/usr/bin/env bash
# Runs a static binary as the image does: user 65532, an otherwise empty and read-only
# root, one folder to write to. Needs root.
#
#   .ci/image.sh BINARY
set -euo pipefail

if [ "${2:-}" != inside ]; then
  exec unshare --mount "$0" "$(realpath "$1")" inside
fi

work=$(mktemp -d)
root=$work/root
daemon=
finish() {
  if [ -n "$daemon" ]; then
    kill -KILL "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
  umount "$root/data" "$root" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

port() {
  local port
  while port=$((20000 + RANDOM % 10000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

mkdir -p "$root/data" "$root/etc/leadline"
install -m 0755 "$1" "$root/leadline"
chown 65532:65532 "$root/data"
cat >"$root/etc/leadline/leadline.yaml" <<EOF
service: {name: helpdesk, timezone: Asia/Tokyo}
kafka: {brokers: ["127.0.0.1:1"], topics: [rag-logs]}
judge: {base_url: "http://127.0.0.1:1/v1", model: judge}
store: {path: /data/leadline.db}
server: {listen: "127.0.0.1:$(port)", ops_listen: "127.0.0.1:$(port)"}
EOF
chmod -R a+rX "$work"
mount --bind "$root" "$root"
mount --bind "$root/data" "$root/data"
mount -o remount,bind,ro "$root"

# inside becomes the binary; call it in a subshell.
inside() {
  exec env -i PATH="$PATH" LEADLINE_CONFIG=/etc/leadline/leadline.yaml \
    chroot --userspec=65532:65532 --groups= "$root" /leadline "$@"
}

# expect CODE COMMAND... runs a command and compares its exit code.
expect() {
  local want=$1 got=0
  shift
  (inside "$@") >"$work/out" 2>&1 || got=$?
  if [ "$got" != "$want" ]; then
    echo "leadline $*: exit $got, want $want"
    cat "$work/out"
    exit 1
  fi
  echo "leadline $*: exit $got"
}

expect 0 version
expect 0 check
expect 5 health

inside run >"$work/run" 2>&1 &
daemon=$!
for _ in $(seq 100); do
  (inside health) >/dev/null 2>&1 && break
  sleep 0.1
done
expect 0 health
kill -TERM "$daemon"
code=0
wait "$daemon" || code=$?
daemon=
if [ $code -ne 0 ] || [ "$(stat -c %u "$root/data/leadline.db")" != 65532 ]; then
  echo "leadline run: exit $code"
  cat "$work/run"
  exit 1
fi
echo "leadline run: started without Kafka and judge, waited, ended on SIGTERM"
