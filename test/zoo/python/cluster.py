"""A client of the API over the standard library: requests, and a list that is followed by a watch."""

import base64
import http.client
import json
import os
import ssl
import tempfile
import time
import urllib.error
import urllib.request

GROUP = "zoo.example.com/v1"


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, code, reason):
        super().__init__(f"{code} {reason}")
        self.code = code
        self.reason = reason


class Cluster:
    """The cluster of a kubeconfig, with the certificate of its user."""

    def __init__(self, kubeconfig):
        values = {}
        with open(kubeconfig, encoding="utf-8") as file:
            for line in file:
                key, colon, value = line.strip().removeprefix("- ").partition(": ")
                if colon:
                    values.setdefault(key, value.strip('"'))
        self.server = values["server"]
        self.token = values.get("token")
        pem = base64.b64decode(values["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=pem)
        if "client-certificate-data" in values:
            with tempfile.TemporaryDirectory() as folder:
                cert, key = os.path.join(folder, "cert"), os.path.join(folder, "key")
                for name, path in (("client-certificate-data", cert), ("client-key-data", key)):
                    with open(path, "wb") as file:
                        file.write(base64.b64decode(values[name]))
                self.context.load_cert_chain(cert, key)

    def open(self, method, path, body=None, content="application/json", timeout=10):
        """Sends a request. Raises Refused for an error of the server, and OSError where no answer comes."""
        headers = {"Accept": "application/json", "Content-Type": content}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data=data, headers=headers, method=method)
        try:
            return urllib.request.urlopen(request, context=self.context, timeout=timeout)
        except urllib.error.HTTPError as error:
            with error:
                try:
                    reason = json.load(error).get("reason")
                except ValueError:
                    reason = None
            raise Refused(error.code, reason) from None

    def request(self, method, path, body=None, content="application/json"):
        """Sends a request and returns the object of the answer."""
        with self.open(method, path, body, content) as answer:
            return json.load(answer)

    def find(self, path):
        """Returns an object, or None."""
        try:
            return self.request("GET", path)
        except Refused as error:
            if error.code != 404:
                raise
            return None


def list_and_watch(cluster, path, handle):
    """Calls handle for each object of a list and each change, and begins again after an error."""
    while True:
        try:
            found = cluster.request("GET", path)
            for one in found["items"]:
                handle("ADDED", one)
            version = found["metadata"]["resourceVersion"]
            with cluster.open("GET", f"{path}?watch=true&resourceVersion={version}", timeout=3600) as events:
                for line in events:
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        break
                    handle(event["type"], event["object"])
        except (OSError, ValueError, http.client.HTTPException, Refused) as error:
            print("begins again:", error, flush=True)
        time.sleep(0.2)


def zoo(plural):
    """The path of a kind of the zoo."""
    return f"/apis/{GROUP}/namespaces/default/{plural}"


CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def owned(owner, kind, metadata, data):
    """A ConfigMap that belongs to an object."""
    reference = {
        "apiVersion": GROUP,
        "kind": kind,
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**metadata, "ownerReferences": [reference]},
        "data": data,
    }
