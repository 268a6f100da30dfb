"""Objects of any kind, found by discovery: the dynamic client."""

import os
import tempfile

from kubernetes import client
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.discovery import EagerDiscoverer
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, ResourceNotFoundError

from checks import check, same

NAMESPACE = "default"


def play():
    folder = tempfile.TemporaryDirectory()
    dynamic = DynamicClient(client.ApiClient(), cache_file=os.path.join(folder.name, "discovery.json"))
    maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
    (storage,) = [group for group in dynamic.resources.api_groups if group.startswith("storage.")]

    def fails(exception, call):
        try:
            call()
        except exception as error:
            return error
        raise AssertionError(f"expected {exception.__name__}")

    @check("kinds by version and kind, by name, by short name")
    def _():
        same([maps.name, maps.namespaced], ["configmaps", True])
        same(dynamic.resources.get(api_version="v1", kind="Namespace").namespaced, False)
        assert dynamic.resources.search(short_names=["pvc"]), "expected a kind called pvc"
        same(dynamic.resources.get(api_version=f"{storage}/v1", kind="StorageClass").name, "storageclasses")
        fails(ResourceNotFoundError, lambda: dynamic.resources.get(api_version="v1", kind="Nothing"))

    @check("all kinds at once (EagerDiscoverer)")
    def _():
        cache_file = os.path.join(folder.name, "eager.json")
        eager = DynamicClient(client.ApiClient(), cache_file=cache_file, discoverer=EagerDiscoverer)
        same(eager.resources.get(kind="StorageClass", group=storage).api_version, "v1")
        volumes = eager.resources.get(api_version="v1", kind="PersistentVolume")
        assert "status" in volumes.subresources, volumes.subresources

    @check("create, get, replace, list")
    def _():
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "any"}, "data": {"a": "1"}}
        made = maps.create(body=body, namespace=NAMESPACE)
        same(made.data.to_dict(), {"a": "1"})
        same(maps.get(name="any", namespace=NAMESPACE).to_dict(), made.to_dict())
        changed = {**made.to_dict(), "data": {"a": "2"}}
        same(maps.replace(body=changed, namespace=NAMESPACE).data.a, "2")
        items = maps.get(namespace=NAMESPACE, field_selector="metadata.name=any").items
        same([item.kind for item in items], ["ConfigMap"])

    @check("a kind of a named group")
    def _():
        classes = dynamic.resources.get(api_version=f"{storage}/v1", kind="StorageClass")
        made = classes.create(body={"metadata": {"name": "any-class"}, "provisioner": "example.com/disk"})
        same([made.apiVersion, made.volumeBindingMode], [f"{storage}/v1", "Immediate"])

    @check("patch: strategic by default, merge, JSON")
    def _():
        same(maps.patch(name="any", namespace=NAMESPACE, body={"data": {"b": "1"}}).data.b, "1")
        merge = {"body": {"data": {"a": None}}, "content_type": "application/merge-patch+json"}
        same(maps.patch(name="any", namespace=NAMESPACE, **merge).data.to_dict(), {"b": "1"})
        steps = [{"op": "add", "path": "/data/c", "value": "1"}]
        got = maps.patch(name="any", namespace=NAMESPACE, body=steps, content_type="application/json-patch+json")
        same(got.data.c, "1")

    @check("server-side apply, conflict and force")
    def _():
        def apply(data, name="applied", **more):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
            return maps.server_side_apply(body=body, namespace=NAMESPACE, field_manager="dynamic", **more)

        same(apply({"a": "1"}).metadata.uid, apply({"a": "2"}).metadata.uid)
        error = fails(ConflictError, lambda: apply({"b": "9"}, "any"))
        assert "conflict" in error.summary(), error.summary()
        same(apply({"b": "9"}, "any", force_conflicts=True).data.b, "9")

    @check("a subresource")
    def _():
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/disk"}}
        volumes = dynamic.resources.get(api_version="v1", kind="PersistentVolume")
        volumes.create(body={"metadata": {"name": "disk"}, "spec": spec})
        got = volumes.status.patch(name="disk", body={"status": {"reason": "Looked"}})
        same(got.status.reason, "Looked")

    @check("watch of one object")
    def _():
        events = maps.watch(namespace=NAMESPACE, name="any", timeout=1)
        same([[event["type"], event["object"].metadata.name] for event in events], [["ADDED", "any"]])

    @check("watch that begins with what is there")
    def _():
        events = maps.watch(
            namespace=NAMESPACE,
            timeout=1,
            send_initial_events=True,
            resource_version_match="NotOlderThan",
            allow_watch_bookmarks=True,
        )
        said = [event for event in events]
        (end,) = [i for i, event in enumerate(said) if event["type"] == "BOOKMARK" and event["object"].metadata.annotations]
        same(end, len(maps.get(namespace=NAMESPACE).items))

    @check("delete, of one and by selector")
    def _():
        same(maps.delete(name="any", namespace=NAMESPACE).status, "Success")
        fails(NotFoundError, lambda: maps.get(name="any", namespace=NAMESPACE))
        maps.delete(namespace=NAMESPACE, field_selector="metadata.name=applied")
        fails(NotFoundError, lambda: maps.get(name="applied", namespace=NAMESPACE))
