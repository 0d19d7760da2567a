"""Labelled secrets and look-alikes: the half that rules are written against, and how both halves are made and scored.

No secret is written down: a template says its shape, and the value is made from it when a test runs.
"""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable, Iterable, Iterator

from benchmarks import secrets_blind, secrets_fresh, secrets_held_out, secrets_seen
from benchmarks.secret_shapes import ALNUM, BASE64, HEX, LOWER, UPPER, URL_SAFE, Example, some

_ALPHABETS = {
    "A": ALNUM,
    "B": UPPER,
    "D": string.digits[1:],
    "H": HEX,
    "S": BASE64,
    "U": URL_SAFE,
    "O": LOWER,
}


def labelled(templates: Iterable[tuple[str, str, str]], *, seed: int) -> Iterator[Example]:
    """Each template with a secret of its shape put in."""
    rng = random.Random(seed)
    for sort, shape, text in templates:
        secret = make(rng, shape)
        yield Example(shape=sort, text=text.replace("¤", secret), secret=secret)


def make(rng: random.Random, shape: str) -> str:
    """Parts between spaces: `A36` is 36 of an alphabet, `P10` a password, `F` a Fernet key, anything else itself."""
    return "".join(_part(rng, part) for part in shape.split())


def _part(rng: random.Random, part: str) -> str:
    if part in _WHOLE:
        return _WHOLE[part](rng)
    size = re.fullmatch(r"([A-Z])(\d+)", part)
    if size and size[1] in _ALPHABETS:
        return some(rng, _ALPHABETS[size[1]], int(size[2]))
    if size and size[1] == "P":
        return some(rng, ALNUM, int(size[2]) - 4) + some(rng, string.digits, 2) + rng.choice("!#%*+~") + "k"
    if size and size[1] == "L":
        return some(rng, string.ascii_lowercase, int(size[2]) - 2) + some(rng, string.digits[1:], 2)
    return part


def _make_uuid(rng: random.Random) -> str:
    return "-".join(some(rng, HEX, length) for length in (8, 4, 4, 4, 12))


def _make_jwt(rng: random.Random) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    claims = base64.urlsafe_b64encode(b'{"sub":"' + str(rng.random()).encode() + b'"}').decode().rstrip("=")
    return f"{head}.{claims}.{some(rng, URL_SAFE, 43)}"


_WHOLE: dict[str, Callable[[random.Random], str]] = {
    "F": lambda rng: base64.urlsafe_b64encode(rng.randbytes(32)).decode(),
    "J": _make_jwt,
    "X": _make_uuid,
}

