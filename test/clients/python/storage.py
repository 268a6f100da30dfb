"""The typed API for the groups whose names the library knows."""

from datetime import datetime, timezone

from kubernetes import client

from checks import check, refused, same

NAMESPACE = "default"


def play():
    storage = client.StorageV1Api()

    @check("StorageClass, from create to delete")
    def _():
        body = client.V1StorageClass(
            metadata={"name": "fast"}, provisioner="example.com/disk", parameters={"kind": "ssd"}
        )
        made = storage.create_storage_class(body)
        same([made.reclaim_policy, made.volume_binding_mode], ["Delete", "Immediate"])
        made.allow_volume_expansion = True
        same(storage.replace_storage_class("fast", made).allow_volume_expansion, True)
        same(len(storage.list_storage_class().items), 1)
        same(storage.delete_storage_class("fast").metadata.name, "fast")
        refused(lambda: storage.read_storage_class("fast"), 404, "NotFound")

    @check("CSIDriver, CSINode and VolumeAttachment")
    def _():
        name = "disk.example.com"
        driver = storage.create_csi_driver(
            client.V1CSIDriver(metadata={"name": name}, spec=client.V1CSIDriverSpec())
        )
        same(driver.spec.attach_required, True)
        drivers = [client.V1CSINodeDriver(name=name, node_id="a", allocatable={"count": 3})]
        storage.create_csi_node(
            client.V1CSINode(metadata={"name": "node-a"}, spec=client.V1CSINodeSpec(drivers=drivers))
        )
        spec = client.V1VolumeAttachmentSpec(
            attacher=name, node_name="node-a", source={"persistentVolumeName": "disk"}
        )
        made = storage.create_volume_attachment(client.V1VolumeAttachment(metadata={"name": "attached"}, spec=spec))
        made.status = client.V1VolumeAttachmentStatus(attached=True)
        storage.replace_volume_attachment_status("attached", made)
        same(storage.read_volume_attachment("attached").status.attached, True)

    @check("VolumeAttributesClass and CSIStorageCapacity")
    def _():
        gold = {"metadata": {"name": "gold"}, "driverName": "disk.example.com", "parameters": {"iops": "1000"}}
        same(storage.create_volume_attributes_class(gold).parameters, {"iops": "1000"})
        room = {"metadata": {"name": "room"}, "storageClassName": "fast", "capacity": "10Gi"}
        same(storage.create_namespaced_csi_storage_capacity(NAMESPACE, room).capacity, "10Gi")

    @check("Lease, its times to the microsecond")
    def _():
        leases = client.CoordinationV1Api()
        renewed = datetime(2030, 1, 2, 3, 4, 5, 678901, timezone.utc)
        spec = client.V1LeaseSpec(holder_identity="a", lease_duration_seconds=15, renew_time=renewed)
        made = leases.create_namespaced_lease(NAMESPACE, client.V1Lease(metadata={"name": "lock"}, spec=spec))
        same(made.spec.renew_time, renewed)
        made.spec.holder_identity = "b"
        same(leases.replace_namespaced_lease("lock", NAMESPACE, made).spec.holder_identity, "b")
        # Who comes later with what it has read before loses.
        refused(lambda: leases.replace_namespaced_lease("lock", NAMESPACE, made), 409, "Conflict")

    @check("Event of events.k8s.io")
    def _():
        event = client.EventsV1Event(
            metadata={"name": "done.1"},
            event_time=datetime.now(timezone.utc),
            reporting_controller="example.com/worker",
            reporting_instance="worker-1",
            action="Work",
            reason="Done",
            type="Normal",
            regarding={"kind": "ConfigMap", "namespace": NAMESPACE, "name": "settings"},
        )
        client.EventsV1Api().create_namespaced_event(NAMESPACE, event)
        same(client.CoreV1Api().read_namespaced_event("done.1", NAMESPACE).involved_object.name, "settings")

    @check("may I, and who am I")
    def _():
        attributes = client.V1ResourceAttributes(verb="create", resource="configmaps", namespace=NAMESPACE)
        review = client.V1SelfSubjectAccessReview(spec={"resourceAttributes": attributes.to_dict(serialize=True)})
        same(client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed, True)
        me = client.AuthenticationV1Api().create_self_subject_review(client.V1SelfSubjectReview())
        assert me.status.user_info.username

    @check("the groups that are served")
    def _():
        names = {group.name for group in client.ApisApi().get_api_versions().groups}
        assert {"storage.k8s.io", "coordination.k8s.io", "events.k8s.io"} <= names, names
        same("configmaps" in {one.name for one in client.CoreV1Api().get_api_resources().resources}, True)
