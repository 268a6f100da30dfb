"""SharedInformer: a copy of a collection that is kept, over closed connections and starts of the server."""

import functools
import time

from kubernetes import client
from kubernetes.informer import ADDED, DELETED, ERROR, MODIFIED, SharedInformer

from checks import check, restart, same, until

NAMESPACE = "default"
SELECTOR = "app=informed"


def play():
    core = client.CoreV1Api()
    lists = []

    @functools.wraps(core.list_namespaced_config_map)
    def list_maps(*args, **query):
        """Counts lists; a watch comes through here as well."""
        if not query.get("watch"):
            lists.append(1)
        return core.list_namespaced_config_map(*args, **query)

    informer = SharedInformer(list_maps, namespace=NAMESPACE, label_selector=SELECTOR)
    heard, errors = [], []
    for event in (ADDED, MODIFIED, DELETED):
        informer.add_event_handler(event, lambda found, event=event: heard.append(f"{event} {found.metadata.name}"))
    informer.add_event_handler(ERROR, errors.append)

    def make(name):
        metadata = {"name": name, "labels": {"app": "informed"}}
        return core.create_namespaced_config_map(NAMESPACE, {"metadata": metadata})

    def hears(*wanted):
        until(lambda: len(heard) >= len(wanted))
        # What would be heard twice comes soon after.
        time.sleep(0.1)
        same(heard, list(wanted))
        heard.clear()

    @check("begins with what is there")
    def _():
        make("a")
        core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "not-informed"}})
        informer.start()
        hears("ADDED a")
        same(informer.cache.get_by_key(f"{NAMESPACE}/a").metadata.name, "a")

    @check("hears what is added, changed, deleted")
    def _():
        make("b")
        core.patch_namespaced_config_map("b", NAMESPACE, {"data": {"colour": "red"}})
        core.delete_namespaced_config_map("a", NAMESPACE)
        hears("ADDED b", "MODIFIED b", "DELETED a")

    @check("goes on where it was after the server has ended in order")
    def _():
        before = len(lists)
        restart("SIGTERM")
        make("c")
        hears("ADDED c")
        same(len(lists), before)

    @check("goes on where it was after the server was killed")
    def _():
        before = len(lists)
        restart("SIGKILL")
        make("d")
        core.delete_namespaced_config_map("b", NAMESPACE)
        hears("ADDED d", "DELETED b")
        same(len(lists), before)

    @check("has the same as a list in the end")
    def _():
        def versions(items):
            return sorted(f"{item.metadata.name} {item.metadata.resource_version}" for item in items)

        wanted = versions(core.list_namespaced_config_map(NAMESPACE, label_selector=SELECTOR).items)
        same(versions(informer.cache.list()), wanted)

    @check("ends when it is stopped")
    def _():
        informer.stop()
        make("e")
        time.sleep(0.2)
        same(heard, [])
