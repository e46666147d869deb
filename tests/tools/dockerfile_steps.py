#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dockerfile_steps.py DOCKERFILE: the RUN and COPY lines as shell commands for one root file system that has this
repository in /src, then its command as its user, until /healthz answers. `./dev portability dockerfile` runs them: no
container engine is needed."""
import json
import re
import shlex
import sys

words, user = {}, "root"
for line in re.sub(r"\\\n", " ", open(sys.argv[1]).read()).splitlines():
    word, _, rest = line.partition(" ")
    if word == "RUN":
        print(f"({rest.strip()})")
    elif word == "COPY" and rest.startswith("--from=build"):
        source, target = rest.split()[1:3]
        print(f"cp -a {source} {target}")
    elif word == "USER":
        user = rest.strip()
    elif word in ("ENTRYPOINT", "CMD"):
        words[word] = json.loads(rest)
command = shlex.join(words.get("ENTRYPOINT", []) + words.get("CMD", []))
print(
    f"""(cd /var/lib/orrery; exec setpriv --reuid={user} --regid={user} --clear-groups {command}) & service=$!
for _ in $(seq 30); do curl -fsS http://127.0.0.1:8080/healthz && break; sleep 1; done
curl -fsS http://127.0.0.1:8080/healthz && kill -TERM $service && wait $service
echo 'ok: the steps of the Dockerfile, and its command'"""
)
