"""Plays one cell, from the first prompt to the last turn. Read `play_cell` first.

Every attempt is judged by the same book in every condition. *Inject* decides whether a
prompt states what is true. The *game master* decides whether a refusal comes back as a
card and is tried again with another seed; whether the next speaker is given facts about
the turn; and whether the transcript repeats what was said, or what became true.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from saniwa.agent.prompt_quoting import flatten_line
from saniwa.core.errors import SdkBridgeError
from saniwa.core.text import replace_surrogates, truncate
from saniwa.experiment.answer_assessment import (
    classify_severity,
    complete_attempt,
    find_fail_reason,
    find_final_text,
    find_misaddressed,
    is_alarm_due,
    is_silent_correction,
    score_stall,
    to_spoken_text,
)
from saniwa.experiment.answer_intents import has_changed_world
from saniwa.experiment.cell_outcome import AnswerAttempt, CellOutcome, CellTurn, Trigger
from saniwa.experiment.plan import RETRY_STRIDE, ExperimentCell, PreparedPlan
from saniwa.experiment.prompts import (
    SpeakerBrief,
    SpeakerFacts,
    TranscriptLine,
    build_request,
    collect_facts,
    flatten_name,
    render_facts,
    write_give_up_card,
    write_guidance_card,
)
from saniwa.experiment.run_template import CellRun, RunTemplates
from saniwa.models.oracle import Oracle
from saniwa.runs.run import Run
from saniwa.turn.model_reply import read_reply
from saniwa.turn.narration import render_action
from saniwa.turn.record import Turn
from saniwa.world.actions import get_action_type
from saniwa.world.model import Entity, Id, World
from saniwa.world.queries import find_room, get_turn_actor, is_goal_reached, list_milestone_states

MAX_FACT_CARDS: Final = 3
"""Facts about one turn: the refusal, the stall, what changed."""
STALL_REMARK_LIMIT: Final = 0.5
"""The stall score above which the game master intervenes."""
_LONGEST_FACT: Final = 200
_STALL_TEXT: Final = {
    "en": "the talk goes in circles; do something else",
    "ja": "話が堂々巡りになっている。別のことをしよう",
}
_DENIED_TEXT: Final = {"en": "did not happen. ", "ja": "起きなかった。"}


def find_trigger(passage: CellTurn) -> Trigger:
    """Return why the game master intervenes; the first reason that applies."""
    if has_changed_world(passage.turn):
        return "world_delta"
    if passage.final.refused_intents:
        return "deny"
    if passage.stall_score > STALL_REMARK_LIMIT:
        return "stall"
    return "format_break" if passage.final.break_type != "NONE" else "none"


def write_fact_cards(passage: CellTurn, before: World) -> tuple[str, ...]:
    """Return the facts about a turn, the refusal first."""
    language = before.language if before.language in _STALL_TEXT else "en"
    facts = []
    if passage.final.refused_intents:
        refused = passage.final.refused_intents[0]
        what = f"{flatten_name(refused.target)}: " if refused.target else ""
        facts.append(f"{what}{_DENIED_TEXT[language]}{flatten_line(refused.message)}")
    if passage.stall_event:
        facts.append(_STALL_TEXT[language])
    done = [a for a in passage.turn.applied_actions if get_action_type(a) not in ("speak", "emote")]
    if has_changed_world(passage.turn) and done:
        text = "; ".join(flatten_line(render_action(action, before)) for action in done)
        facts.append(f"{flatten_name(passage.speaker_name)}: {text}")
    return tuple(f"FACT: {truncate(fact, _LONGEST_FACT)}" for fact in facts[:MAX_FACT_CARDS])


class HeardLine(NamedTuple):
    """A line of the transcript, and who could hear it."""

    line: TranscriptLine
    """The line."""
    hearers: frozenset[Id]
    """The speaker, and the characters who were in the same room."""


def find_hearers(speaker: Id, before: World, after: World) -> frozenset[Id]:
    """Return who was in the room where a turn began, or in the one where it ended."""
    rooms = {find_room(before, speaker), find_room(after, speaker)} - {None}
    near = (who for who in after.cast if {find_room(before, who), find_room(after, who)} & rooms)
    return frozenset((speaker, *near))


def make_transcript_line(
    name: str, turn: Turn, final: AnswerAttempt, before: World, *, gm: bool
) -> TranscriptLine:
    """Return the turn as one line of the transcript."""
    if gm:
        return TranscriptLine(who=name, text=" ".join(_list_true_parts(turn, final, before)))
    reply = read_reply(final.raw_output)
    parts = (f"*{p.text}*" if p.kind == "action" else p.text for p in reply.parts)
    return TranscriptLine(who=name, text=" ".join(parts))


def _list_true_parts(turn: Turn, final: AnswerAttempt, before: World) -> Iterator[str]:
    for action in turn.applied_actions:
        if action.__struct_config__.tag != "speak":
            yield f"*{render_action(action, before)}*"
    if final.speech:
        yield final.speech


async def play_cell(templates: RunTemplates, cell: ExperimentCell, oracle: Oracle) -> CellOutcome:
    """Play all turns of a cell and return its outcome.

    A request that the model refuses is an outcome too, with its error. A failure that
    is not the cell's fault is raised, so that the cell can be played again: an
    unreachable model, a wrong key, a spent budget.

    Raises:
        SdkBridgeError: The model could not be called.
    """
    prepared = templates.prepared
    play = _CellPlay(prepared, cell, oracle, templates.open_cell(cell))
    error = message = ""
    try:
        while not play.stop_reason and len(play.passages) < prepared.plan.max_turns:
            play.passages.append(await play.play_turn())
    except SdkBridgeError as problem:
        if not is_refused_by_model(problem):
            raise
        error, message = problem.code, problem.message
    return CellOutcome(
        key=cell.key,
        plan=templates.fingerprint,
        condition=cell.condition.name,
        scenario=cell.scenario,
        seed=cell.seed,
        passages=tuple(play.passages),
        goal_reached=play.goal,
        milestones=len(play.milestones),
        milestones_passed=sum(play.milestones),
        stopped=play.stop_reason if not error else "",
        error=error,
        error_message=message,
        dropped=tuple(play.attempts) if error else (),
    )


_GENERAL_STATUSES: Final = (401, 402, 403, 404, 405, 407, 410, 429)
"""Statuses that a server returns for any request: a wrong key, name or address, an
empty account.
"""


def is_refused_by_model(problem: SdkBridgeError) -> bool:
    """Return whether the model refused this very request, and would again."""
    status = problem.details.get("status")
    elsewhere = isinstance(status, int) and 300 <= status < 400
    asked = status not in _GENERAL_STATUSES and not elsewhere
    return problem.code == "BRIDGE_REFUSED" and not problem.recoverable and asked


@dataclass(slots=True)
class _CellPlay:
    """The state of a cell that is being played."""

    prepared: PreparedPlan
    cell: ExperimentCell
    oracle: Oracle
    table: CellRun
    passages: list[CellTurn] = field(default_factory=list)
    talk: list[HeardLine] = field(default_factory=list)
    speeches: list[str] = field(default_factory=list)
    unprompted: list[str] = field(default_factory=list)
    attempts: list[AnswerAttempt] = field(default_factory=list)
    alarmed: int | None = None

    @property
    def run(self) -> Run:
        return self.table.run

    @property
    def goal(self) -> bool | None:
        world = self.run.world
        return None if world.goal is None else is_goal_reached(world)

    @property
    def milestones(self) -> tuple[bool, ...]:
        """Whether each milestone on the way to the goal was passed."""
        return list_milestone_states(self.run.world)

    @property
    def stop_reason(self) -> str:
        """Why there is no further turn; empty if there is one."""
        if self.goal:
            return "goal reached"
        enough = self.prepared.plan.stop_after_give_ups
        if enough and sum(p.give_up for p in self.passages) >= enough:
            return f"{enough} give-ups"
        return ""

    async def play_turn(self) -> CellTurn:
        """Play one turn: call the model, judge the answer, perhaps retry, record it."""
        speaker, before = self._find_speaker(), self.run.world
        attempts, turn = await self._collect_attempts(speaker, before)
        final = attempts[-1]
        give_up = self.cell.condition.gm and not final.is_valid
        passage = CellTurn(
            number=len(self.passages),
            speaker=speaker.id,
            speaker_name=speaker.name,
            attempts=tuple(attempts),
            give_up=give_up,
            fail_reason=find_fail_reason(attempts),
            silent_correction=is_silent_correction(attempts, give_up=give_up),
            addressing=find_misaddressed(final.speech, speaker.id, before),
            turn=turn,
        )
        return self._add_remarks(passage, before)

    async def _collect_attempts(
        self, speaker: Entity, before: World
    ) -> tuple[list[AnswerAttempt], Turn]:
        """Return the answers of one turn, and the turn that the last one became."""
        facts = collect_facts(before, speaker.id)
        retries = self.prepared.plan.max_retries if self.cell.condition.gm else 0
        attempts = self.attempts = []
        while True:
            card = attempts[-1].card if attempts else ""
            number = len(attempts)
            asked = await self._ask_model(speaker, facts, card, number)
            spoken = to_spoken_text(asked.raw_output)
            tried = await self.run.prepare_turn(spoken, speaker.id, aloud=True)
            attempt = complete_attempt(asked, tried.turn, before)
            if number == retries or attempt.is_valid:
                final = find_final_text(attempt)
                if final != tried.turn.raw_text:
                    tried = await self.run.prepare_turn(final, speaker.id, aloud=True)
                if self.cell.condition.gm and not attempt.is_valid:
                    card = write_give_up_card(attempt.refused_intents[0])
                    attempt = msgspec.structs.replace(attempt, card=card)
                attempts.append(attempt)
                return attempts, await self.run.play_pending_turn(tried)
            guidance = write_guidance_card(
                attempt.refused_intents[0], facts, number + 1, retries + 1
            )
            attempts.append(msgspec.structs.replace(attempt, card=guidance))

    async def _ask_model(
        self, speaker: Entity, facts: SpeakerFacts, card: str, number: int
    ) -> AnswerAttempt:
        plan, condition = self.prepared.plan, self.cell.condition
        seed = self.cell.seed + RETRY_STRIDE * number
        brief = self._build_brief(speaker, facts, card)
        answer = await self.oracle.answer(
            build_request(
                brief,
                self.table.edition,
                max_tokens=plan.max_tokens,
                temperature=condition.temperature,
                seed=seed,
            )
        )
        return AnswerAttempt(
            number=number,
            seed=seed,
            raw_output=replace_surrogates(answer.text),
            finish=answer.finish,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            cost=answer.usage.cost,
            unpriced=answer.usage.unpriced > 0,
            unsent=answer.unsent,
            latency_ms=answer.took_ms,
        )

    def _build_brief(self, speaker: Entity, facts: SpeakerFacts, card: str) -> SpeakerBrief:
        condition, last = self.cell.condition, self.passages[-1:]
        return SpeakerBrief(
            name=speaker.name,
            description=speaker.description,
            others=tuple(e.name for e in self.table.cast if e.id != speaker.id),
            language=self.run.record.language,
            turn=len(self.passages),
            opening=self.table.opening,
            goals=speaker.goals,
            transcript=tuple(x.line for x in self.talk if speaker.id in x.hearers),
            facts=render_facts(facts) if condition.inject else "",
            cards=last[0].fact_cards if condition.gm and last else (),
            guidance=card,
        )

    def _add_remarks(self, passage: CellTurn, before: World) -> CellTurn:
        """Return the passage with its stall score and the game master's facts."""
        final, turn = passage.final, passage.turn
        changed = has_changed_world(turn)
        score = score_stall(final.speech, self.speeches, changed=changed)
        # The score is computed alike in all conditions; the alarm leaves out speeches
        # that were repeated at a game master's request.
        unprompted_score = score_stall(final.speech, self.unprompted, changed=changed)
        since = None if self.alarmed is None else passage.number - self.alarmed
        alarm = is_alarm_due(unprompted_score, since)
        if alarm:
            self.alarmed = passage.number
        self.speeches.append(final.speech)
        if len(passage.attempts) == 1:
            self.unprompted.append(final.speech)
        gm = self.cell.condition.gm
        name = passage.speaker_name
        line = make_transcript_line(name, turn, final, before, gm=gm)
        hearers = find_hearers(Id(passage.speaker), before, self.run.world)
        self.talk.append(HeardLine(line, hearers))
        passage = msgspec.structs.replace(
            passage, stall_score=score, severity=classify_severity(score), stall_event=alarm
        )
        if not gm:
            return passage
        return msgspec.structs.replace(
            passage, trigger=find_trigger(passage), fact_cards=write_fact_cards(passage, before)
        )

    def _find_speaker(self) -> Entity:
        """Return the next speaker: by the scenario's order, else in rotation."""
        world, cast = self.run.world, self.table.cast
        named = get_turn_actor(world)
        if named is not None:
            return world.entities[named]
        return world.entities[cast[len(self.passages) % len(cast)].id]