SECRETS = (
    ("telegram", "D10 :AA U33", "bot token ¤ works"),
    ("telegram", "D10 :AA U33", "https://api.telegram.org/bot¤/sendMessage"),
    ("circleci", "CCIPAT_ A22 _ H40", "CIRCLE=¤"),
    ("circleci", "CCIPRJ_ A22 _ H40", "project key ¤"),
    ("buildkite", "bkua_ H40", "BUILDKITE=¤"),
    ("buildkite", "bkaj_ A60", "agent: ¤"),
    ("facebook", "EAAB A100", "fb('¤')"),
    ("facebook", "A27", "access_token=635384278343797|¤"),
    ("mws", "amzn.mws. X", "MWS: ¤"),
    ("properties", "P12", "jdbc.password=¤"),
    ("properties", "L10", "server.ssl.key-store-password=¤"),
    ("properties", "L9", "app.name=shop\nquarkus.datasource.password = ¤\n"),
    ("shell", "L9", "DB_PASS=¤"),
    ("shell", "P10", 'PASSWORD="¤"'),
    ("shell", "L10", "password=¤ ./run.sh"),
    ("shell", "L10", "set -x PGPASSWORD ¤"),
    ("german", "P9", "Das Passwort lautet ¤."),
    ("german", "L9", "Das neue Passwort für den Server lautet: ¤"),
    ("german", "L9", "mein Passwort ist ¤"),
    ("german", "P9", "Kennwort: ¤"),
    ("german", "L9", "Zugangsdaten: bob / Passwort=¤"),
    ("english", "L9", "my password is ¤"),
    ("english", "P9", "the password for staging is ¤ now"),
    ("english", "L10", "use the password ¤ to log in"),
    ("english", "P9", "I changed the password to ¤"),
    ("french", "P9", "le mot de passe est ¤"),
    ("french", "L9", "mon mot de passe : ¤"),
    ("spanish", "L9", "mi contraseña es ¤"),
    ("italian", "L9", "la password è ¤"),
    ("dutch", "L9", "het wachtwoord is ¤"),
    ("portuguese", "L9", "a senha é ¤"),
    ("smtplib", "P10", 'server.login("bot@shop.invalid", "¤")'),
    ("smtplib", "L12", "imap.login('bob', '¤')"),
    ("smtplib", "L16", "s.login(EMAIL, '¤')"),
    ("securestring", "P11", 'ConvertTo-SecureString "¤" -AsPlainText -Force'),
    ("securestring", "L10", "ConvertTo-SecureString -AsPlainText -Force -String '¤'"),
    ("securestring", "P10", "New-Object PSCredential('bob', (ConvertTo-SecureString ¤ -AsPlainText -Force))"),
    ("terraform", "P12", 'variable "admin_password" {\n  default = "¤"\n}'),
    ("terraform", "A24", 'variable "api_key" {\n  type = string\n  default = "¤"\n  sensitive = true\n}'),
    ("fernet", "F", "cipher = Fernet('¤')"),
    ("fernet", "F", "fernet_key: ¤"),
    ("fernet", "F", "AIRFLOW__CORE__FERNET_KEY=¤"),
    ("hex named", "H32", "api_key: ¤"),
    ("hex named", "H40", "X-Auth-Token: ¤"),
    ("github", "gho_ A36", "backup-¤.zip"),
    ("github", "github_pat_ A22 _ A59", "GH=¤"),
    ("gitlab", "glptt- H40", "trigger ¤"),
    ("slack", "xoxp- D12 - D12 - D12 - H32", "src/¤.py"),
    ("aws", "ASIA B16", "[default]\nkey = ¤"),
    ("aws secret", "S40", "secret_access_key: ¤"),
    ("stripe", "rk_live_ A30", "¤"),
    ("openai", "sk- A48", "key=¤"),
    ("google", "GOCSPX- U28", '"client_secret": "¤"'),
    ("npm", "npm_ A36", "NPM=¤"),
    ("url", "L12", "postgres://shop:¤@db.invalid/shop"),
    ("url", "P10", "https://host.invalid/login?user=bob&password=¤"),
    ("basic", "A28", "Authorization: Basic ¤=="),
    ("bearer", "H40", "authorization: bearer ¤"),
    ("jwt", "J", "id_token=¤"),
    ("ansible", "P12", "ansible_password: ¤"),
    ("docker", "P10", "docker login registry.invalid --username bob --password ¤"),
    ("mysql", "L10", "mysql -h db -u root -p¤"),
    ("curl", "L10", "curl --user bob:¤ ftp://host.invalid"),
    ("sql", "P10", "ALTER ROLE shop PASSWORD '¤'"),
    ("sql", "L10", "CREATE USER 'shop'@'localhost' IDENTIFIED BY '¤'"),
    ("kubernetes", "L12", "--from-literal=db-password=¤"),
    ("yaml", "P10", "smtp:\n  password: '¤'\n"),
    ("json", "P10", '{"db": {"passwd": "¤"}}'),
    ("xml", "L10", '<property name="password" value="¤"/>'),
    ("connection string", "P11", "Host=db;Username=shop;Password=¤"),
    ("netrc", "P10", "machine host.invalid login bob password ¤"),
    ("vault", "hvb. U120", "vault login ¤"),
    ("shopify", "shpss_ H32", "shop: ¤"),
    ("dynatrace", "dt0s16. B8 . B64", "token ¤"),
    ("pulumi", "pul- H40", "PULUMI=¤"),
    ("dropbox", "sl. U140", "dropbox: ¤"),
    ("typeform", "tfp_ U44", "TYPEFORM=¤"),
    ("alibaba", "LTAI A20", "alibaba: ¤"),
    ("redis", "L12", "redis-cli -a ¤"),
    ("redis conf", "L14", "requirepass ¤"),
    ("windows", "P10", "net user bob ¤ /add"),
    ("htpasswd", "L10", "htpasswd -bc /etc/nginx/.htpasswd bob ¤"),
    ("openssl", "L10", "openssl pkcs12 -export -passout pass:¤ -in a.pem"),
    ("django", "S50", "SECRET_KEY = '¤'"),
)

