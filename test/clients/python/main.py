"""Plays one part with the package kubernetes against the server of KUBECONFIG, and prints what came of it."""

import importlib
import logging
import os
import sys

from kubernetes import config

import checks

PARTS = ("core", "storage", "patches", "dynamic", "watches", "informers", "expired", "errors", "election")

part = sys.argv[1]
if part not in PARTS:
    sys.exit(f"there is no part {part}")
# The library tells of every watch that is broken off; what is wrong is told by the checks.
logging.disable(logging.CRITICAL)
config.load_kube_config()
importlib.import_module(part).play()
sys.stdout.flush()
# Threads that the library has left behind may be in the middle of a request, which an orderly end does not survive.
os._exit(1 if checks.failed else 0)
