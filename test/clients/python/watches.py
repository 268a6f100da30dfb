"""Watch: a generator of events that goes on by itself when the server ends a request."""

import threading
import time

from kubernetes import client, watch

from checks import check, restart, same

NAMESPACE = "default"


def play():
    core = client.CoreV1Api()

    def make(name, labels=None):
        return core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": name, "labels": labels}})

    def newest():
        return core.list_namespaced_config_map(NAMESPACE).metadata.resource_version

    def events(count, **query):
        """The first events of a watch; all of them, when it has a timeout."""
        watcher, found = watch.Watch(), []
        for event in watcher.stream(core.list_namespaced_config_map, NAMESPACE, **query):
            found.append(event)
            if len(found) == count:
                watcher.stop()
        return found

    def said(found):
        return [f"{event['type']} {event['object'].metadata.name}" for event in found]

    @check("what happens after a list, as objects of its class")
    def _():
        version = newest()
        make("a")
        core.patch_namespaced_config_map("a", NAMESPACE, {"data": {"colour": "red"}})
        core.delete_namespaced_config_map("a", NAMESPACE)
        found = events(3, resource_version=version)
        same(said(found), ["ADDED a", "MODIFIED a", "DELETED a"])
        assert isinstance(found[1]["object"], client.V1ConfigMap)
        same(found[1]["object"].data, {"colour": "red"})

    @check("a label selector; an object that leaves it is DELETED")
    def _():
        version = newest()
        make("other", {"app": "b"})
        make("mine", {"app": "a"})
        core.patch_namespaced_config_map("mine", NAMESPACE, {"metadata": {"labels": {"app": "b"}}})
        same(said(events(2, resource_version=version, label_selector="app=a")), ["ADDED mine", "DELETED mine"])

    @check("a field selector")
    def _():
        same(said(events(1, field_selector="metadata.name=mine")), ["ADDED mine"])

    @check("a watch with a timeout ends in time, with a bookmark when asked for")
    def _():
        started = time.monotonic()
        found = events(9, resource_version=newest(), timeout_seconds=1, allow_watch_bookmarks=True)
        same([event["type"] for event in found], ["BOOKMARK"])
        assert 0.5 < time.monotonic() - started < 5

    @check("a timeout of the client while nothing happens")
    def _():
        started = time.monotonic()
        try:
            events(1, resource_version=newest(), _request_timeout=1)
        except Exception as error:
            assert "timed out" in str(error), error
        assert time.monotonic() - started < 5

    @check("a watch heard by a thread while another one writes")
    def _():
        found = []
        version = newest()
        thread = threading.Thread(target=lambda: found.extend(events(50, resource_version=version)))
        thread.start()
        for number in range(50):
            make(f"many-{number}")
        thread.join(15)
        same([event["object"].metadata.name for event in found], [f"many-{number}" for number in range(50)])

    @check("goes on where it was after the server has ended in order")
    def _():
        found = []
        version = newest()
        watcher = watch.Watch()

        def hear():
            for event in watcher.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=version):
                found.append(event)
                if len(found) == 2:
                    watcher.stop()

        def hear_again():
            while len(found) < 2:
                try:
                    hear()
                except Exception:
                    # The server is not there yet; the generator begins anew where it was.
                    time.sleep(0.1)

        thread = threading.Thread(target=hear_again, daemon=True)
        thread.start()
        make("before")
        while len(found) < 1:
            time.sleep(0.01)
        version = found[0]["object"].metadata.resource_version
        restart()
        make("after")
        thread.join(15)
        same(said(found), ["ADDED before", "ADDED after"])
