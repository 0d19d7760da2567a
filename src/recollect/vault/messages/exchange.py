"""Sending and checking: nothing is lost when a channel is down, and nothing is told twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from recollect.errors import BadInput, ChannelDown, NotFound
from recollect.events.hidden import strip_hidden
from recollect.events.redact import redact
from recollect.model.value import dataclass
from recollect.store.db import Db
from recollect.store.tables import messages
from recollect.store.tables.messages import StoredMessage
from recollect.vault.messages.channel import MessageChannel

MAX_TEXT = 8_000
# So many that could not be sent are tried again at a time, so often each.
_RETRIED = 5
_MAX_TRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageExchange:
    """The channels there are, the one that is meant if none is named, and where messages are kept."""

    db: Db
    channels: Mapping[str, MessageChannel]
    usual: str
    now: Callable[[], datetime]
    new_id: Callable[[datetime], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentMessage:
    """What came of sending: sent, or kept for later and why."""

    id: str
    channel: str
    sent: bool
    problem: str = ""


def send_message(exchange: MessageExchange, text: str, channel: str = "") -> SentMessage:
    """Send a text, after those that wait; where the channel is down it waits too."""
    words = redact(strip_hidden(text).text).text.strip()
    if not words or len(words) > MAX_TEXT:
        raise BadInput(reason=f"a message has 1 to {MAX_TEXT:,} characters")
    chosen = _channel(exchange, channel)
    at = exchange.now()
    message = StoredMessage(
        id=exchange.new_id(at), channel=chosen.name, way="out", at=at, peer="", text=words, state="waiting"
    )
    messages.save_message(exchange.db, message)
    send_waiting(exchange, chosen)
    left = {
        one.id: one
        for one in messages.list_messages(exchange.db, "out", "waiting", channel=chosen.name, limit=1_000)
    }
    waits = left.get(message.id)
    return SentMessage(
        id=message.id, channel=chosen.name, sent=waits is None, problem=waits.problem if waits else ""
    )


def send_waiting(exchange: MessageExchange, channel: MessageChannel) -> int:
    """Send what waits, oldest first, until one fails; how many were sent."""
    sent = 0
    for message in messages.list_messages(
        exchange.db, "out", "waiting", channel=channel.name, limit=_RETRIED
    ):
        try:
            channel.send(message.text)
        except ChannelDown as error:
            state = "failed" if message.tries >= _MAX_TRIES else "waiting"
            for one in messages.list_messages(
                exchange.db, "out", "waiting", channel=channel.name, limit=_RETRIED
            ):
                messages.set_state(
                    exchange.db,
                    one.id,
                    state if one.id == message.id else "waiting",
                    tried=True,
                    problem=str(error),
                )
            break
        messages.set_state(exchange.db, message.id, "sent", tried=True)
        sent += 1
    return sent


def check_messages(
    exchange: MessageExchange, channel: str = "", limit: int = 10
) -> tuple[list[StoredMessage], list[str]]:
    """Messages that nobody has read yet, oldest first, and what went wrong; they count as read from now on."""
    problems: list[str] = []
    wanted = [_channel(exchange, channel)] if channel else list(exchange.channels.values())
    for one in wanted:
        try:
            _take_in(exchange, one)
            send_waiting(exchange, one)
        except ChannelDown as error:
            problems.append(str(error))
    unread = messages.list_messages(exchange.db, "in", "unread", channel=channel or None, limit=limit)
    for message in unread:
        messages.set_state(exchange.db, message.id, "read")
    return unread, problems


def _take_in(exchange: MessageExchange, channel: MessageChannel) -> None:
    for received in channel.receive():
        at = exchange.now()
        words = redact(strip_hidden(received.text).text[:MAX_TEXT]).text
        message = StoredMessage(
            id=exchange.new_id(at),
            channel=channel.name,
            way="in",
            at=at,
            peer=received.peer[:200],
            text=words,
            state="unread",
        )
        messages.save_message(exchange.db, message, received.foreign_id[:200])


def _channel(exchange: MessageExchange, name: str) -> MessageChannel:
    chosen = exchange.channels.get(name if name and name != "default" else exchange.usual)
    if chosen is None:
        raise NotFound(f"There is no channel {name!r}. There is: {', '.join(exchange.channels)}.")
    return chosen
