"""A session with the Python client: typed objects, patches, watches, custom objects, server-side apply.

Argument: a kubeconfig. Prints one line of JSON a step.
"""

import json
import sys

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException


def say(step, **what):
    print(json.dumps({"step": step, **what}, sort_keys=True), flush=True)


def main():
    config.load_kube_config(sys.argv[1])
    core, apps, custom = client.CoreV1Api(), client.AppsV1Api(), client.CustomObjectsApi()
    space = "default"

    say("version", minor=client.VersionApi().get_code().minor)
    made = core.create_namespaced_config_map(
        space, {"metadata": {"name": "py", "labels": {"by": "py"}}, "data": {"a": "1"}}
    )
    say("created", data=made.data, has_uid=bool(made.metadata.uid))
    stale = made.metadata.resource_version
    core.patch_namespaced_config_map("py", space, {"data": {"b": "2"}})
    say("patched", data=core.read_namespaced_config_map("py", space).data)
    try:
        core.replace_namespaced_config_map(
            "py", space, {"metadata": {"name": "py", "resourceVersion": stale}}
        )
    except ApiException as error:
        say("conflict", status=error.status, reason=json.loads(error.body)["reason"])
    first = core.list_namespaced_config_map(space, limit=1)
    rest = core.list_namespaced_config_map(space, limit=5, _continue=first.metadata._continue)
    say("pages", first=len(first.items), rest=len(rest.items))

    deployment = {
        "metadata": {"name": "py"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "py"}},
            "template": {
                "metadata": {"labels": {"app": "py"}},
                "spec": {"containers": [{"name": "c", "image": "nginx"}]},
            },
        },
    }
    apps.create_namespaced_deployment(space, deployment)
    follower = watch.Watch()
    for event in follower.stream(apps.list_namespaced_deployment, space, timeout_seconds=60):
        if event["object"].status.ready_replicas == 2:
            follower.stop()
    say("ready", replicas=2)
    scale = apps.patch_namespaced_deployment_scale("py", space, {"spec": {"replicas": 1}})
    say("scaled", replicas=scale.spec.replicas)

    dynamic_client = dynamic.DynamicClient(client.ApiClient())
    maps = dynamic_client.resources.get(api_version="v1", kind="ConfigMap")
    applied = dynamic_client.server_side_apply(
        maps,
        namespace=space,
        name="py",
        field_manager="python",
        force_conflicts=True,
        body={
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "py"},
            "data": {"a": "3"},
        },
    )
    say("applied", data=applied.data.to_dict())

    client.ApiextensionsV1Api().create_custom_resource_definition(
        {
            "metadata": {"name": "things.shop.example.com"},
            "spec": {
                "group": "shop.example.com",
                "scope": "Namespaced",
                "names": {"plural": "things", "kind": "Thing"},
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {
                            "openAPIV3Schema": {
                                "type": "object",
                                "properties": {
                                    "spec": {
                                        "type": "object",
                                        "properties": {"size": {"type": "integer", "maximum": 9}},
                                    }
                                },
                            }
                        },
                    }
                ],
            },
        }
    )
    things = ("shop.example.com", "v1", space, "things")
    for event in watch.Watch().stream(
        client.ApiextensionsV1Api().list_custom_resource_definition, timeout_seconds=60
    ):
        conditions = event["object"].status.conditions or []
        if any(c.type == "Established" and c.status == "True" for c in conditions):
            break
    thing = {
        "apiVersion": "shop.example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "one"},
        "spec": {"size": 2},
    }
    say("custom", spec=custom.create_namespaced_custom_object(*things, thing)["spec"])
    try:
        custom.patch_namespaced_custom_object(*things, "one", {"spec": {"size": 99}})
    except ApiException as error:
        say("refused", status=error.status, reason=json.loads(error.body)["reason"])
    listed = custom.list_namespaced_custom_object(*things)
    say("listed", kind=listed["kind"], count=len(listed["items"]))
    core.delete_collection_namespaced_config_map(space, label_selector="by=py")
    left = core.list_namespaced_config_map(space, label_selector="by=py").items
    say("deleted", left=len(left))


main()
