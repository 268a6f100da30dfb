"""Runs one controller of the zoo: main.py NAME [--mended] [--kubeconfig FILE]."""

import argparse
import os

from cluster import CONFIG_MAPS, Cluster, Refused, list_and_watch, owned, zoo


def sessions(cluster, mended):
    """It keeps the name of the ConfigMap of a mailbox in memory only."""
    names = {}

    def handle(event, mailbox):
        name, uid = mailbox["metadata"]["name"], mailbox["metadata"]["uid"]
        if event == "DELETED":
            names.pop(uid, None)
            return
        data = {"address": mailbox["spec"]["address"]}
        if mended:
            names[uid] = f"{name}-session"
            if not cluster.find(f"{CONFIG_MAPS}/{names[uid]}"):
                session = owned(mailbox, "Mailbox", {"name": names[uid]}, data)
                cluster.request("POST", CONFIG_MAPS, session)
                return
        elif uid not in names:
            session = owned(mailbox, "Mailbox", {"generateName": f"{name}-session-"}, data)
            names[uid] = cluster.request("POST", CONFIG_MAPS, session)["metadata"]["name"]
            return
        cluster.request("PATCH", f"{CONFIG_MAPS}/{names[uid]}", {"data": data}, "application/merge-patch+json")

    list_and_watch(cluster, zoo("mailboxes"), handle)


def tickets(cluster, mended):
    """It takes a write without an answer for one that was not stored, and makes another ticket."""

    def handle(event, order):
        name = order["metadata"]["name"]
        if event == "DELETED":
            return
        found = cluster.request("GET", f"{CONFIG_MAPS}?labelSelector=order%3D{name}")["items"]
        if found:
            return
        metadata = {"labels": {"order": name}}
        metadata |= {"name": f"{name}-ticket"} if mended else {"generateName": f"{name}-ticket-"}
        ticket = owned(order, "Order", metadata, {"amount": str(order["spec"]["amount"])})
        for tries in range(3):
            try:
                cluster.request("POST", CONFIG_MAPS, ticket)
                return
            except OSError:
                print("no answer, try", tries, flush=True)
            except Refused as error:
                if error.reason == "AlreadyExists":
                    return
                if error.code < 500:
                    raise
        raise OSError("the server does not answer")

    list_and_watch(cluster, zoo("orders"), handle)


def mottos(cluster, mended):
    """It takes a conflict for success."""

    def handle(event, banner):
        if event == "DELETED":
            return
        path = f"{CONFIG_MAPS}/{banner['spec']['target']}"
        target = cluster.find(path)
        if not target or target.get("data", {}).get("motto") == banner["spec"]["text"]:
            return
        target["data"] = {**target.get("data", {}), "motto": banner["spec"]["text"]}
        try:
            cluster.request("PUT", path, target)
        except Refused as error:
            if mended or error.reason != "Conflict":
                raise

    list_and_watch(cluster, zoo("banners"), handle)


CONTROLLERS = {"sessions": sessions, "tickets": tickets, "mottos": mottos}


def main():
    """Runs until it is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=CONTROLLERS)
    parser.add_argument("--mended", action="store_true")
    parser.add_argument("--kubeconfig", default=os.environ.get("KUBECONFIG"))
    given = parser.parse_args()
    CONTROLLERS[given.name](Cluster(given.kubeconfig), given.mended)


if __name__ == "__main__":
    main()
