#!/usr/bin/env bash
# Faults for the cluster of docker-compose.yml, and the question that counts afterwards: do all nodes hold the same,
# and is anything lost?
#
#   chaos.sh stop NODE…    told to stop (SIGTERM): leaves in good order
#   chaos.sh kill NODE…    dies at once (SIGKILL), and stays down until `heal`
#   chaos.sh pause NODE…   stands still; its connections stay open and nothing answers
#   chaos.sh cut NODE      off the network: neither peers nor clients reach it
#   chaos.sh cut A B       nothing passes between these two; clients still reach both. Needs root, nsenter and
#                          iptables on the machine that runs the containers
#   chaos.sh heal          all of that is over; waits until every node is healthy
#   chaos.sh check         do all nodes list the same instances with the same hash code? Waits for it, up to 15 s
#   chaos.sh all           every fault in turn, while instances register at the other nodes, beat and leave; ends with
#                          the check, and with exit code 1 if one is lost, came back or nodes disagree
#
# NODE is node1, node2 or node3. Needs bash, curl and docker. COMPOSE_PROJECT_NAME names the project if it is not
# `cluster`, HOLD is how many seconds each fault of `all` lasts (default 10).
set -euo pipefail
export LC_ALL=C # lists are sorted alike everywhere, and read quickly

NODES=(node1 node2 node3)
PROJECT=${COMPOSE_PROJECT_NAME:-cluster}
NETWORK=${PROJECT}_cluster
HOLD=${HOLD:-10}
AGREE_WITHIN=15 # seconds; nodes promise 5
HEALTHY_WITHIN=60

work=$(mktemp -d)
keeper=
began=${EPOCHREALTIME/[.,]/}

say() {
  local tenths=$(((${EPOCHREALTIME/[.,]/} - began) / 100000))
  printf '[%3d.%ds] %s\n' $((tenths / 10)) $((tenths % 10)) "$*"
}

give_up() {
  say "$*" >&2
  exit 1
}

leave() {
  [ -z "$keeper" ] || kill "$keeper" 2>/dev/null || true
  rm -rf "$work"
}
trap leave EXIT

# === containers ===

container() {
  local id
  id=$(docker ps -aq --filter "label=com.docker.compose.project=$PROJECT" --filter "label=com.docker.compose.service=$1")
  [ -n "$id" ] || give_up "there is no container of $1 in the project $PROJECT; start the cluster first"
  echo "$id"
}

look() { docker inspect -f "$2" "$(container "$1")"; }

address() { look "$1" "{{with index .NetworkSettings.Networks \"$NETWORK\"}}{{.IPAddress}}{{end}}"; }

# A rule for what one node sends and gets, set from outside: nothing for it has to be in the image.
filter() {
  local node=$1
  shift
  nsenter -t "$(look "$node" '{{.State.Pid}}')" -n iptables -w "$@"
}

fault_stop() { docker stop "$(container "$1")" >/dev/null; }
fault_kill() { docker kill "$(container "$1")" >/dev/null; }
fault_pause() { docker pause "$(container "$1")" >/dev/null; }

