"""Secrets made on the spot from the shapes their vendors document, in the places where people leave them.

No secret is written down here: each is put together from a prefix and random characters when a test runs.
"""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

HEX = "0123456789abcdef"
LETTERS = string.ascii_letters
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
LOWER = string.ascii_lowercase + string.digits
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"

Maker = Callable[[random.Random], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A text with one secret in it, and the part of the secret that must not survive."""

    shape: str
    text: str
    secret: str


def examples(*, seed: int, per_shape: int) -> Iterator[Example]:
    """Every shape ``per_shape`` times, each time in another place (where ¤ stands)."""
    rng = random.Random(seed)
    for shape, make in VENDOR_SHAPES.items():
        for turn in range(per_shape):
            secret = make(rng)
            place = PLACES[(turn + rng.randrange(len(PLACES))) % len(PLACES)]
            yield Example(shape=shape, text=place.replace("¤", secret), secret=secret)
    for shape, (make, places) in NAMED_SHAPES.items():
        for turn in range(per_shape):
            secret = make(rng)
            place = places[turn % len(places)]
            yield Example(shape=shape, text=place.replace("¤", secret), secret=secret)
    for turn in range(per_shape):
        yield _key_block(rng, turn)


def some(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


def _shape(*parts: str | tuple[str, int] | tuple[str, int, int]) -> Maker:
    """Literal parts as they are; (alphabet, length) or (alphabet, shortest, longest) at random."""

    def make(rng: random.Random) -> str:
        made = [
            part if isinstance(part, str) else some(rng, part[0], rng.randint(part[1], part[-1]))
            for part in parts
        ]
        return "".join(made)

    return make


def _pick(*makers: Maker) -> Maker:
    return lambda rng: rng.choice(makers)(rng)


def _json_web_token(rng: random.Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    claims = f'{{"sub":"{some(rng, string.digits, 10)}","name":"{some(rng, LETTERS, 12)}"}}'
    return ".".join((part('{"alg":"HS256","typ":"JWT"}'), part(claims), some(rng, URL_SAFE, 43)))


VENDOR_SHAPES: dict[str, Maker] = {
    "aws access key": _pick(_shape("AK", "IA", (BASE32, 16)), _shape("AS", "IA", (UPPER, 16))),
    "github classic": _pick(*(_shape("gh" + kind, "_", (ALNUM, 36)) for kind in "pousr")),
    "github fine-grained": _shape("github", "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab": _pick(
        *(_shape(f"gl{kind}-", (URL_SAFE, 20)) for kind in ("pat", "dt", "rt", "ptt", "cbt", "ft"))
    ),
    "gitlab routable": _shape("glpat", "-", (URL_SAFE, 27), ".01.", (LOWER, 9)),
    "anthropic": _shape("sk-", "ant-", "api03-", (URL_SAFE, 93), "AA"),
    "openai project": _shape("sk-", "proj-", (URL_SAFE, 74), "T3Blbk", "FJ", (URL_SAFE, 74)),
    "openai classic": _shape("sk", "-", (ALNUM, 20), "T3Blbk", "FJ", (ALNUM, 20)),
    "openai service": _shape("sk-", "svcacct-", (URL_SAFE, 58)),
    "openrouter": _shape("sk-", "or-v1-", (HEX, 64)),
    "slack bot": _shape("xo", "xb-", (string.digits, 12), "-", (string.digits, 12), "-", (ALNUM, 24)),
    "slack user": _shape("xo", "xp-", (string.digits, 12), "-", (string.digits, 13), "-", (HEX, 32)),
    "slack app": _shape("xa", "pp-1-", (UPPER, 11), "-", (string.digits, 13), "-", (HEX, 64)),
    "google key": _shape("AI", "za", (URL_SAFE, 35)),
    "google client secret": _shape("GOC", "SPX-", (URL_SAFE, 28)),
    "google access token": _shape("ya", "29.", (URL_SAFE, 120, 180)),
    "google refresh token": _shape("1/", "/0", (URL_SAFE, 60, 98)),
    "stripe": _pick(*(_shape(kind, "_live_", (ALNUM, 24, 99)) for kind in ("sk", "rk"))),
    "stripe test": _shape("sk", "_test_", (ALNUM, 24)),
    "webhook": _shape("wh", "sec_", (ALNUM, 32)),
    "npm": _shape("np", "m_", (ALNUM, 36)),
    "pypi": _shape("py", "pi-AgEIcHlwaS5vcmc", (URL_SAFE, 120, 160)),
    "hugging face": _shape("h", "f_", (LETTERS, 34)),
    "sendgrid": _shape("S", "G.", (URL_SAFE, 22), ".", (URL_SAFE, 43)),
    "twilio": _shape("S", "K", (HEX, 32)),
    "mailgun": _shape("ke", "y-", (HEX, 32)),
    "mailchimp": _shape((HEX, 32), "-u", "s", (string.digits[1:], 1)),
    "brevo": _shape("xkey", "sib-", (HEX, 64), "-", (ALNUM, 16)),
    "digitalocean": _pick(*(_shape(f"do{kind}_v1", "_", (HEX, 64)) for kind in "opr")),
    "shopify": _pick(*(_shape("shp", kind, "_", (HEX, 32)) for kind in ("at", "ca", "pa", "ss"))),
    "square": _pick(_shape("sq0", "atp-", (URL_SAFE, 22)), _shape("sq0", "csp-", (URL_SAFE, 43))),
    "square access token": _shape("EA", "AA", (URL_SAFE, 60)),
    "telegram": _shape((string.digits[1:], 10), ":A", "A", (URL_SAFE, 33)),
    "discord": _shape("M", (ALNUM, 23), ".", (ALNUM, 6), ".", (URL_SAFE, 27, 38)),
    "azure client secret": _shape((ALNUM, 3), "8Q", "~", (ALNUM + "-_~.", 34)),
    "json web token": _json_web_token,
    "databricks": _shape("da", "pi", (HEX, 32)),
    "heroku": _shape("HR", "KU-", (URL_SAFE, 60)),
    "linear": _shape("lin", "_api_", (ALNUM, 40)),
    "notion": _pick(_shape("nt", "n_", (ALNUM, 46)), _shape("sec", "ret_", (ALNUM, 43))),
    "vault": _shape("hv", "s.", (URL_SAFE, 90, 100)),
    "doppler": _shape("dp", ".pt.", (ALNUM, 43)),
    "fly": _shape("fo", "1_", (URL_SAFE, 43)),
    "supabase": _pick(_shape("sb", "p_", (HEX, 40)), _shape("sb", "_secret_", (URL_SAFE, 31))),
    "cloudflare": _shape("v1", ".0-", (HEX, 24), "-", (HEX, 146)),
    "docker": _shape("dckr", "_pat_", (URL_SAFE, 27)),
    "age": _shape("AGE-", "SECRET-KEY-1", ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "groq": _shape("gs", "k_", (ALNUM, 52)),
    "xai": _shape("xa", "i-", (ALNUM, 80)),
    "perplexity": _shape("pp", "lx-", (ALNUM, 48)),
    "replicate": _shape("r", "8_", (ALNUM, 37)),
    "atlassian": _shape("ATA", "TT3", (URL_SAFE, 186)),
    "grafana": _shape("gl", "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "sentry": _shape("sn", "tryu_", (HEX, 64)),
    "new relic": _shape("NR", "AK-", (UPPER, 27)),
    "postman": _shape("PM", "AK-", (HEX, 24), "-", (HEX, 34)),
    "figma": _shape("fi", "gd_", (URL_SAFE, 40)),
    "airtable": _shape("pa", "t", (ALNUM, 14), ".", (HEX, 64)),
    "planetscale": _shape("psc", "ale_tkn_", (URL_SAFE, 43)),
    "terraform": _shape((ALNUM, 14), ".atlas", "v1.", (URL_SAFE, 67)),
    "rubygems": _shape("ruby", "gems_", (HEX, 48)),
    "tailscale": _shape("ts", "key-auth-", (ALNUM, 16), "-", (ALNUM, 32)),
    "netlify": _shape("nf", "p_", (ALNUM, 40)),
}

PLACES = (
    "Use ¤ for the staging runner, and rotate it on Friday.",
    "the agent printed ¤",
    'client = Client("¤", timeout=30)',
    '{"id": 7, "credential": "¤", "active": true}',
    "DEPLOY=¤\nREGION=eu-west-1\n",
    "deploy:\n  value: ¤\n  region: eu\n",
    "$ tool login --with ¤ --quiet",
    '{"log": "started\\n¤\\nstopped"}',
    "- key: `¤` (old)",
    "GET /v1/items?value=¤&page=2 HTTP/1.1",
    "x-header: ¤\r\naccept: */*\r\n",
    "(¤)",
    "<td>¤</td>",
    "diff\n-  old = '¤'\n+  old = env('OLD')",
    "see https://host.invalid/cb#value%3D¤",
)

_PASSWORD_SIGNS = ALNUM + "!#%*+-_.~"


def _password(rng: random.Random) -> str:
    return (
        some(rng, LETTERS, 5)
        + some(rng, string.digits, 2)
        + some(rng, _PASSWORD_SIGNS, rng.randint(3, 12))
        + "k"
    )


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


NAMED_SHAPES: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "aws secret key": (
        _shape((BASE64, 40)),
        (
            "AWS_SECRET_ACCESS_KEY=¤",
            "export AWS_SECRET_ACCESS_KEY='¤'",
            "aws_secret_access_key = ¤\nregion = eu-west-1",
            '{"SecretAccessKey": "¤", "Expiration": "never"}',
            "AWS Secret Access Key [None]: ¤",
        ),
    ),
    "password": (
        _password,
        (
            "DB_PASSWORD=¤",
            'password = "¤"',
            '{"user": "bob", "password": "¤"}',
            "db:\n  user: bob\n  password: ¤\n",
            "psql --password ¤ --host db",
            "tool --db-password=¤",
            "my password is ¤",
            "The password for the staging database is ¤.",
            "Server=db;User Id=sa;Password=¤;Encrypt=true",
            "connect(user='bob', passwd='¤')",
            "mysql -u root -p¤ shop",
            "sshpass -p ¤ ssh bob@host",
            "curl -u bob:¤ https://host.invalid/",
            "curl -s \\\n  --user 'bob:¤' \\\n  https://host.invalid/",
            "machine host.invalid login bob password ¤",
            "<password>¤</password>",
            "self.dbPassword = '¤'",
            'os.environ["PGPASSWORD"] = "¤"',
            '{"text": "set DB_PASSWORD=¤\\nthen run"}',
            '{"body": "{\\"password\\": \\"¤\\"}"}',
            "passphrase: '¤'",
        ),
    ),
    "url password": (
        _shape((ALNUM, 8, 20)),
        (
            "postgres://bob:¤@db.invalid:5432/shop",
            "DATABASE_URL=mysql+pymysql://root:¤@127.0.0.1/app",
            "git clone https://bob:¤@git.invalid/x.git",
            '"redis://:¤@cache.invalid:6379/0"',
            "amqp://guest:¤@[::1]/vhost",
            "mongodb+srv://bob:p@¤@cluster.invalid/db",
        ),
    ),
    "hex token": (
        _shape((HEX, 32)),
        (
            "TWILIO_AUTH_TOKEN=¤",
            "auth_token: ¤",
            'const apiKey = "¤";',
            "X-Api-Key: ¤",
            "https://host.invalid/?access_token=¤&page=1",
            "the api key is ¤, keep it",
            "--token ¤",
            "client_secret='¤'",
            "SECRET_KEY: str = '¤'",
            "//registry.invalid/:_authToken=¤",
        ),
    ),
    "base62 token": (
        _shape((ALNUM, 24, 48)),
        (
            "API_KEY=¤",
            "Authorization: Bearer ¤",
            "-H 'Authorization: token ¤'",
            '"Authorization": "Bearer ¤"',
            "headers = {'X-Auth-Token': '¤'}",
            "token => '¤'",
            "client_secret := `¤`",
            "apiKey: ¤",
            "signing_key = b'¤'",
            "ENCRYPTION_KEY=¤",
        ),
    ),
    "heroku uuid": (_uuid, ("HEROKU_API_KEY=¤", 'api_key: "¤"', "heroku auth:token\ntoken: ¤")),
    "basic": (
        lambda rng: base64.b64encode(f"bob:{some(rng, ALNUM, 16)}".encode()).decode(),
        ("Authorization: Basic ¤", "-H 'Authorization: Basic ¤' -v"),
    ),
    "azure storage": (
        lambda rng: base64.b64encode(rng.randbytes(64)).decode(),
        (
            "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=¤;EndpointSuffix=core.windows.net",
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=¤",
        ),
    ),
    "azure signature": (
        lambda rng: (
            base64.b64encode(rng.randbytes(32)).decode().replace("+", "%2B").replace("/", "%2F").rstrip("=")
        ),
        ("https://x.blob.core.windows.net/c?sv=2022-11-02&se=2030-01-01&sr=c&sp=r&sig=¤%3D",),
    ),
    "slack webhook": (
        _shape((ALNUM, 24)),
        ("https://hooks.slack.com/services/" + "T0AB12CD3/B0EF45GH6/¤",),
    ),
    "discord webhook": (
        _shape((URL_SAFE, 68)),
        ("https://discord.com/api/webhooks/" + "1098765432109876543/¤",),
    ),
    "telegram address": (
        _shape((string.digits[1:], 10), ":A", "A", (URL_SAFE, 33)),
        ("https://api.telegram.org/bot¤/getMe",),
    ),
}


def _key_block(rng: random.Random, turn: int) -> Example:
    label = rng.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "))
    body = some(rng, BASE64, 64 * rng.randint(3, 25) + rng.randint(4, 60))
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    begin, end = f"-----{'BEGIN'} {label}PRIVATE KEY-----", f"-----END {label}PRIVATE KEY-----"
    match turn % 6:
        case 0:
            text = "\n".join(["the key:", begin, *lines, end, "and so on"])
        case 1:
            text = '{"private_key": "' + "\\n".join([begin, *lines, end]) + '\\n", "id": 1}'
        case 2:
            text = "\n".join([begin, *lines])
        case 3:
            text = "\n".join("> " + line for line in [begin, *lines, end])
        case 4:
            header = ["Proc-Type: 4,ENCRYPTED", f"DEK-Info: AES-256-CBC,{some(rng, UPPER, 8)}", ""]
            text = "\n".join([begin, *header, *lines[:-1], lines[-1][:20]])
        case _:
            text = "key = (\n" + "\n".join(f'    "{line}\\n"' for line in [begin, *lines, end]) + "\n)"
    return Example(shape="key block", text=text, secret=body)
