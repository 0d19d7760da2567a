"""The commands of `team`: the people who share a memory, their keys, what they may see and what they did."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

from recollect import config
from recollect.api import Recollect
from recollect.model.provenance import Channel
from recollect.model.team import AccessToken, Person, Sharing, TeamRole
from recollect.server.accounts import Accounts, create_organisation
from recollect.server.organisations import DEFAULT, Organisations
from recollect.surfaces.cli import output
from recollect.surfaces.cli.command_group import HelpGroup
from recollect.surfaces.cli.options import ask_to_agree, common, one_of, read_settings


@click.group("team", cls=HelpGroup)
def team_() -> None:
    """Manage the people who share a memory: accounts, keys, projects, and who did what.

    \b
    recollect team create acme --admin alex --db team.db
    recollect team add bo --db team.db
    """


def _in_team(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--db` with the other common options, and the organisation that is meant."""
    return common(
        click.option(
            "--organisation",
            "-o",
            metavar="NAME",
            help="Which organisation of the database; by default a file's own, or the one called default.",
        )(command)
    )


def _now() -> datetime:
    return datetime.now(UTC)


def _open_accounts(organisation: str | None) -> Accounts:
    organisations = Organisations(read_settings().db, _now)
    name = organisation or organisations.usual_name()
    return Accounts(organisations.find(name), name, _now)


@team_.command("create")
@click.argument("organisation", default=DEFAULT)
@click.option("--admin", required=True, metavar="NAME", help="The first person, who manages the others.")
@common
def create_(organisation: str, admin: str) -> None:
    """Make an organisation with its first admin, and print that admin's key, this once.

    \b
    recollect team create acme --admin alex --db team.db
    """
    _, token = create_organisation(Organisations(read_settings().db, _now), organisation, admin, _now)
    _print_token(admin, token, organisation=organisation)


@team_.command("add")
@click.argument("name")
@click.option("--role", type=one_of(TeamRole), default=str(TeamRole.MEMBER), show_default=True)
@click.option(
    "--only", "project_names", multiple=True, metavar="PROJECT", help="Only this project (repeatable)."
)
@_in_team
def add_(name: str, role: str, project_names: tuple[str, ...], organisation: str | None) -> None:
    """Add a person, and print their first key, this once.

    \b
    recollect team add bo --db team.db
    recollect team add cy --role reader --only shop --db team.db
    """
    accounts = _open_accounts(organisation)
    accounts.add_person(name, TeamRole(role), project_names=project_names)
    token, _ = accounts.issue_token(name, label="first key")
    accounts.record("operator", "team.add_person", target=name)
    _print_token(name, token, organisation=accounts.organisation)


@team_.command("people")
@_in_team
def people_(organisation: str | None) -> None:
    """List the people of an organisation.

    \b
    recollect team people --db team.db
    """
    people = _open_accounts(organisation).people()
    if output.is_json():
        output.print_json({"people": [_person_to_json(person) for person in people]})
        return
    for person in people:
        output.print_line(f"{person.name}  {person.role}")


@team_.command("role")
@click.argument("name")
@click.argument("role", type=one_of(TeamRole))
@_in_team
def role_(name: str, role: str, organisation: str | None) -> None:
    """Change what a person may do: admin, member or reader.

    \b
    recollect team role bo reader --db team.db
    """
    accounts = _open_accounts(organisation)
    person = accounts.set_role(name, TeamRole(role))
    accounts.record("operator", "team.set_role", target=name)
    _print_done({"person": _person_to_json(person)}, f"{name} is {role} now.")


@team_.command("password")
@click.argument("name")
@_in_team
def password_(name: str, organisation: str | None) -> None:
    """Set a person's password for the dashboard; it is asked for, and never shown.

    \b
    recollect team password alex --db team.db
    """
    password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    accounts = _open_accounts(organisation)
    accounts.set_password(name, password)
    accounts.record("operator", "team.set_password", target=name)
    _print_done({"person": name}, f"{name} has a new password.")


