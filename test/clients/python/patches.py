"""Patches of every kind, with the typed API."""

from kubernetes import client

from checks import check, refused, same

NAME, NAMESPACE = "patched", "default"


def play():
    core = client.CoreV1Api()
    metadata = {"name": NAME, "finalizers": ["example.com/a"]}
    core.create_namespaced_config_map(NAMESPACE, {"metadata": metadata, "data": {"a": "1", "b": "1"}})

    def patch(body, kind=None, **more):
        content_type = kind and f"application/{kind}"
        return core.patch_namespaced_config_map(NAME, NAMESPACE, body, _content_type=content_type, **more)

    @check("JSON patch, which is what a list is sent as")
    def _():
        test = {"op": "test", "path": "/data/a", "value": "1"}
        same(patch([test, {"op": "replace", "path": "/data/a", "value": "2"}]).data, {"a": "2", "b": "1"})

    @check("JSON patch whose test fails")
    def _():
        refused(lambda: patch([{"op": "test", "path": "/data/a", "value": "9"}]), 422, "Invalid")

    @check("strategic merge patch, which is what an object is sent as")
    def _():
        got = patch({"metadata": {"finalizers": ["example.com/b"]}, "data": {"b": None, "c": "3"}})
        same(got.data, {"a": "2", "c": "3"})
        same(sorted(got.metadata.finalizers), ["example.com/a", "example.com/b"])

    @check("merge patch")
    def _():
        got = patch({"metadata": {"finalizers": None}, "data": {"a": "4"}}, "merge-patch+json")
        same(got.data, {"a": "4", "c": "3"})
        same(got.metadata.finalizers, None)

    def applied(data):
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME}, "data": data}

    @check("apply meets a conflict")
    def _():
        body = applied({"a": "7", "d": "5"})
        status = refused(lambda: patch(body, "apply-patch+yaml", field_manager="python"), 409, "Conflict")
        same([cause["field"] for cause in status["details"]["causes"]], [".data.a"])

    @check("apply with force takes the field")
    def _():
        got = patch(applied({"a": "7", "d": "5"}), "apply-patch+yaml", field_manager="python", force=True)
        same(got.data, {"a": "7", "c": "3", "d": "5"})
        (mine,) = [entry for entry in got.metadata.managed_fields if entry.manager == "python"]
        same([mine.operation, mine.fields_v1], ["Apply", {"f:data": {"f:a": {}, "f:d": {}}}])

    @check("apply of less takes away what was only mine")
    def _():
        got = patch(applied({"a": "7"}), "apply-patch+yaml", field_manager="python")
        same(got.data, {"a": "7", "c": "3"})

    @check("patch of a status alone")
    def _():
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/disk"}}
        core.create_persistent_volume({"metadata": {"name": "disk"}, "spec": spec})
        body = {"spec": {"storageClassName": "other"}, "status": {"reason": "Looked"}}
        got = core.patch_persistent_volume_status("disk", body)
        same([got.status.reason, got.spec.storage_class_name], ["Looked", None])

    @check("unknown fields are told as a warning, or refused")
    def _():
        answer = core.patch_namespaced_config_map_with_http_info(NAME, NAMESPACE, {"colour": "red"})
        assert "colour" in answer[2]["Warning"], answer[2]
        refused(lambda: patch({"colour": "red"}, field_validation="Strict"), 422, "Invalid")
