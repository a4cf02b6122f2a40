"""Write `kubernetes.schema.json`, the schema for tests of the manifests in `deploy/kubernetes`.

It has the definitions of the used kinds, without descriptions. They come from the package
kubernetes-validate, whose 108 MB cover all versions. In a virtual environment with it:

python -m tests.deploy.kubernetes_schema v1.37.0
"""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).with_name("kubernetes.schema.json")

KINDS = {
    "Namespace": "io.k8s.api.core.v1.Namespace",
    "Service": "io.k8s.api.core.v1.Service",
    "PersistentVolumeClaim": "io.k8s.api.core.v1.PersistentVolumeClaim",
    "StatefulSet": "io.k8s.api.apps.v1.StatefulSet",
    "Deployment": "io.k8s.api.apps.v1.Deployment",
    "PodDisruptionBudget": "io.k8s.api.policy.v1.PodDisruptionBudget",
    "HorizontalPodAutoscaler": "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
    "Ingress": "io.k8s.api.networking.v1.Ingress",
    "NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
    "CronJob": "io.k8s.api.batch.v1.CronJob",
}
"""The kinds' definitions."""


def needed(definitions: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = list(KINDS.values())
    while names:
        name = names.pop()
        if name not in found:
            found[name] = _without_words(definitions[name])
            names += re.findall(r'"#/\$defs/([^"]+)"', json.dumps(found[name]))
    return dict(sorted(found.items()))


def _without_words(schema: Any, *, names: bool = False) -> Any:
    """Return a schema without descriptions and Kubernetes-specific keys.

    Args:
        names: whether its keys are names of fields.
    """
    if isinstance(schema, list):
        return [_without_words(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_words(value, names=key == "properties")
        for key, value in schema.items()
        if names or not (key == "description" or key.startswith("x-kubernetes-"))
    }


def main(version: str) -> None:
    folder = files("kubernetes_validate") / "kubernetes-json-schema" / f"{version}-local-strict"
    found = json.loads((folder / "_definitions.json").read_text())
    lines = [
        f"{json.dumps(name)}: {json.dumps(schema, sort_keys=True, separators=(',', ':'))}"
        for name, schema in needed(found["$defs"]).items()
    ]
    body = ",\n".join(lines)
    head = f'"$schema": {json.dumps(found["$schema"])}, "$comment": "Kubernetes {version}"'
    SCHEMA.write_text(f'{{{head}, "$defs": {{\n{body}\n}}}}\n')


if __name__ == "__main__":
    main(sys.argv[1])
