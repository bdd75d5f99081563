"""What docker compose --profile observe draws is what the service tells."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from app.settings import Settings
from tests.http.service import BODY, Service

ROOT = Path(__file__).parent.parent.parent
OBSERVE = ROOT / "deploy/observe"
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
DASHBOARD = json.loads((OBSERVE / "dashboards/keepdims.json").read_text(encoding="utf-8"))
PANELS: dict[str, dict[str, Any]] = {panel["title"]: panel for panel in DASHBOARD["panels"]}
EXPRESSIONS = {title: [target["expr"] for target in panel["targets"]] for title, panel in PANELS.items()}
WIDTH, HEIGHT = 24, 22
"""Of a screen of 1920 by 1080, less what the browser and Grafana have of it, in units of the grid: 38 pixels a row."""


def _read(name: str) -> dict[str, Any]:
    said: dict[str, Any] = yaml.safe_load((OBSERVE / name).read_text(encoding="utf-8"))
    return said


def _parsed(expression: str) -> promql_parser.Expr:
    for variable, value in {"$__rate_interval": "20s", "$__range": "15m", "$operator": ".*"}.items():
        expression = expression.replace(variable, value)
    return promql_parser.parse(expression)


@pytest.fixture(scope="module")
def told() -> dict[str, set[str]]:
    """The series at /metrics after a request that went well and one that did not, each with its labels."""
    service = Service()
    assert service.post("/v12/reduce_min", BODY).status_code == 200
    assert service.post("/v12/reduce_min", {}).status_code == 422
    families = text_string_to_metric_families(service.get("/metrics").text)
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}


def _family(series: str) -> str:
    return re.sub("_(bucket|sum|count)$", "", series)


def _uses(expression: promql_parser.Expr) -> Iterator[tuple[str, set[str]]]:
    """Each series that an expression asks for, with the labels it is picked by."""
    selectors: list[promql_parser.VectorSelector] = []

    def visit(node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.MatrixSelector):
            node = node.vector_selector
        if isinstance(node, promql_parser.VectorSelector):
            selectors.append(node)

    promql_parser.walk(expression, visit)
    for selector in selectors:
        assert selector.name is not None
        yield selector.name, {matcher.name for matcher in selector.matchers.matchers}


def _groups(expression: promql_parser.Expr) -> set[str]:
    """The labels that an expression sums by."""
    labels: set[str] = set()

    def visit(node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
            labels.update(node.modifier.labels)

    promql_parser.walk(expression, visit)
    return labels


@pytest.mark.parametrize("title", PANELS)
def test_what_a_panel_asks_for_is_told_with_these_labels(title: str, told: dict[str, set[str]]) -> None:
    for text in EXPRESSIONS[title]:
        expression = _parsed(text)
        uses = list(_uses(expression))
        assert uses
        for series, picked_by in uses:
            assert series in told
            assert picked_by | _groups(expression) <= told[series]


def test_everything_that_is_told_is_drawn(told: dict[str, set[str]]) -> None:
    drawn = {series for texts in EXPRESSIONS.values() for text in texts for series, _ in _uses(_parsed(text))}
    assert {_family(series) for series in drawn} == {_family(series) for series in told}


@pytest.mark.parametrize("title", PANELS)
def test_a_legend_names_what_is_summed_by(title: str) -> None:
    for target in PANELS[title]["targets"]:
        named = set(re.findall(r"{{(\w+)}}", target.get("legendFormat", "")))
        assert named == _groups(_parsed(target["expr"])) - {"le"}


def test_an_expression_that_is_none_would_be_found() -> None:
    with pytest.raises(ValueError, match="paren"):
        _parsed("sum by (operator (rate(keepdims_requests_total[1m]))")


def test_panels_fill_one_screen_and_do_not_overlap() -> None:
    cells = [
        (x, y)
        for grid in (panel["gridPos"] for panel in PANELS.values())
        for x in range(grid["x"], grid["x"] + grid["w"])
        for y in range(grid["y"], grid["y"] + grid["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < WIDTH
    assert max(y for _, y in cells) < HEIGHT


def test_panels_have_titles_and_numbers_of_their_own() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(PANELS) == len(DASHBOARD["panels"])


def test_every_variable_is_known() -> None:
    named = set(re.findall(r"\$\{?(\w+)", json.dumps(DASHBOARD)))
    assert named == {"__rate_interval", "__range", "__all", *(each["name"] for each in DASHBOARD["templating"]["list"])}


def test_the_data_source_is_the_one_that_is_provisioned() -> None:
    (source,) = _read("provisioning/datasources/prometheus.yml")["datasources"]
    variable = DASHBOARD["templating"]["list"][0]
    assert (variable["type"], variable["query"]) == ("datasource", source["type"])
    assert variable["current"] == {"text": source["name"], "value": source["uid"]}
    uses = {"type": source["type"], "uid": f"${{{variable['name']}}}"}
    assert [panel["datasource"] for panel in PANELS.values()] == [uses] * len(PANELS)
    assert source["jsonData"]["timeInterval"] == _read("prometheus.yml")["global"]["scrape_interval"]


def test_each_finds_the_other_in_the_network_of_compose() -> None:
    (job,) = _read("prometheus.yml")["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["keepdims:8000"]}]
    assert "metrics_path" not in job
    assert COMPOSE["keepdims"]["ports"] == ["127.0.0.1:8000:8000"]
    (source,) = _read("provisioning/datasources/prometheus.yml")["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert COMPOSE["prometheus"]["ports"] == ["127.0.0.1:9090:9090"]


def test_files_are_mounted_where_they_are_looked_for() -> None:
    mounts = {
        inside: ROOT / outside
        for service in ("prometheus", "grafana")
        for outside, inside, _ in (volume.split(":") for volume in COMPOSE[service]["volumes"])
    }
    assert all(path.exists() for path in mounts.values())
    assert "--config.file=/etc/prometheus/prometheus.yml" in COMPOSE["prometheus"]["command"]
    assert mounts["/etc/prometheus/prometheus.yml"] == OBSERVE / "prometheus.yml"
    assert mounts["/etc/grafana/provisioning"] == OBSERVE / "provisioning"
    (provider,) = _read("provisioning/dashboards/keepdims.yml")["providers"]
    home = Path(COMPOSE["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])
    assert home.parent == Path(provider["options"]["path"])
    assert (mounts[provider["options"]["path"]] / home.name).is_file()


def test_only_the_service_starts_where_nobody_asks_for_more() -> None:
    assert {name: service.get("profiles") for name, service in COMPOSE.items()} == {
        "keepdims": None,
        "prometheus": ["observe"],
        "grafana": ["observe"],
    }


@pytest.mark.parametrize("name", COMPOSE)
def test_a_container_has_no_privileges_and_a_bound(name: str) -> None:
    service = COMPOSE[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_images_of_others_are_pinned() -> None:
    images = [service["image"] for service in COMPOSE.values() if "image" in service]
    assert all(re.fullmatch(r"[\w/]+:v?\d+\.\d+\.\d+", image) for image in images)


def test_what_prometheus_is_told_of_keys_is_so() -> None:
    text = (OBSERVE / "prometheus.yml").read_text(encoding="utf-8")
    assert re.findall(r"KEEPDIMS_\w+", text) == ["KEEPDIMS_OPEN_METRICS"]
    assert "open_metrics" in Settings.model_fields
    closed, opened = Service(api_keys="key"), Service(api_keys="key", open_metrics=True)
    assert closed.get("/metrics").status_code == 401
    assert closed.get("/metrics", {"Authorization": "Bearer key"}).status_code == 200
    assert opened.get("/metrics").status_code == 200
