"""
Tool pairing: after it, every call has its result directly behind it and every result its call, on any input.

A history falls into steps: a message of the model and what follows it up to its next one. Calls and results belong
together within a step, so a step that is over never changes again. A step in order is given back as it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from recollect.conversation.message_shape import Message, MessageShape, ParsedMessage, ToolCallPart
from recollect.model.value import dataclass

INTERRUPTED = "[No result: this call was interrupted, and nobody knows how far it got.]"
_MAX_STRAY = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFix:
    """One thing that was wrong, and put right."""

    what: str
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedStep:
    """A step with its calls and results paired: its messages, parsed, and what had to be put right."""

    messages: tuple[Message, ...]
    parsed: tuple[ParsedMessage, ...]
    fixes: tuple[PairFix, ...] = ()


def repair(messages: Sequence[Message], shape: MessageShape) -> tuple[list[Message], list[PairFix]]:
    """The messages with every call and result paired, and what was put right."""
    repaired: list[Message] = []
    fixes: list[PairFix] = []
    for step in split_steps(messages):
        paired = pair_step(step, shape)
        repaired += paired.messages
        fixes += paired.fixes
    return repaired, fixes


def split_steps(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Messages in steps: each begins with a message of the model, but for what came before the first."""
    step: list[Message] = []
    for message in messages:
        if is_of_model(message) and step:
            yield step
            step = []
        step.append(message)
    if step:
        yield step


def is_of_model(message: object) -> bool:
    """Whether the model said it."""
    return isinstance(message, Mapping) and message.get("role") == "assistant"


def find_orphans(messages: Sequence[Message], shape: MessageShape) -> list[str]:
    """Calls without a result directly behind them and results without their call; empty if all is well."""
    orphans: list[str] = []
    for step in split_steps(messages):
        parsed = [shape.parse(message) for message in step]
        if not _is_in_order(parsed, shape):
            orphans += [call.call_id for message in parsed for call in message.calls]
            orphans += [result.call_id for message in parsed for result in message.results]
    return orphans


def pair_step(step: Sequence[Message], shape: MessageShape) -> PairedStep:
    """One step with its calls and results paired."""
    parsed = [shape.parse(message) for message in step]
    if all(message.role for message in parsed) and _is_in_order(parsed, shape):
        return PairedStep(messages=tuple(step), parsed=tuple(parsed))
    fixes: list[PairFix] = []
    head, calls = _clean_head(step, parsed, shape, fixes)
    answers, others = _sort_followers(step[1:] if is_of_model(step[0]) else step, calls, shape, fixes)
    messages = [*head, *answers, *others]
    return PairedStep(messages=tuple(messages), parsed=tuple(map(shape.parse, messages)), fixes=tuple(fixes))


def _is_in_order(parsed: Sequence[ParsedMessage], shape: MessageShape) -> bool:
    first, *followers = parsed
    if first.role != "assistant":
        return not any(message.calls or message.results for message in parsed)
    if first.results or any(message.calls for message in followers):
        return False
    wanted = [call.call_id for call in first.calls]
    if len(set(wanted)) != len(wanted) or "" in wanted:
        return False
    given = [result.call_id for message in followers for result in message.results]
    if sorted(given) != sorted(wanted):
        return False
    return not wanted or _come_first(followers, len(wanted), shape)


def _come_first(followers: Sequence[ParsedMessage], count: int, shape: MessageShape) -> bool:
    if shape.name == "openai":
        return all(message.results for message in followers[:count])
    results = followers[0].results
    return len(results) == count and [part.position for part in results] == [(n,) for n in range(count)]


def _clean_head(
    step: Sequence[Message], parsed: Sequence[ParsedMessage], shape: MessageShape, fixes: list[PairFix]
) -> tuple[list[Message], list[ToolCallPart]]:
    """The model's message without calls that cannot be answered, and the calls that remain."""
    if not is_of_model(step[0]):
        return [], []
    first, message = parsed[0], step[0]
    calls = {call.call_id: call for call in reversed(first.calls) if call.call_id}
    bad = [call for call in first.calls if calls.get(call.call_id) is not call]
    if not bad and not first.results:
        return [message], list(first.calls)
    fixes += [
        PairFix(what="a call without an id of its own was dropped", call_id=call.call_id) for call in bad
    ]
    fixes += [PairFix(what="a result in the model's own message was dropped", call_id=result.call_id)
              for result in first.results]  # fmt: skip
    rest = shape.without_parts(
        message, calls=[call.position for call in bad], results=[result.position for result in first.results]
    )
    return ([rest] if rest is not None else []), [call for call in first.calls if call not in bad]


def _sort_followers(
    followers: Sequence[Message], calls: Sequence[ToolCallPart], shape: MessageShape, fixes: list[PairFix]
) -> tuple[list[Message], list[Message]]:
    """What answers the calls, joined; and what else was said, in its order."""
    unanswered = {call.call_id: call for call in calls}
    answers: list[Message] = []
    others: list[Message] = []
    for message in followers:
        matched, rest, strays = _take_apart(message, unanswered, shape, fixes)
        if matched is not None:
            answers.append(matched)
        if rest is not None:
            others.append(rest)
        others += [shape.note(f"[A result without its call]\n{text[:_MAX_STRAY]}") for text in strays]
    missing = list(unanswered.values())
    fixes += [PairFix(what="a call without a result was given one", call_id=call.call_id) for call in missing]
    answers += shape.result_messages(missing, INTERRUPTED)
    return (shape.join_results(answers) if answers else []), others


def _take_apart(
    message: Message, unanswered: dict[str, ToolCallPart], shape: MessageShape, fixes: list[PairFix]
) -> tuple[Message | None, Message | None, list[str]]:
    """A message's part that answers calls, the rest of it, and the texts of results that answer nothing."""
    parsed = shape.parse(message)
    if not parsed.role:
        fixes.append(PairFix(what="a message without a role was mended or dropped"))
        return None, shape.note(parsed.text) if parsed.text.strip() else None, []
    matched, strays = [], []
    for result in parsed.results:
        if unanswered.pop(result.call_id, None) is not None:
            matched.append(result)
        else:
            strays.append(result)
            fixes.append(PairFix(what="a result without its call became a text", call_id=result.call_id))
    fixes += [PairFix(what="a call that the model did not make was dropped", call_id=call.call_id)
              for call in parsed.calls]  # fmt: skip
    if not strays and not parsed.calls and (matched or not parsed.results):
        return (message, None, []) if matched else (None, message, [])
    dropped = [*parsed.calls, *strays]
    rest = shape.without_parts(
        message,
        calls=[part.position for part in dropped if isinstance(part, ToolCallPart)],
        results=[part.position for part in strays],
    )
    texts = [stray.text for stray in strays if stray.text.strip()]
    return (rest, None, texts) if matched else (None, rest, texts)
