"""The manifests of deploy/ fit the schemas of Kubernetes, one another, the image and the service."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app import __version__
from app.http.processes.server import GRACE
from app.settings import Settings
from tests.deploy.kustomization import Manifest, containers, find, read, resolve
from tests.http.service import Service

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
FOLDERS = ("base", *(f"overlays/{each.name}" for each in sorted((DEPLOY / "overlays").iterdir())))
RELEASES = ("1.30", kubernetes_validate.__version__)  # the first that knows every field used, and the newest
UNITS = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
LABELS = {"app.kubernetes.io/name": "keepdims"}


@pytest.fixture(params=FOLDERS)
def manifests(request: pytest.FixtureRequest) -> list[Manifest]:
    return resolve(DEPLOY / request.param)


@pytest.fixture
def pod(manifests: list[Manifest]) -> dict[str, Any]:
    spec: dict[str, Any] = find(manifests, "Deployment")["spec"]["template"]["spec"]
    return spec


@pytest.fixture
def container(manifests: list[Manifest]) -> dict[str, Any]:
    (only,) = containers(manifests)
    return only


def _bytes(quantity: str) -> int:
    match = re.fullmatch(r"(\d+)(\w*)", quantity)
    assert match, quantity
    return int(match[1]) * UNITS[match[2]]


def _settings(manifests: list[Manifest]) -> dict[str, str]:
    data: dict[str, str] = find(manifests, "ConfigMap", "keepdims-settings")["data"]
    return data


def _of_image(instruction: str) -> str:
    """What the last such instruction of the Dockerfile says."""
    return re.findall(rf"^{instruction} (.+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)[-1]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_of_a_folder_is_used(folder: str) -> None:
    (said,) = read(DEPLOY / folder / "kustomization.yaml")
    used = {*said["resources"], *(patch["path"] for patch in said.get("patches", []))}
    used |= {file for generator in said["configMapGenerator"] for file in generator.get("envs", [])}
    there = {file.name for file in (DEPLOY / folder).iterdir()} - {"kustomization.yaml"}
    assert {name for name in used if "/" not in name} == there


@pytest.mark.parametrize("release", RELEASES)
def test_every_manifest_fits_the_schema(manifests: list[Manifest], release: str) -> None:
    for manifest in manifests:
        kubernetes_validate.validate(manifest, release, strict=True)


def test_a_manifest_that_breaks_the_schema_would_be_found(manifests: list[Manifest]) -> None:
    find(manifests, "Service")["spec"]["port"] = 80
    with pytest.raises(kubernetes_validate.ValidationError, match="port"):
        test_every_manifest_fits_the_schema(manifests, RELEASES[-1])


def _kustomize() -> str | None:
    """Why kubectl cannot resolve a folder; None if it can."""
    if shutil.which("kubectl") is None:
        return "kubectl is not installed"
    run = subprocess.run(["kubectl", "version", "--client", "-o", "json"], capture_output=True, check=False, timeout=60)
    return None if b"kustomizeVersion" in run.stdout else "kubectl has a kustomize older than version 4"


@pytest.mark.skipif(_kustomize() is not None, reason=str(_kustomize()))
@pytest.mark.parametrize("folder", FOLDERS)
def test_kubectl_resolves_a_folder_as_these_tests_do(folder: str) -> None:
    run = subprocess.run(
        ["kubectl", "kustomize", folder], cwd=DEPLOY, capture_output=True, text=True, check=True, timeout=60
    )
    by_kubectl = yaml.safe_load_all(re.sub(r"(keepdims-settings)-\w+", r"\1", run.stdout))
    assert sorted(map(json.dumps, _sorted(list(by_kubectl)))) == sorted(
        map(json.dumps, _sorted(resolve(DEPLOY / folder)))
    )


def _sorted(value: Any) -> Any:
    """The same with the keys of every mapping in order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def test_whatever_selects_pods_selects_these(manifests: list[Manifest], pod: dict[str, Any]) -> None:
    deployment = find(manifests, "Deployment")["spec"]
    assert deployment["template"]["metadata"]["labels"] == LABELS
    selectors = [
        deployment["selector"]["matchLabels"],
        find(manifests, "Service")["spec"]["selector"],
        find(manifests, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        find(manifests, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        *(each["labelSelector"]["matchLabels"] for each in pod["topologySpreadConstraints"]),
    ]
    assert selectors == [LABELS] * len(selectors)


def test_the_autoscaler_scales_the_deployment_and_nobody_else_does(manifests: list[Manifest]) -> None:
    deployment = find(manifests, "Deployment")
    target = find(manifests, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert target == {"apiVersion": deployment["apiVersion"], "kind": "Deployment", "name": "keepdims"}
    assert "replicas" not in deployment["spec"]


def test_a_pod_may_go_without_the_service_going(manifests: list[Manifest]) -> None:
    budget = find(manifests, "PodDisruptionBudget")["spec"]["maxUnavailable"]
    assert budget < find(manifests, "HorizontalPodAutoscaler")["spec"]["minReplicas"]


def test_the_port_is_that_of_the_image_everywhere(manifests: list[Manifest], container: dict[str, Any]) -> None:
    assert container["ports"] == [{"name": "http", "containerPort": int(_of_image("EXPOSE"))}]
    assert [port["targetPort"] for port in find(manifests, "Service")["spec"]["ports"]] == ["http"]
    policy = find(manifests, "NetworkPolicy")["spec"]
    assert policy["ingress"] == [{"ports": [{"port": "http"}]}]
    probes = [probe for name, probe in container.items() if name.endswith("Probe")]
    assert [probe["httpGet"]["port"] for probe in probes] == ["http"] * 3


def test_nothing_goes_out(manifests: list[Manifest]) -> None:
    policy = find(manifests, "NetworkPolicy")["spec"]
    assert "Egress" in policy["policyTypes"]
    assert policy["egress"] == []


def test_the_probes_are_answered_also_where_keys_are_asked_for(container: dict[str, Any]) -> None:
    service = Service(api_keys="key")
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert service.get(container[probe]["httpGet"]["path"]).status_code == 200


def test_settings_that_are_set_exist_and_make_sense(
    manifests: list[Manifest], container: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {f"KEEPDIMS_{name.upper()}" for name in Settings.model_fields}
    own = {each["name"] for each in container["env"]}
    assert known >= own | _settings(manifests).keys()
    for name, value in _settings(manifests).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("KEEPDIMS_API_KEYS_FILE", raising=False)  # is not here
    Settings()


def test_requests_may_hold_the_half_of_the_memory(
    manifests: list[Manifest], container: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = _bytes(container["resources"]["limits"]["memory"])
    monkeypatch.setattr("app.settings.usable_memory", lambda: limit)
    for name, value in _settings(manifests).items():
        if name != "KEEPDIMS_API_KEYS_FILE":
            monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.max_inflight_bytes * settings.workers == limit // 2
    assert settings.max_body_bytes < settings.max_inflight_bytes
    assert container["resources"]["requests"]["memory"] == container["resources"]["limits"]["memory"]


def test_requests_in_flight_have_their_time_to_finish(pod: dict[str, Any], container: dict[str, Any]) -> None:
    sleep = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert 0 < sleep < pod["terminationGracePeriodSeconds"] - GRACE


def test_the_pod_has_the_user_of_the_image_and_no_privileges(pod: dict[str, Any], container: dict[str, Any]) -> None:
    user, group = map(int, _of_image("USER").split(":"))
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": group,
        "fsGroup": group,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["automountServiceAccountToken"] is False


def test_the_environment_has_no_port_from_kubernetes(manifests: list[Manifest], pod: dict[str, Any]) -> None:
    assert find(manifests, "Service")["metadata"]["name"].upper() + "_PORT" == "KEEPDIMS_PORT"
    assert pod["enableServiceLinks"] is False


def test_volumes_are_mounted_and_the_keys_are_where_the_setting_says(
    manifests: list[Manifest], pod: dict[str, Any], container: dict[str, Any]
) -> None:
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert mounts.keys() == volumes.keys()
    assert mounts["scratch"] == "/tmp"
    assert volumes["keys"]["secret"]["optional"] is True
    made = re.search(r"secret generic (\S+) .*--from-file=(\w+)", (DEPLOY / "README.md").read_text(encoding="utf-8"))
    assert made is not None
    assert volumes["keys"]["secret"]["secretName"] == made[1]
    assert (
        _settings(manifests).get("KEEPDIMS_API_KEYS_FILE", f"{mounts['keys']}/{made[2]}")
        == f"{mounts['keys']}/{made[2]}"
    )


def test_the_image_is_of_this_version(manifests: list[Manifest], container: dict[str, Any]) -> None:
    assert container["image"].endswith(f"keepdims:{__version__}")
    assert containers(resolve(DEPLOY / "base"))[0]["image"] == f"keepdims:{__version__}"
