"""The typed API for the core group."""

import base64
import os
from datetime import datetime, timezone

from kubernetes import client, utils

from checks import check, same, until

NAMESPACE = "default"


def config_map(name, data=None, labels=None):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=labels), data=data)


def play():
    core = client.CoreV1Api()

    @check("the version is asked for")
    def _():
        assert client.VersionApi().get_code().git_version.startswith("v1.")

    @check("ConfigMap, from create to delete")
    def _():
        made = core.create_namespaced_config_map(NAMESPACE, config_map("settings", {"colour": "red"}, {"app": "a"}))
        assert isinstance(made.metadata.creation_timestamp, datetime)
        same(made.metadata.managed_fields[0].operation, "Update")
        made.data["colour"] = "blue"
        replaced = core.replace_namespaced_config_map("settings", NAMESPACE, made)
        assert replaced.metadata.resource_version != made.metadata.resource_version
        same(core.read_namespaced_config_map("settings", NAMESPACE).to_dict(), replaced.to_dict())
        items = core.list_namespaced_config_map(NAMESPACE, label_selector="app=a").items
        same([item.data for item in items], [{"colour": "blue"}])
        same(core.delete_namespaced_config_map("settings", NAMESPACE)["status"], "Success")

    @check("Secret with bytes")
    def _():
        word = base64.b64encode(b"\x00\x01\xff").decode()
        secret = client.V1Secret(metadata={"name": "key"}, data={"bytes": word}, string_data={"word": "open"})
        made = core.create_namespaced_secret(NAMESPACE, secret)
        same(made.data, {"bytes": word, "word": base64.b64encode(b"open").decode()})
        same(made.type, "Opaque")

    @check("PersistentVolume and PersistentVolumeClaim with status")
    def _():
        spec = client.V1PersistentVolumeSpec(
            capacity={"storage": "1Gi"},
            access_modes=["ReadWriteOnce"],
            host_path=client.V1HostPathVolumeSource(path="/disk"),
        )
        made = core.create_persistent_volume(client.V1PersistentVolume(metadata={"name": "disk"}, spec=spec))
        same(made.spec.persistent_volume_reclaim_policy, "Retain")
        same(utils.parse_quantity(made.spec.capacity["storage"]), 2**30)
        claim = client.V1PersistentVolumeClaim(
            metadata={"name": "claim"},
            spec=client.V1PersistentVolumeClaimSpec(
                access_modes=["ReadWriteOnce"],
                storage_class_name="",
                resources=client.V1VolumeResourceRequirements(requests={"storage": "1Gi"}),
            ),
        )
        made = core.create_namespaced_persistent_volume_claim(NAMESPACE, claim)
        same(made.spec.volume_mode, "Filesystem")
        made.status = client.V1PersistentVolumeClaimStatus(phase="Lost")
        core.replace_namespaced_persistent_volume_claim_status("claim", NAMESPACE, made)
        same(core.read_namespaced_persistent_volume_claim("claim", NAMESPACE).status.phase, "Lost")
        same(core.delete_persistent_volume("disk").metadata.name, "disk")

    @check("Namespace goes with all that is in it")
    def _():
        core.create_namespace(client.V1Namespace(metadata={"name": "shop"}))
        core.create_namespaced_config_map("shop", config_map("inside"))
        deleted = core.delete_namespace("shop")
        if os.environ["DIALECT"] == "kubernetes":
            same(deleted["status"]["phase"], "Terminating")
        until(lambda: core.list_namespace(field_selector="metadata.name=shop").items == [])
        same(core.list_namespaced_config_map("shop").items, [])

    @check("ServiceAccount and a token of it")
    def _():
        core.create_namespaced_service_account(NAMESPACE, client.V1ServiceAccount(metadata={"name": "robot"}))
        spec = client.V1TokenRequestSpec(audiences=["example.com"], expiration_seconds=3600)
        request = client.AuthenticationV1TokenRequest(spec=spec)
        status = core.create_namespaced_service_account_token("robot", NAMESPACE, request).status
        same(len(status.token.split(".")), 3)
        left = (status.expiration_timestamp - datetime.now(timezone.utc)).total_seconds()
        assert 3500 < left <= 3600, left

    @check("Event of the core group")
    def _():
        now = datetime.now(timezone.utc)
        event = client.CoreV1Event(
            metadata={"generateName": "settings."},
            involved_object=client.V1ObjectReference(kind="ConfigMap", namespace=NAMESPACE, name="settings"),
            reason="Changed",
            message="It has changed.",
            type="Normal",
            first_timestamp=now,
            last_timestamp=now,
            count=1,
        )
        made = core.create_namespaced_event(NAMESPACE, event)
        items = core.list_namespaced_event(NAMESPACE, field_selector="involvedObject.name=settings").items
        same([item.metadata.name for item in items], [made.metadata.name])

    @check("a list in pages")
    def _():
        for number in range(5):
            core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{number}", labels={"list": "l"}))
        sizes, names, token = [], [], None
        while token != "":
            page = core.list_namespaced_config_map(NAMESPACE, label_selector="list=l", limit=2, _continue=token)
            sizes.append(len(page.items))
            names += [item.metadata.name for item in page.items]
            token = page.metadata._continue or ""
        same(sizes, [2, 2, 1])
        same(names, [f"page-{number}" for number in range(5)])

    @check("a collection is deleted by selector")
    def _():
        core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="list=l")
        same(core.list_namespaced_config_map(NAMESPACE, label_selector="list=l").items, [])

    @check("a dry run keeps nothing")
    def _():
        assert core.create_namespaced_config_map(NAMESPACE, config_map("dry"), dry_run="All").metadata.uid
        same(core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name=dry").items, [])

    @check("objects of a file of YAML (utils.create_from_dict)")
    def _():
        manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "file"}, "data": {"a": "1"}}
        (made,) = utils.create_from_dict(client.ApiClient(), manifest)
        same(made.data, {"a": "1"})
