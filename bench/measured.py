"""Runs a command and writes seconds, CPU seconds and peak memory in KiB as JSON.

usage: measured.py RESULT COMMAND...
"""
import json
import os
import sys
import time

result, *command = sys.argv[1:]
started = time.monotonic()
pid = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(pid, 0)
seconds = time.monotonic() - started
with open(result, "w") as output:
    cpu = usage.ru_utime + usage.ru_stime
    json.dump({"seconds": seconds, "cpu": cpu, "peak": usage.ru_maxrss, "status": status}, output)
sys.exit(1 if status else 0)
