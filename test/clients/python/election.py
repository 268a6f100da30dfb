"""Leader election on a Lease: two candidates, of which the second one leads when the first one has gone."""

import threading

from kubernetes import client
from kubernetes.leaderelection import electionconfig
from kubernetes.leaderelection.leaderelection import LeaderElection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

from checks import check, same, until

NAMESPACE, NAME = "default", "leader"


def play():
    leases = client.CoordinationV1Api()
    led, ended = [], []

    def candidate(identity):
        lock = LeaseLock(NAME, NAMESPACE, identity)

        def lead():
            led.append(identity)
            # The library stops renewing what an exception has ended, which is how a candidate steps down.
            until(lambda: identity in ended)
            raise RuntimeError("steps down")

        config = electionconfig.Config(
            lock, lease_duration=4, renew_deadline=3, retry_period=1, onstarted_leading=lead, onstopped_leading=None
        )
        thread = threading.Thread(target=LeaderElection(config).run, daemon=True)
        thread.start()
        return thread

    @check("the first one leads, and holds the Lease")
    def _():
        candidate("one")
        until(lambda: led == ["one"])
        spec = leases.read_namespaced_lease(NAME, NAMESPACE).spec
        same([spec.holder_identity, spec.lease_duration_seconds], ["one", 4])

    @check("the second one waits as long as the Lease is renewed")
    def _():
        candidate("two")
        # For longer than the Lease lasts once it is not renewed.
        for _ in range(5):
            before = leases.read_namespaced_lease(NAME, NAMESPACE).spec.renew_time
            until(lambda: leases.read_namespaced_lease(NAME, NAMESPACE).spec.renew_time > before)
        same(led, ["one"])

    @check("the second one leads when the first one has gone")
    def _():
        ended.append("one")
        until(lambda: led == ["one", "two"])
        same(leases.read_namespaced_lease(NAME, NAMESPACE).spec.holder_identity, "two")
