#!/usr/bin/env bash
# Makes the image of the nodes from a binary that is built outside, so that no other image is needed.
#
#   cluster/image.sh            builds a static binary, then heureka:local
#   cluster/image.sh BINARY     takes that one; it must be static
#   cluster/image.sh --demo     builds the two programs of the demo, then heureka-demo:local
#
# TAG names the image otherwise. Needs Linux, cargo (without BINARY) and docker.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
binary=${1:-}

# static WHAT…: builds it and says below which folder it is
static() {
  local host
  host=$(rustc -vV | sed -n 's/^host: //p')
  RUSTFLAGS='-C target-feature=+crt-static' CARGO_TARGET_DIR=$target \
    cargo build --release --locked --manifest-path "$root/Cargo.toml" --target "$host" "$@" >&2
  echo "$target/$host/release"
}

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

if [ "$binary" = --demo ]; then
  built=$(static --no-default-features --features client --example ping_pong)
  install -m 755 "$built/examples/ping_pong" "$context/ping_pong"
  # what cluster/Dockerfile.demo ends with
  { echo 'FROM scratch' && echo 'COPY ping_pong /usr/bin/ping_pong' && sed -n '/^USER /,$p' "$root/cluster/Dockerfile.demo"; } \
    >"$context/Dockerfile"
  docker build --quiet -t "${TAG:-heureka-demo:local}" "$context"
  exit
fi

tag=${TAG:-heureka:local}
if [ -z "$binary" ]; then
  binary=$(static)/heureka
fi

certificates=
for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem; do
  if [ -r "$file" ]; then certificates=$file && break; fi
done
[ -n "$certificates" ] || { echo "image.sh: this system has no bundle of certificates; install ca-certificates" >&2; exit 1; }

install -m 755 "$binary" "$context/heureka"
install -m 644 "$certificates" "$context/ca-certificates.crt"
image=$(docker build --quiet -f "$root/cluster/Dockerfile.binary" "$context")
if ! version=$(docker run --rm "$image" --version); then
  echo "image.sh: $binary does not run in an empty image: it is not static, or for another kind of machine" >&2
  exit 1
fi
docker tag "$image" "$tag"
echo "$tag: $version, $(docker image ls --format '{{.Size}}' "$tag")"
