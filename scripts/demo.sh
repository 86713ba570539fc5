#!/bin/sh
# The pilot, twice: against the embedded model and against the mock, whose biases are known. Needs no key.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
rm -f build/demo.db build/demo.db-wal build/demo.db-shm build/mock.log
unset TYPESAFE_API_KEY JEVBIAS_DRIVER JEVBIAS_MODEL JEVBIAS_CATALOGUE JEVBIAS_SEED
export JEVBIAS_DB=build/demo.db

jevbias mock --port 0 --seed 2 2>build/mock.log &
mock=$!
trap 'kill "$mock" 2>/dev/null || true' EXIT INT TERM

echo "== 1. A pilot on the embedded decision model ==" >&2
jevbias run --profile pilot --driver local --name embedded-pilot
jevbias analyse --run embedded-pilot --out build/embedded-pilot.json

echo "== 2. The same pilot on the mock: two effects are injected, which three comparisons show; the rest is noise ==" >&2
address=
for _ in $(seq 100); do
  address=$(sed -n 's/.*\(http:\/\/127\.0\.0\.1:[0-9]*\).*/\1/p' build/mock.log | head -n 1)
  if [ -n "$address" ]; then break; fi
  kill -0 "$mock" 2>/dev/null || { cat build/mock.log >&2; exit 1; }
  sleep 0.1
done
TYPESAFE_BASE_URL=$address jevbias run --profile pilot --driver jev --name mock-pilot --workers 1
jevbias analyse --run mock-pilot --out build/mock-pilot.json

jevbias publish --run embedded-pilot --out build/demo.html --nav "Mock pilot=mock.html"
jevbias publish --run mock-pilot --out build/mock.html --nav "Embedded model=demo.html"
echo "Open build/demo.html and build/mock.html in a browser." >&2
