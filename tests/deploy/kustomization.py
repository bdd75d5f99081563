"""What `kubectl kustomize` makes of the few features that deploy/ uses; a test compares the two where kubectl is."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

Manifest = dict[str, Any]

KNOWN = {"apiVersion", "kind", "namespace", "resources", "images", "configMapGenerator", "patches"}
CLUSTER_WIDE = {"Namespace"}


def resolve(folder: Path) -> list[Manifest]:
    """The manifests of a folder. The names of generated config maps lack the hash of their content, which kustomize
    appends wherever they are named. ValueError for what is not known here; KeyError for a patch without a target."""
    (said,) = read(folder / "kustomization.yaml")
    if unknown := said.keys() - KNOWN:
        raise ValueError(f"{folder} uses {sorted(unknown)}")
    manifests = [each for name in said["resources"] for each in _resource(folder / name)]
    for generator in said.get("configMapGenerator", []):
        _generate(manifests, generator, folder)
    for patch in said.get("patches", []):
        (change,) = read(folder / patch["path"])
        target = find(manifests, change["kind"], change["metadata"]["name"])
        manifests[manifests.index(target)] = merged(target, change)
    for image in said.get("images", []):
        _rename(manifests, image)
    for manifest in manifests:
        if "namespace" in said and manifest["kind"] not in CLUSTER_WIDE:
            manifest["metadata"]["namespace"] = said["namespace"]
    return manifests


def read(file: Path) -> list[Manifest]:
    return list(yaml.safe_load_all(file.read_text(encoding="utf-8")))


def find(manifests: list[Manifest], kind: str, name: str = "keepdims") -> Manifest:
    """The one of a kind and name; KeyError if there is none, or several."""
    found = [each for each in manifests if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    if len(found) != 1:
        raise KeyError(f"{len(found)} of {kind} {name}")
    return found[0]


def containers(manifests: list[Manifest]) -> list[Manifest]:
    return [
        container
        for manifest in manifests
        if manifest["kind"] == "Deployment"
        for container in manifest["spec"]["template"]["spec"]["containers"]
    ]


def merged(target: Any, change: Any) -> Any:
    """A strategic merge: mappings key by key, lists of what has a name by their names, anything else replaced."""
    if isinstance(target, dict) and isinstance(change, dict):
        return target | {key: merged(target.get(key), value) for key, value in change.items()}
    if isinstance(target, list) and isinstance(change, list) and all("name" in each for each in target + change):
        changes = {each["name"]: each for each in change}
        kept = [merged(each, changes.pop(each["name"], {})) for each in target]
        return kept + list(changes.values())
    return deepcopy(change)


def _resource(path: Path) -> list[Manifest]:
    return resolve(path) if path.is_dir() else read(path)


def _generate(manifests: list[Manifest], generator: dict[str, Any], folder: Path) -> None:
    lines = [
        *generator.get("literals", []),
        *(line for file in generator.get("envs", []) for line in _env(folder / file)),
    ]
    data = dict(line.split("=", 1) for line in lines)
    if generator.get("behavior") == "merge":
        find(manifests, "ConfigMap", generator["name"])["data"] |= data
    else:
        metadata = {"name": generator["name"]}
        manifests.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})


def _env(file: Path) -> Iterator[str]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def _rename(manifests: list[Manifest], image: dict[str, str]) -> None:
    for container in containers(manifests):
        name, _, tag = container["image"].partition(":")
        if name == image["name"]:
            container["image"] = f"{image.get('newName', name)}:{image.get('newTag', tag)}"
