"""A repository whose settings start programs wherever git lets them; whichever runs leaves a mark."""

from __future__ import annotations

from pathlib import Path

from tests.git.repos import git


def a_trap(repository: Path, folder: Path) -> Path:
    """Point every setting that can start a program at one that leaves a mark; gives the mark."""
    folder.mkdir()
    mark, bait = folder / "executed", folder / "bait"
    bait.write_text(f'#!/bin/sh\necho "$0 $*" >> "{mark}"\ncat\n', encoding="utf-8")
    bait.chmod(0o755)
    hooks = folder / "hooks"
    hooks.mkdir()
    for hook in (
        "post-index-change",
        "post-checkout",
        "pre-auto-gc",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        (hooks / hook).symlink_to(bait)
    (repository / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n", encoding="utf-8")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "-q", "-m", "Attributes")
    sign(repository)
    settings = {
        "core.fsmonitor": bait,
        "core.hooksPath": hooks,
        "log.showSignature": "true",
        "log.diffMerges": "remerge",
        "format.pretty": "%H %G? %GS",
        "diff.submodule": "diff",
        "filter.evil.required": "true",
        "remote.origin.url": f"ext::{bait} %S",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": bait,
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
        "diff.renames": "false",
        "diff.renameLimit": "1",
        "color.ui": "always",
    }
    programs = (
        "core.pager core.editor core.sshCommand core.askPass core.gitProxy core.alternateRefsCommand "
        "sequence.editor diff.external diff.evil.command diff.evil.textconv merge.evil.driver "
        "filter.evil.clean filter.evil.smudge filter.evil.process gpg.program gpg.ssh.program "
        "gpg.x509.program credential.helper pager.log pager.diff"
    )
    aliases = [
        f"alias.{name}" for name in ("log", "rev-list", "rev-parse", "status", "config", "for-each-ref")
    ]
    settings |= dict.fromkeys(programs.split(), bait) | dict.fromkeys(aliases, f"!{bait}")
    included = folder / "included"
    included.write_text(
        "".join(_as_config(f"{name}", str(value)) for name, value in settings.items()), "utf-8"
    )
    with (repository / ".git" / "config").open("a", encoding="utf-8") as config:
        config.writelines(_as_config(name, str(value)) for name, value in settings.items())
        config.write(f'[include]\n\tpath = "{included.as_posix()}"\n')
    mark.unlink(missing_ok=True)
    return mark


def _as_config(name: str, value: str) -> str:
    section, _, key = name.rpartition(".")
    section, _, subsection = section.partition(".")
    return (
        f'[{section} "{subsection}"]\n\t{key} = "{value}"\n'
        if subsection
        else f'[{section}]\n\t{key} = "{value}"\n'
    )


def sign(repository: Path) -> None:
    """Give the last commit a signature, so that a check would start the signature program."""
    head, _, message = git(repository, "cat-file", "commit", "HEAD").partition("\n\n")
    armour = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----"
    signed = git(
        repository, "hash-object", "-t", "commit", "-w", "--stdin", text=f"{head}\n{armour}\n\n{message}\n"
    )
    git(repository, "reset", "-q", "--hard", signed)
