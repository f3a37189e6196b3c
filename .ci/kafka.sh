#!/usr/bin/env bash
# One Apache Kafka broker (KRaft) on loopback, for tests.
#
#   .ci/kafka.sh start DIR   start it, keep everything in DIR, print host:port
#   .ci/kafka.sh stop DIR    end it in order
#   .ci/kafka.sh kill DIR    end it as a crash would (kill -9)
#
# A second start in the same DIR comes back with the same address and data. Java 17 and
# Maven must be there; the broker itself is fetched once, into the user's cache.
set -euo pipefail

version=4.4.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/leadline/kafka-$version
usage() { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -eq 2 ] || usage
action=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)

# fetch resolves the broker and what it depends on, into the cache.
fetch() {
  [ -d "$cache" ] && return
  local work
  work=$(mktemp -d "${TMPDIR:-/tmp}/kafka.XXXXXX")
  cat >"$work/pom.xml" <<EOF
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>leadline</groupId>
  <artifactId>test-broker</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
EOF
  mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$work/libs" >&2
  mkdir -p "$(dirname "$cache")"
  mv -T "$work/libs" "$cache" 2>/dev/null || [ -d "$cache" ]
  rm -rf "$work"
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port avoids the range from which outgoing connections take theirs.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 10000))
    listens "$port" || { echo "$port"; return; }
  done
}

configure() {
  local port controller
  port=$(free_port)
  controller=$(free_port)
  cat >"$dir/server.properties" <<EOF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
log.dirs=$dir/data
num.partitions=1
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=2000
log.retention.ms=-1
log.message.timestamp.after.max.ms=9223372036854775807
message.max.bytes=16777216
log.cleaner.dedupe.buffer.size=16777216
num.network.threads=2
num.io.threads=4
EOF
  echo "127.0.0.1:$port" >"$dir/address"
  java -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$cache/*" kafka.tools.StorageTool format \
    --cluster-id bGVhZGxpbmUtY2ktMDAwMQ --config "$dir/server.properties" >"$dir/format.log" 2>&1 ||
    { cat "$dir/format.log" >&2; exit 1; }
}

# pid prints the broker's process, if it runs and is the one that was started here.
pid() {
  local id
  id=$(cat "$dir/pid" 2>/dev/null) || return 1
  tr '\0' ' ' 2>/dev/null <"/proc/$id/cmdline" | grep -qF "kafka.Kafka $dir/server.properties" && echo "$id"
}

start() {
  fetch
  [ -f "$dir/address" ] || configure
  if ! pid >/dev/null; then
    setsid java -Xms128m -Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
      -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$cache/*" \
      kafka.Kafka "$dir/server.properties" </dev/null >>"$dir/kafka.log" 2>&1 &
    echo $! >"$dir/pid"
  fi
  local address
  address=$(cat "$dir/address")
  for _ in $(seq 600); do
    if listens "${address##*:}"; then
      echo "$address"
      return
    fi
    sleep 0.1
    pid >/dev/null || break
  done
  echo "the broker did not start, $dir/kafka.log ends with:" >&2
  tail -n 30 "$dir/kafka.log" >&2
  exit 1
}

# end sends a signal and waits for the process to be gone.
end() {
  local id
  id=$(pid) || return 0
  kill "-$1" "$id"
  for _ in $(seq 300); do
    pid >/dev/null || return 0
    sleep 0.1
  done
  kill -KILL "$id"
}

case $action in
  start) start ;;
  stop) end TERM ;;
  kill) end KILL ;;
  *) usage ;;
esac