fault_cut() {
  local other
  if [ $# = 1 ]; then
    docker network disconnect "$NETWORK" "$(container "$1")"
    return
  fi
  can_filter || give_up "cutting a pair needs root, nsenter and iptables here; try: chaos.sh cut $1"
  other=$(address "$2")
  [ -n "$other" ] || give_up "$2 has no address; is it running?"
  filter "$1" -I OUTPUT -d "$other" -j DROP
  filter "$1" -I INPUT -s "$other" -j DROP
}

can_filter() { [ "$(id -u)" = 0 ] && command -v nsenter >/dev/null && command -v iptables >/dev/null; }

heal() {
  local node
  for node in "${NODES[@]}"; do
    [ "$(look "$node" '{{.State.Status}}')" != paused ] || docker unpause "$(container "$node")" >/dev/null
    if [ "$(look "$node" "{{if index .NetworkSettings.Networks \"$NETWORK\"}}on{{end}}")" != on ]; then
      # Without the alias it would come back without its name.
      docker network connect --alias "$node" "$NETWORK" "$(container "$node")"
    fi
    docker start "$(container "$node")" >/dev/null # nothing happens if it runs
    # A container has no rules of its own in this table, so all are ours.
    if can_filter; then filter "$node" -F; fi
  done
  wait_healthy
}

# === asking nodes ===

url() { echo "http://127.0.0.1:$((8760 + ${1#node}))"; }

answers() { curl -sf -m 1 -o /dev/null "$(url "$1")$2"; }

wait_healthy() {
  local node end=$((SECONDS + HEALTHY_WITHIN))
  for node in "${NODES[@]}"; do
    until answers "$node" /health/ready; do
      [ $SECONDS -lt $end ] || give_up "$node is not healthy after $HEALTHY_WITHIN s"
      sleep 0.2
    done
  done
  say "every node is healthy"
}

# What a node lists: first its hash code, then a line per instance with its id and status, in order.
list() {
  : >"$work/$1.list"
  curl -sf -m 5 -H 'Accept: application/json' "$(url "$1")/eureka/apps" |
    grep -oE '"(apps__hashcode|instanceId|status)":"[^"]*"' | cut -d '"' -f 2,4 |
    awk -F '"' '$1 == "apps__hashcode" { print "0", $2 } $1 == "instanceId" { id = $2 } $1 == "status" { print "1", id, $2 }' |
    sort >"$work/$1.list"
}

agree() {
  local node asked=()
  for node in "${NODES[@]}"; do list "$node" & asked+=($!); done
  for node in "${asked[@]}"; do wait "$node" || return 1; done
  cmp -s "$work/node1.list" "$work/node2.list" && cmp -s "$work/node1.list" "$work/node3.list"
}

# Waits until nodes agree, then shows what each has. Who asks last does so when the time is over, however long reading
# their lists takes.
check() {
  local node end=$((SECONDS + AGREE_WITHIN)) tried=$SECONDS verdict=0
  until agree; do
    if [ "$tried" -ge $end ]; then verdict=1 && break; fi
    sleep 0.2
    tried=$SECONDS
  done
  for node in "${NODES[@]}"; do
    if [ ! -s "$work/$node.list" ]; then say "$node: no list"; continue; fi
    say "$node: $(grep -c '^1' "$work/$node.list") instances, hash code $(sed -n 's/^0 //p' "$work/$node.list")"
  done
  if [ $verdict != 0 ]; then
    # hash code (0) and instances (1) that not all have, with how many nodes have each
    sort "$work"/*.list | uniq -c | awk '$1 != 3' | head -n 20
    give_up "nodes do not hold the same after $AGREE_WITHIN s"
  fi
  say "all nodes hold the same"
}

# === instances that live through it ===

# register NODE ID
register() {
  # shellcheck disable=SC2016 # the dollars are Eureka's
  local body='{"instance":{"instanceId":"ID","app":"CHAOS","hostName":"ID.example","ipAddr":"192.0.2.1","status":"UP",
    "port":{"$":8080,"@enabled":"true"},"vipAddress":"chaos","lastDirtyTimestamp":"NOW",
    "dataCenterInfo":{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"},
    "leaseInfo":{"renewalIntervalInSecs":10,"durationInSecs":30}}}'
  body=${body//ID\"/$2\"} body=${body/ID.example/$2.example} body=${body/NOW/${EPOCHREALTIME/[.,]*/}000}
  curl -sf -m 5 -H 'Content-Type: application/json' -d "$body" "$(url "$1")/eureka/apps/CHAOS" ||
    give_up "$1 did not take the registration of $2"
  echo "$2" >>"$work/there"
}

# cancel NODE ID
cancel() {
  grep -vx "$2" "$work/there" >"$work/rest" || true
  mv "$work/rest" "$work/there"
  echo "$2" >>"$work/gone"
  curl -sf -m 5 -X DELETE "$(url "$1")/eureka/apps/CHAOS/$2" || give_up "$1 did not take the cancellation of $2"
}

# Beats for all instances through whichever node answers, as clients with a list of nodes do. It never registers
# anything again: what is in the lists at the end was never lost.
keep() {
  local turn=0 node
  while sleep 2; do
    node=${NODES[$((turn++ % ${#NODES[@]}))]}
    answers "$node" /health/ready || continue
    sed "s#.*#url = $(url "$node")/eureka/apps/CHAOS/&?status=UP\noutput = /dev/null#" "$work/there" |
      timeout 5 curl -s -X PUT -K - || true
  done
}

# trial FAULT NODE…: the fault, with instances that come and go at nodes that clients still reach.
count=0
trial() {
  local fault=$1 through=() node i first=$((count + 1))
  shift
  say "--- $fault $*"
  # One is known to all before the fault and leaves during it.
  register "$1" "leaver-$first"
  sleep 1
  "fault_$fault" "$@"
  for node in "${NODES[@]}"; do
    if [ $# = 2 ] || [ "$node" != "$1" ]; then through+=("$node"); fi
  done
  for ((i = 0; i < 12; i++)); do
    register "${through[$((i % ${#through[@]}))]}" "chaos-$((++count))"
  done
  cancel "${through[0]}" "leaver-$first"
  say "12 registered and one cancelled through ${through[*]}; $HOLD s of this"
  sleep "$HOLD"
  heal
  check
  judge
}

# Is everything there that was registered, and nothing that was cancelled?
judge() {
  local missing back
  sed -n 's/^1 \(.*\) UP$/\1/p' "$work/node1.list" | sort >"$work/listed"
  missing=$(sort "$work/there" | comm -23 - "$work/listed" | xargs)
  back=$(sort "$work/gone" | comm -12 - "$work/listed" | xargs)
  [ -z "$missing" ] || give_up "lost: $missing"
  [ -z "$back" ] || give_up "came back: $back"
  say "all $(wc -l <"$work/there") instances are there, none came back"
}

all() {
  touch "$work/there" "$work/gone"
  heal
  check
  keep &
  keeper=$!
  trial stop node3
  trial kill node1
  trial pause node2
  trial cut node3
  if can_filter; then trial cut node1 node2; else say "--- cut node1 node2: left out, it needs root, nsenter and iptables"; fi
  kill "$keeper" && keeper=
  say "--- the end"
  local id ids
  mapfile -t ids <"$work/there"
  for id in "${ids[@]}"; do cancel node2 "$id"; done
  sleep 1
  check
  judge
  say "nothing was lost"
}

main() {
  local node fault=${1:-help}
  case $fault in
    stop | kill | pause | cut)
      shift
      [ $# -gt 0 ] || give_up "which node? one of ${NODES[*]}"
      for node in "$@"; do
        case " ${NODES[*]} " in *" $node "*) ;; *) give_up "$node is none of ${NODES[*]}" ;; esac
      done
      if [ "$fault" = cut ]; then
        [ $# -le 2 ] || give_up "cut takes one node, or two that no longer reach each other"
        fault_cut "$@"
      else
        for node in "$@"; do "fault_$fault" "$node"; done
      fi
      say "$fault $*: done; chaos.sh heal ends it"
      ;;
    heal | check | all) "$fault" ;;
    *)
      sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
      [ "$fault" = help ] || exit 2
      ;;
  esac
}

main "$@"