LOOK_ALIKES = (
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "index 83db48f..bf269f4 100644",
    "id 123e4567-e89b-42d3-a456-426614174000",
    '"resolved": "https://registry.example.com/a/-/a-1.0.0.tgz#9d4b6f2e1a7c8d3f5e0b6a9c2d1e4f7a8b3c5d6e"',
    '"integrity": "sha512-kT7wYqZ0bVf3xN9mC1rLpE5jHsUa8dGoI2tXvQyWzR4uJeFhKnMbSgDcPlAiOx6B=="',
    'checksum = "5f3b8b1a6f0d7a0a6a1cbb19e54f8e4f1c0a1b8b0f6f7d1b2c3d4e5f60718293"',
    "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "golang.org/x/text v0.14.0 h1:ScX5w1eTa3QqT8oi6+ziP7dTV1S2+ALU0bI+0zXKWiQ=",
    'password = os.getenv("DB_PASSWORD")',
    "password = config['db']['password1']",
    'let password = env::var("DB_PASSWORD")?;',
    "password = input('Password 1: ')",
    "DB_PASSWORD=$(cat /run/secrets/db1)",
    "PGPASSWORD=${PGPASSWORD:-}",
    "export DB_PASS=$1",
    "password: !vault |",
    "password: '{{ vault_db_password2 }}'",
    "Passwords have at least 8 characters.",
    "Das Passwort lautet wie der Name des Hundes.",
    "Das Passwort ist zu kurz: 8 Zeichen",
    "Passwort: mindestens 12 Zeichen",
    "Bitte das Passwort für Server2 ändern",
    "le mot de passe est vide",
    "le mot de passe est stocké avec sha256",
    "la contraseña es muy corta",
    "la password è obbligatoria",
    "het wachtwoord is verlopen",
    "a senha é curta",
    "my password is the same as before",
    "the password is wrong, error 401",
    "The password is sent over TLS1.2",
    "use the password from 1Password",
    "use the password manager to log in2",
    "the password for user2 is in the vault",
    "change the password to something with 12 characters",
    "password protected zip2 files",
    "class PasswordField2(Field):",
    "from app.password import hash_v2",
    "password_reset_url = '/reset/v2'",
    "assert password != 'admin'",
    "server.login(EMAIL, PASSWORD)",
    "server.login(EMAIL, os.environ['MAIL_PASSWORD1'])",
    "logger.login('user1', 'page2')",
    "app.login('bob', 'home-page')",
    "ConvertTo-SecureString $password -AsPlainText -Force",
    "$p = Read-Host -AsSecureString 'Password2'",
    'variable "password" {\n  type = string\n}',
    'variable "instance_type" {\n  default = "t3.micro"\n}',
    'variable "secret_name" {\n  default = "shop-db-2"\n}',
    'variable "db_password" {\n  default = ""\n}\nvariable "zone" {\n  default = "eu-west-1a"\n}',
    "cipher = Fernet(key)",
    "Fernet(os.environ['FERNET_KEY2'].encode())",
    "num_tokens: 128000",
    "token_type_ids: int64",
    "next_page_token: null",
    "csrf_token()",
    "app.password=${APP_PASSWORD}",
    "server.ssl.key-store-password=changeit",
    "IDENTIFIED BY '${DB_PASSWORD}'",
    "WITH PASSWORD $1",
    "requirepass foobared",
    "redis-cli -a $REDIS_PASSWORD",
    "htpasswd -c .htpasswd bob",
    "net user bob /add",
    "net use Z: \\\\host\\share2",
    "openssl req -passin env:PASS2",
    "openssl rsa -passin pass:$PASS",
    '<property name="password" value="${db.password2}"/>',
    '<input type="password" name="password2" value="">',
    '<label for="password1">Password</label>',
    "https://host.invalid/reset-password/v2/index.html",
    "https://user:password@host.invalid/",
    "mongodb://localhost:27017/shop",
    "Authorization: Bearer <token>",
    "set -x PATH /usr/local/bin2",
    "set PASSWORD in the shell before step 2",
    "ratio 12345678:AAAA",
    "EAABC123 is the part number",
    "amzn.mws is a prefix",
    "pul-request-42",
    "sl.example.com/path1",
    "tfp_dist_normal_2",
    "cache-v3-Linux-8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7vbqajDhAJ3kQ2Xm1ZbT9 bob@host",
    "key: password",
    "tokens/second: 41.5",
    "pass 12 of 20",
)

HALVES = {
    "development": (
        (*labelled(SECRETS, seed=7), *labelled(secrets_seen.SECRETS, seed=11)),
        (*LOOK_ALIKES, *secrets_seen.LOOK_ALIKES),
    ),
    "held out": (tuple(labelled(secrets_held_out.SECRETS, seed=23)), secrets_held_out.LOOK_ALIKES),
    "fresh": (tuple(labelled(secrets_fresh.SECRETS, seed=31)), secrets_fresh.LOOK_ALIKES),
    "blind, looked at": (
        tuple(labelled(secrets_blind.SECRETS, seed=41))[::2],
        secrets_blind.LOOK_ALIKES[::2],
    ),
    "blind, only scored": (
        tuple(labelled(secrets_blind.SECRETS, seed=41))[1::2],
        secrets_blind.LOOK_ALIKES[1::2],
    ),
}
