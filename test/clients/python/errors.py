"""What the library throws, and the Status in it."""

import json
import os

from kubernetes import client
from kubernetes.client.exceptions import (
    ConflictException,
    NotFoundException,
    UnauthorizedException,
    UnprocessableEntityException,
)

from checks import check, refused, same

NAMESPACE = "default"


def play():
    core = client.CoreV1Api()

    def make(name, namespace=NAMESPACE):
        return core.create_namespaced_config_map(namespace, {"metadata": {"name": name}})

    def thrown(exception, call):
        try:
            call()
        except exception as error:
            return error
        raise AssertionError(f"expected {exception.__name__}")

    @check("404 NotFound names the object")
    def _():
        error = thrown(NotFoundException, lambda: core.read_namespaced_config_map("no", NAMESPACE))
        status = json.loads(error.body)
        same(status["details"], {"name": "no", "kind": "configmaps"})
        same(status["message"], 'configmaps "no" not found')
        assert error.headers["Audit-Id"]

    @check("409 AlreadyExists")
    def _():
        make("twice")
        thrown(ConflictException, lambda: make("twice"))
        refused(lambda: make("twice"), 409, "AlreadyExists")

    @check("409 Conflict of versions")
    def _():
        body = core.read_namespaced_config_map("twice", NAMESPACE)
        body.data = {"a": "1"}
        core.replace_namespaced_config_map("twice", NAMESPACE, body)
        refused(lambda: core.replace_namespaced_config_map("twice", NAMESPACE, body), 409, "Conflict")

    @check("422 Invalid names the fields")
    def _():
        thrown(UnprocessableEntityException, lambda: make("Not A Name"))
        status = refused(lambda: make("Not A Name"), 422, "Invalid")
        same([cause["field"] for cause in status["details"]["causes"]], ["metadata.name"])

    if os.environ["DIALECT"] == "kubernetes":

        @check("404 in a namespace that is not there")
        def _():
            same(refused(lambda: make("a", "none"), 404, "NotFound")["details"]["kind"], "namespaces")

    @check("400 for a selector that is none")
    def _():
        refused(lambda: core.list_namespaced_config_map(NAMESPACE, label_selector="a in ("), 400, "BadRequest")

    @check("401 for a wrong token")
    def _():
        configuration = client.Configuration.get_default_copy()
        configuration.api_key = {"authorization": "Bearer wrong"}
        configuration.cert_file = configuration.key_file = None
        other = client.CoreV1Api(client.ApiClient(configuration))
        thrown(UnauthorizedException, other.list_namespace)
