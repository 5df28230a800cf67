"""Watches a ConfigMap with the official client, and reconciles one with kopf."""
import threading

import kopf
from kopf.testing import KopfRunner
from kubernetes import client, config, watch

config.load_kube_config()
core = client.CoreV1Api()
seen = []


def follow():
    for event in watch.Watch().stream(core.list_namespaced_config_map, "default", timeout_seconds=30):
        if event["object"].metadata.name != "python":
            continue
        seen.append(event["type"])
        if event["type"] == "DELETED":
            return


follower = threading.Thread(target=follow, daemon=True)
follower.start()
handled = threading.Event()


@kopf.on.create("configmaps", labels={"kopf": "yes"})
def created(**_):
    handled.set()


registry = kopf.get_default_registry()
with KopfRunner(["run", "--standalone", "-n", "default"], registry=registry):
    body = {"metadata": {"name": "python", "labels": {"kopf": "yes"}}}
    core.create_namespaced_config_map("default", body)
    assert handled.wait(30), "kopf did not call the handler"
    core.delete_namespaced_config_map("python", "default")
    follower.join(30)
assert seen[0] == "ADDED" and seen[-1] == "DELETED", seen