@team_.command("key")
@click.argument("name")
@click.option("--label", default="", help="What it is for.")
@click.option("--role", type=one_of(TeamRole), help="Less than the person may.")
@click.option(
    "--agent", is_flag=True, help="An agent holds it: nothing is confirmed, pinned or purged with it."
)
@click.option(
    "--days", type=click.IntRange(1, 3650), help="Good for so many days; without it, until it is revoked."
)
@_in_team
def key_(
    name: str, label: str, role: str | None, agent: bool, days: int | None, organisation: str | None
) -> None:
    """Make another key for a person, and print it, this once.

    \b
    recollect team key alex --label laptop --days 90 --db team.db
    recollect team key alex --agent --role reader --db team.db
    """
    accounts = _open_accounts(organisation)
    token, _ = accounts.issue_token(
        name, label=label, role=TeamRole(role) if role else None, agent=agent, valid_days=days
    )
    accounts.record("operator", "team.issue_token", target=name)
    _print_token(name, token, organisation=accounts.organisation)


@team_.command("keys")
@click.argument("name", required=False)
@_in_team
def keys_(name: str | None, organisation: str | None) -> None:
    """List keys by their first characters: whose they are, what they may, and when they were used.

    \b
    recollect team keys --db team.db
    """
    tokens = _open_accounts(organisation).tokens(name)
    if output.is_json():
        output.print_json({"keys": [_token_to_json(token) for token in tokens]})
        return
    for token in tokens:
        state = (
            "revoked"
            if token.revoked_at
            else f"until {token.expires_at:%Y-%m-%d}"
            if token.expires_at
            else "good"
        )
        who = "agent" if token.agent else "person"
        output.print_line(
            f"{token.prefix}  {token.person}  {token.role}  {who}  {state}  {token.label}".rstrip()
        )


@team_.command("revoke")
@click.argument("prefix")
@_in_team
def revoke_(prefix: str, organisation: str | None) -> None:
    """Revoke a key by its first characters; the next request with it is refused.

    \b
    recollect team revoke 4f1c09ab22 --db team.db
    """
    accounts = _open_accounts(organisation)
    token = accounts.revoke_token(prefix)
    accounts.record("operator", "team.revoke_token", target=prefix)
    _print_done({"key": _token_to_json(token)}, f"Revoked {prefix}, a key of {token.person}.")


@team_.command("grant")
@click.argument("name")
@click.argument("project_name", metavar="PROJECT")
@click.option("--read-only", is_flag=True, help="See it, and write nothing there.")
@click.option("--off", is_flag=True, help="Withdraw it.")
@_in_team
def grant_(name: str, project_name: str, read_only: bool, off: bool, organisation: str | None) -> None:
    """Let a person see a project (`*`: every project), or withdraw that.

    \b
    recollect team grant bo shop --db team.db
    recollect team grant bo "*" --off --db team.db
    """
    accounts = _open_accounts(organisation)
    if off:
        accounts.withdraw(name, project_name)
    else:
        accounts.grant(name, project_name, may_write=not read_only)
    accounts.record("operator", "team.withdraw" if off else "team.grant", target=f"{name} {project_name}")
    verb = "no longer sees" if off else "may read" if read_only else "may read and write"
    _print_done(
        {"person": name, "project": project_name, "granted": not off}, f"{name} {verb} {project_name}."
    )


@team_.command("sharing")
@click.argument("sharing", type=one_of(Sharing))
@click.option("--only", "project_name", metavar="PROJECT", help="In this project alone.")
@_in_team
def sharing_(sharing: str, project_name: str | None, organisation: str | None) -> None:
    """Say when what a person's sessions learn is everybody's: personal, review or direct.

    personal: when they share it. review: when a second person agrees. direct: at once, in a project.

    \b
    recollect team sharing review --only shop --db team.db
    """
    accounts = _open_accounts(organisation)
    accounts.set_sharing(Sharing(sharing), project_name)
    accounts.record("operator", "team.set_sharing", target=project_name or "")
    _print_done({"sharing": sharing, "project": project_name}, f"Sharing is {sharing} now.")


