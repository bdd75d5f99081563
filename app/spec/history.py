"""What changed from one operator version to the next, derived from neighbouring rows of the table."""

from dataclasses import dataclass

from app.spec.operators import Operator, versions_of
from app.spec.parameters import Parameter


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A parameter that two versions share and declare differently."""

    old: Parameter
    new: Parameter

    @property
    def became_input(self) -> bool:
        return (self.old.role, self.new.role) == ("attribute", "input")


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
    rules_changed: tuple[str, ...]

    @property
    def breaking(self) -> bool:
        """Whether a model written for the old version has to change: something went away, or axes became an input."""
        moved = any(change.became_input for change in self.parameters_changed)
        return bool(self.dtypes_removed or self.parameters_removed or moved)


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


def _rules_changed(before: Operator, operator: Operator) -> tuple[str, ...]:
    if before.takes_empty == operator.takes_empty:
        return ()
    if operator.takes_empty:
        return ("A tensor without elements is no longer refused as such; only an axis of size 0 is.",)
    return ("A tensor without elements is refused, whichever dimension is 0.",)


def dtype_refusal(operator: Operator, dtype: str) -> str:
    """Why a row does not take a dtype: since or until which version the operator does, or that it never has."""
    here = f"{operator.name} version {operator.version} does not take {dtype}"
    taking = [row.version for row in versions_of(operator.name) if dtype in row.dtypes]
    if not taking:
        return f"{here}; no version does; this one takes {', '.join(operator.dtypes)}"
    if operator.version < taking[0]:
        return f"{here}; {dtype} is accepted since version {taking[0]}"
    return f"{here}; {dtype} is accepted until version {taking[-1]}"


def parameter_refusal(operator: Operator, name: str) -> str:
    """Why a row does not know a parameter: since which version the operator does, or that it never has."""
    versions = [row.version for row in versions_of(operator.name) if name in row.parameters.model_fields]
    names = ", ".join(sorted(operator.parameters.model_fields))
    if not versions:
        return f"no version of {operator.name} has a parameter of that name; version {operator.version} has {names}"
    return f"{name} exists since version {versions[0]} of {operator.name}; version {operator.version} has {names}"
