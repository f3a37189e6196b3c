#!/bin/sh
# Makes a Python environment for programs compared with: make-env.sh REQUIREMENTS DIR
# PYTHON names the interpreter, LIMIT the seconds that the installation may take. Where the
# packages come from is up to pip's own configuration.
set -eu

wanted=${1:?usage: make-env.sh REQUIREMENTS DIR}
env=${2:?usage: make-env.sh REQUIREMENTS DIR}
python=${PYTHON:-python3}
limit=${LIMIT:-900}

fail() {
  echo "make-env.sh: $1" >&2
  exit 1
}

cmp -s "$wanted" "$env/installed.txt" && exit 0

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$python is not there or older than Python 3.11"
"$python" -m venv "$env" ||
  fail "$python cannot make environments (on Debian the package python3-venv lets it)"
timeout "$limit" "$env/bin/python" -m pip install --quiet --disable-pip-version-check \
  --timeout 20 --retries 1 --requirement "$wanted" || {
  [ $? -eq 124 ] && fail "pip took more than $limit s; LIMIT sets how long it may"
  fail "pip could not install $wanted; the lines above say why, most often that no package index can be reached"
}
cp "$wanted" "$env/installed.txt"
