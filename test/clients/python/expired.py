"""What comes of a version that the server has forgotten."""

import functools
import time

from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.informer import ADDED, SharedInformer

from checks import check, refused, restart, same, until

NAMESPACE = "default"


def play():
    core = client.CoreV1Api()

    def make(name):
        return core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": name}})

    old = make("old").metadata.resource_version
    make("later")
    page = core.list_namespaced_config_map(NAMESPACE, limit=1)
    # The last version that is forgotten can still be read: the page must be of one before it.
    make("next")
    # The server of this part forgets within some seconds, and remembers nothing else when it is started again.
    time.sleep(3)
    make("last")
    restart()

    @check("a watch that begins too early is told 410, twice, and then throws")
    def _():
        try:
            for _event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, resource_version=old):
                raise AssertionError(_event)
        except ApiException as error:
            same(error.status, 410)
            assert error.reason.startswith("Expired: "), error.reason

    @check("a page of a list that is too old is told 410")
    def _():
        token = page.metadata._continue
        status = refused(lambda: core.list_namespaced_config_map(NAMESPACE, limit=1, _continue=token), 410, "Expired")
        # What is there now goes on from the same place with another token.
        rest = core.list_namespaced_config_map(NAMESPACE, _continue=status["metadata"]["continue"])
        names = [item.metadata.name for item in page.items + rest.items]
        assert {"old", "later", "next", "last"} <= set(names), names
        same(len(names), len(set(names)))

    @check("an informer that begins too early lists again")
    def _():
        lists = []

        @functools.wraps(core.list_namespaced_config_map)
        def list_maps(*args, **query):
            found = core.list_namespaced_config_map(*args, **query)
            if not query.get("watch"):
                lists.append(1)
                if len(lists) == 1:
                    found.metadata.resource_version = old
            return found

        informer = SharedInformer(list_maps, namespace=NAMESPACE)
        added = []
        informer.add_event_handler(ADDED, lambda found: added.append(found.metadata.name))
        informer.start()
        until(lambda: len(lists) == 2)
        make("after")
        until(lambda: "after" in added)
        informer.stop()