@team_.command("audit")
@click.option("--person", metavar="NAME", help="Only by this person.")
@click.option("--limit", "-n", type=click.IntRange(1, 10_000), default=50, show_default=True)
@_in_team
def audit_(person: str | None, limit: int, organisation: str | None) -> None:
    """Show who did what and when, the newest first; never what a memory says.

    \b
    recollect team audit --person bo --db team.db
    """
    entries = _open_accounts(organisation).audit(person=person, limit=limit)
    if output.is_json():
        output.print_json(
            {
                "entries": [
                    {
                        "at": one.at.isoformat(),
                        "person": one.person,
                        "key": one.token,
                        "act": one.act,
                        "target": one.target,
                        "status": one.status,
                    }
                    for one in entries
                ]
            }
        )
        return
    for one in entries:
        output.print_line(f"{one.at:%Y-%m-%d %H:%M:%S}  {one.person}  {one.act}  {one.target}  {one.status}")


@team_.command("remove-person")
@click.argument("name")
@click.option(
    "--purge", is_flag=True, help="With their memories, sessions and events; what they shared stays."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@_in_team
def remove_person_(name: str, purge: bool, yes: bool, organisation: str | None) -> None:
    """Remove a person with their keys; with --purge, all that is theirs, for good.

    \b
    recollect team remove-person bo --purge --yes --db team.db
    """
    accounts = _open_accounts(organisation)
    accounts.find_person(name)
    ask_to_agree(f"Remove {name}{' and all that is theirs, for good' if purge else ''}?", yes)
    if not purge:
        accounts.remove_person(name)
        accounts.record("operator", "team.remove_person", target=name)
        _print_done({"person": name, "purged": 0}, f"Removed {name}. What they remembered stays.")
        return
    # Loaded here: few people are ever removed.
    from recollect.server.removal import purge_person

    with _open_whole_memory(accounts.organisation) as memory:
        removed = purge_person(accounts, memory, name)
    phrase = output.count_phrase(removed.purged, "memory")
    _print_done(
        {"person": name, "purged": removed.purged}, f"Removed {name} and {phrase} of theirs, for good."
    )


def _open_whole_memory(organisation: str) -> Recollect:
    """All that an organisation keeps, for whoever runs its database."""
    settings = read_settings()
    return Recollect(
        Organisations(settings.db, _now).address_of(organisation),
        folder=None,
        settings=settings,
        actor="agent" if config.is_agent_process() else "operator",
        channel=Channel.AGENT if config.is_agent_process() else Channel.USER,
        create=False,
    )


def _print_token(name: str, token: str, *, organisation: str | None) -> None:
    if output.is_json():
        output.print_json({"organisation": organisation, "person": name, "key": token})
        return
    output.print_line(token)
    output.print_note(
        f"This is the key of {name}. It is shown this once: keep it, or give it to `recollect login`."
    )


def _print_done(form: dict[str, Any], sentence: str) -> None:
    if output.is_json():
        output.print_json(form)
    else:
        output.print_line(sentence)


def _person_to_json(person: Person) -> dict[str, Any]:
    return {"name": person.name, "role": str(person.role), "created_at": person.created_at.isoformat()}


def _token_to_json(token: AccessToken) -> dict[str, Any]:
    def moment(at: datetime | None) -> str | None:
        return at.isoformat() if at else None

    return {
        "prefix": token.prefix,
        "person": token.person,
        "role": str(token.role),
        "agent": token.agent,
        "label": token.label,
        "created_at": moment(token.created_at),
        "expires_at": moment(token.expires_at),
        "revoked_at": moment(token.revoked_at),
        "used_at": moment(token.used_at),
    }
