"""A gate in front of any function, and an agent as a function, for other frameworks.

What frameworks call nodes, tools or tasks are functions; these stay functions, with their
names and signatures, so no framework is imported here.
"""

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import msgspec

from saniwa.agent.definition import AgentDefinition, AgentParameter
from saniwa.agent.layer_contracts import BuildOptions, StartOptions
from saniwa.agent.loop.lifecycle import DefaultAgentFactory
from saniwa.core.errors import AgentError, ProcessError
from saniwa.core.text import quote_value
from saniwa.process.gate import Gate
from saniwa.process.tool_permissions import CallArguments

AskPerson = Callable[[str, dict[str, Any], str], bool | Awaitable[bool]]
"""Asks a person about a call: its name, its arguments and why; true to allow it."""
_TYPES = {"number": float, "boolean": bool, "array": list}


def _refuse_call(reason: str) -> Exception:
    return ProcessError(
        "TOOL_DENIED", reason, hint="see what the state allows: tool_permissions of the process"
    )


def guard_function(
    function: Callable[..., Any],
    gate: Gate,
    run_id: str,
    *,
    name: str = "",
    ask: AskPerson | None = None,
    refuse: Callable[[str], Exception] = _refuse_call,
    allow_unnamed: bool = False,
) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Return an async function that runs only where the state of a run allows it.

    The state's `tool_permissions` decide, by the function's name and its arguments, at each
    call; in a state without a rule about it, the function runs. So some state must name the
    function, or a misspelled name would run unguarded. What needs a person is asked with
    `ask`, and refused without it.

    Args:
        function: Any function, async or not.
        gate: The gate.
        run_id: The run.
        name: The name in the process; else the function's.
        ask: Asks a person.
        refuse: Makes the exception for a call that is refused, from the reason.
        allow_unnamed: Accept a function that no state names.

    Raises:
        ProcessError: `TOOL_UNNAMED`: no state names the function; `TOOL_DENIED`, from the
            returned function.
        TypeError: The function is a generator, which would run after the gate was asked.
        StoreError: As `Gate.get_state` does.
    """
    if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
        raise TypeError("a generator cannot be guarded: return a list, or guard what calls it")
    called = name or getattr(function, "__name__", "")
    if not allow_unnamed and not gate.has_tool_rule(run_id, called):
        raise ProcessError(
            "TOOL_UNNAMED",
            f"no state of the process names {quote_value(called)}, so it would never be denied",
            hint=f"write tool_permissions: {{denied: [{called or 'NAME'}]}} in each state where it "
            "must not run, or pass name=, or allow_unnamed=True",
            details={"tool": called},
        )
    form = inspect.signature(function)

    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        values = dict(form.bind(*args, **kwargs).arguments)
        permission = gate.check_tool_permission(run_id, called, CallArguments(values))
        if permission.answer == "deny" or (
            permission.answer == "ask"
            and not (ask and await _wait_for(ask(called, values, permission.reason)))
        ):
            raise refuse(permission.reason)
        return await _wait_for(function(*args, **kwargs))

    return call


def make_agent_function(
    definition: AgentDefinition, factory: DefaultAgentFactory
) -> Callable[..., Coroutine[Any, Any, str]]:
    """Return an async function that runs an agent and answers with its last words.

    Its parameters are those of the definition, by name only. Each call is a new agent.

    Raises:
        AgentError: From the returned function, if the agent did not complete its work.
    """

    async def run(**parameters: Any) -> str:
        given = {name: value for name, value in parameters.items() if value is not None}
        agent = factory.build(definition, BuildOptions(arguments=given))
        await agent.start(StartOptions())
        try:
            result = await agent.wait()
        finally:
            await agent.stop()
        if result.error is not None:
            raise AgentError(result.error.code, result.error.message)
        words = [text for each in result.summaries for text in each.assistant_responses]
        return words[-1] if words else ""

    form = [_make_parameter(name, each) for name, each in definition.parameters.items()]
    form.sort(key=lambda each: each.default is not inspect.Parameter.empty)
    run.__name__ = run.__qualname__ = definition.name.replace("-", "_")
    run.__doc__ = definition.description or definition.name
    run.__annotations__ = {each.name: each.annotation for each in form} | {"return": str}
    run.__signature__ = inspect.Signature(form, return_annotation=str)  # type: ignore[attr-defined]  # `inspect` reads it
    return run


def _make_parameter(name: str, each: AgentParameter) -> inspect.Parameter:
    kind: Any = _TYPES.get(each.type, str)
    default = None if each.default is msgspec.UNSET else each.default
    if each.required and each.default is msgspec.UNSET:
        default = inspect.Parameter.empty
    elif default is None:
        kind = kind | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


async def _wait_for(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
