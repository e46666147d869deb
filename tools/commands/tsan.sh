# SPDX-License-Identifier: Apache-2.0
# usage: ./dev tsan [PYTEST-ARGUMENT...]
# Runs the service's threads under ThreadSanitizer, in about ten minutes.
# First unit tests of cache, flights, metrics, limits, budgets and liborrery, then the tests of limits, attacks, hostile and ordinary requests,
# replicas and TLS, or the pytest arguments given. tests/http/conftest.py demands that the daemon reports nothing.
programs="test_api_cache test_api_flights test_api_metrics test_api_store test_budget test_server_limits test_session"
need build run unit http
targets=orrery build release || exit 1 # some tests end the optimised program too
targets="orrery $programs" build tsan || exit 1
ctest --test-dir build-tsan --output-on-failure -R "^(${programs// /|})\$" || exit 1
[ $# -gt 0 ] || set -- tests/http/test_{service,limits,hostile,attacks,recovery,refusals,replicas,metrics,access,tls}.py
ORRERY=build-tsan/orrery /usr/bin/python3 -m pytest -q -rs -p no:cacheprovider "$@"
