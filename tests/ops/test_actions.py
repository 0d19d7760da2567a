"""Actions on services are recognised in shell commands, and nothing else is."""

from __future__ import annotations

import pytest

from recollect.ops.actions import DEFAULT_PATTERNS, find_acts

ACTS = {
    "docker restart jellyfin": [("restart", "jellyfin")],
    "sudo docker restart -t 10 jellyfin 2>&1 | tail": [("restart", "jellyfin")],
    "docker restart a b": [("restart", "a"), ("restart", "b")],
    "docker container restart x && docker restart x": [("restart", "x"), ("restart", "x")],
    "docker compose -f /srv/c.yml restart caddy": [("restart", "caddy")],
    "docker-compose restart caddy; sleep 3": [("restart", "caddy")],
    "systemctl --user restart nginx.service": [("restart", "nginx")],
    "ssh host 'systemctl restart postgresql@16'": [("restart", "postgresql@16")],
    "service mysql restart": [("restart", "mysql")],
    "kubectl -n web rollout restart deployment/api": [("restart", "api")],
    "kubectl rollout restart deployment api": [("restart", "api")],
    'do"ck"er res\\\ntart x': [("restart", "x")],
    "doc'ke'r restart jelly\"fin\"": [("restart", "jellyfin")],
    "docker \\\n  restart jellyfin": [("restart", "jellyfin")],
    "docker restart $NAME": [("restart", "$NAME")],
    "docker compose up -d --force-recreate jellyfin": [("redeployment", "jellyfin")],
    "docker compose up -d jellyfin caddy": [("redeployment", "jellyfin"), ("redeployment", "caddy")],
    "helm upgrade --install api ./chart": [("redeployment", "api")],
    "ansible-playbook redeploy.yml -e service=web": [("redeployment", "web")],
    "docker ps; systemctl status nginx": [],
    "echo the service will restart soon": [],
    "grep restart docker.log": [],
}


@pytest.mark.parametrize("command", ACTS)
def test_a_command_acts_on_these_services(command: str) -> None:
    assert [(act.action, act.service) for act in find_acts(command, DEFAULT_PATTERNS)] == ACTS[command]


def test_a_hostile_command_is_read_in_linear_time() -> None:
    for text in (
        "docker restart " * 1_300,
        "docker compose " * 1_300,
        "docker restart -a " * 1_100,
        "kubectl " * 2_500,
    ):
        assert len(list(find_acts(text, DEFAULT_PATTERNS))) < 5_000
