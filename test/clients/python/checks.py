"""What a part is made of: checks that are told to who runs the program, one line each (see ../program.ts)."""

import json
import signal
import sys
import time
import traceback

from kubernetes.client.exceptions import ApiException

failed = False


def check(name):
    """Tries what is decorated at once, within 20 s."""

    def run(attempt):
        global failed
        signal.signal(signal.SIGALRM, _late)
        signal.alarm(20)
        try:
            attempt()
            print(f"ok {name}", flush=True)
        except Exception as error:
            failed = True
            lines = traceback.format_exception(error)
            print(f"not ok {name}: {' '.join(' '.join(lines[-4:]).split())}", flush=True)
        finally:
            signal.alarm(0)

    return run


def _late(_signal, _frame):
    raise TimeoutError("nothing has come of it in 20 s")


def restart(how="SIGTERM"):
    """Has the server ended and started again; returns when it is ready."""
    print(f"restart {how}", flush=True)
    sys.stdin.readline()


def same(got, wanted):
    assert got == wanted, f"expected {wanted!r}, got {got!r}"


def until(holds):
    """Waits until something is so; the check's own limit ends it otherwise."""
    while not holds():
        time.sleep(0.01)


def refused(call, code, reason):
    """Expects a call to be refused, and returns the Status that came with it."""
    try:
        got = call()
    except ApiException as error:
        same(error.status, code)
        status = json.loads(error.body)
        same([status["kind"], status["code"], status["reason"]], ["Status", code, reason])
        return status
    raise AssertionError(f"expected {code} {reason}, got {got!r}"[:300])
