"""What changed from one operator version to the next, derived from neighbouring rows of the table."""

from dataclasses import dataclass
from typing import Literal

from app.names import nearest, quoted
from app.spec.operators import Operator, versions_of
from app.spec.parameters import Parameter, Parameters

Written = Literal["models", "requests"]
"""What is written for a version."""


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A parameter that two versions share and declare differently."""

    old: Parameter
    new: Parameter

    @property
    def became_input(self) -> bool:
        return (self.old.role, self.new.role) == ("attribute", "input")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What a version says of tensors that has nothing to do with a parameter. `narrows`: it refuses what the version
    before takes; `about`: what it is about, in two words."""

    narrows: bool
    about: str
    words: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What an operator version does that the one before did not, and the other way round."""

    old_version: int
    new_version: int
    dtypes_added: tuple[str, ...]
    dtypes_removed: tuple[str, ...]
    parameters_added: tuple[Parameter, ...]
    parameters_removed: tuple[Parameter, ...]
    parameters_changed: tuple[ParameterChange, ...]
    rules_changed: tuple[RuleChange, ...]

    @property
    def breaking_because(self) -> tuple[str, ...]:
        """Why a model or a request written for the old version may have to change: what was accepted is refused now,
        or has moved. Nothing if none has to."""
        return (
            *((f"{', '.join(self._gone)}: no longer accepted",) if self._gone else ()),
            *(f"{name} became an input: models must change, requests here do not" for name in self._moved),
            *self._narrower,
        )

    @property
    def breaking_for(self) -> tuple[Written, ...]:
        """What may have to change. In a request axes stand beside the tensor, whatever a model has made of them."""
        if self._gone or self._narrower:
            return ("models", "requests")
        return ("models",) if self._moved else ()

    @property
    def breaking(self) -> bool:
        """Whether there is a reason that it is."""
        return bool(self.breaking_because)

    @property
    def _gone(self) -> tuple[str, ...]:
        return (*self.dtypes_removed, *(parameter.name for parameter in self.parameters_removed))

    @property
    def _moved(self) -> tuple[str, ...]:
        return tuple(change.new.name for change in self.parameters_changed if change.became_input)

    @property
    def _narrower(self) -> tuple[str, ...]:
        return tuple(rule.words for rule in self.rules_changed if rule.narrows)


def previous(operator: Operator) -> Operator | None:
    """The version before, or None for the first."""
    older = [row for row in versions_of(operator.name) if row.version < operator.version]
    return older[-1] if older else None


def changes(operator: Operator) -> Changes | None:
    """The differences with the previous version, or None for the first."""
    before = previous(operator)
    if before is None:
        return None
    old = {parameter.name: parameter for parameter in before.parameters.described()}
    new = {parameter.name: parameter for parameter in operator.parameters.described()}
    return Changes(
        old_version=before.version,
        new_version=operator.version,
        dtypes_added=tuple(dtype for dtype in operator.dtypes if dtype not in before.dtypes),
        dtypes_removed=tuple(dtype for dtype in before.dtypes if dtype not in operator.dtypes),
        parameters_added=tuple(parameter for name, parameter in new.items() if name not in old),
        parameters_removed=tuple(parameter for name, parameter in old.items() if name not in new),
        parameters_changed=tuple(
            ParameterChange(old[name], parameter)
            for name, parameter in new.items()
            if old.get(name, parameter) != parameter
        ),
        rules_changed=_rules_changed(before, operator),
    )


def _rules_changed(before: Operator, operator: Operator) -> tuple[RuleChange, ...]:
    if before.takes_empty == operator.takes_empty:
        return ()
    if operator.takes_empty:
        words = "a tensor without elements is accepted again, unless the axis itself has size 0"
    else:
        words = "a tensor without elements is refused, whichever dimension has size 0"
    return (RuleChange(not operator.takes_empty, "empty tensors", words),)


def negative_axes_hint(operator: Operator, parameters: Parameters) -> str:
    """A hint for callers who gave negative axes to a version that refuses them; "" for others."""
    given = [getattr(parameters, "axis", 0), *getattr(parameters, "axes", ())]
    if operator.parameters.negative_axes or min(given) >= 0:
        return ""
    since = next(row.version for row in versions_of(operator.name) if row.parameters.negative_axes)
    return f"; version {operator.version} takes no negative axes, which are accepted since version {since}"


def dtype_refusal(operator: Operator, dtype: str) -> str:
    """Why a row does not take a dtype: since or until which version the operator does, or that it never has."""
    here = f"{operator.name} version {operator.version} does not accept {dtype}"
    taking = [row.version for row in versions_of(operator.name) if dtype in row.dtypes]
    if not taking:
        return f"{here}; no version does; this one accepts {', '.join(operator.dtypes)}"
    if operator.version < taking[0]:
        return f"{here}; {dtype} is accepted since version {taking[0]}"
    after = min(row.version for row in versions_of(operator.name) if row.version > taking[-1])
    return f"{here}; {dtype} is accepted until version {taking[-1]}, which serves opsets up to {after - 1}"


def parameter_refusal(operator: Operator, name: str) -> str:
    """Why a row does not know a parameter: since which version the operator does, or that it never has."""
    versions = [row.version for row in versions_of(operator.name) if name in row.parameters.model_fields]
    names = ", ".join(sorted(operator.parameters.model_fields))
    if not versions:
        none = f"no version of {operator.name} has a parameter {quoted(name)}"
        return f"{none}{nearest(name, operator.parameters.model_fields)}; version {operator.version} has {names}"
    return f"{name} exists since version {versions[0]} of {operator.name}; version {operator.version} has {names}"
