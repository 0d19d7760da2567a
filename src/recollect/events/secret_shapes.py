"""What secrets look like, as tables for `redact`: the shapes vendors document, and the places that give one away."""

# Shapes as the vendors document them: kind, needles (one must be there), pattern. A group marks the secret
# part. A literal in front lets the engine skip ahead; an open-ended tail swallows the run, so no end is left.
VENDORS = (
    ("aws_access_key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("recollect_key", "rct_", r"rct_[\w.-]{1,80}_[0-9a-f]{10}_[0-9a-f]{64}"),
    ("github_token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}+"),
    ("github_token", "ghs_", r"ghs_[A-Za-z0-9_.-]{36,}+"),
    ("github_token", "ghp_ gho_ ghu_ ghr_", r"gh[pour]_[A-Za-z0-9]{36,}+"),
    (
        "gitlab_token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas- GR1348941",
        r"(?:gl[a-z]{2,5}-|GR1348941)[A-Za-z0-9_-]{20,}+(?:\.[a-z0-9]{2,}+)*+",
    ),
    ("anthropic_key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{24,}+"),
    ("openrouter_key", "sk-or-", r"sk-or-v\d-[a-f0-9]{32,}+"),
    ("openai_key", "sk-", r"sk-[A-Za-z0-9_-]{20,}+"),
    ("slack_token", "xox", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}+"),
    ("slack_token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}+"),
    (
        "slack_webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,}+)",
    ),
    ("google_api_key", "AIza", r"AIza[A-Za-z0-9_-]{35,}+"),
    ("google_oauth", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{24,}+"),
    ("google_oauth", "ya29.", r"ya29\.[A-Za-z0-9_.-]{20,}+"),
    ("google_oauth", "1//0", r"1//0[A-Za-z0-9_-]{40,}+"),
    ("stripe_key", "k_live_ k_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+"),
    ("webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/_-]{24,}+={0,2}"),
    ("npm_token", "npm_", r"npm_[A-Za-z0-9]{36,}+"),
    ("pypi_token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,}+"),
    ("huggingface_token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}+"),
    ("sendgrid_key", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,}+"),
    ("twilio_key", "SK", r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    ("mailgun_key", "key-", r"key-[0-9a-f]{32}(?![0-9A-Za-z])"),
    (
        "mailgun_key",
        "mailgun Mailgun MAILGUN",
        r"(?<![0-9a-f])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f])",
    ),
    ("mailchimp_key", "-us", r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    ("brevo_key", "xkeysib-", r"xkeysib-[a-f0-9]{40,}+(?:-[A-Za-z0-9]{8,}+)?"),
    ("digitalocean_token", "_v1_", r"do[opr]_v1_[a-f0-9]{32,}+"),
    ("shopify_token", "shp", r"shp(?:at|ca|pa|ss|tka|tk)_[A-Fa-f0-9]{32,}+"),
    ("square_token", "sq0", r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,}+"),
    ("square_token", "EAAA", r"EAAA[A-Za-z0-9_-]{56,}+"),
    ("telegram_token", ":AA", r"(?<!\d)(?P<secret>\d{8,10}:AA[A-Za-z0-9_-]{32,}+)"),
    (
        "discord_token",
        ".",
        r"[MNO](?:(?<![\w-].)|(?<=\\[nrt].)|(?<=%[0-9A-F]{2}.))[A-Za-z0-9_-]{22,27}+\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+",
    ),
    (
        "discord_webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d{10,24}/(?P<secret>[A-Za-z0-9_-]{40,}+)",
    ),
    ("azure_key", "ccountKey= ccessKey=", r"(?:Account|Access)Key=(?P<secret>[A-Za-z0-9+/]{40,}+={0,2})"),
    ("azure_key", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,}+"),
    ("azure_signature", "sig=", r"[?&;]sig=(?P<secret>[A-Za-z0-9+/%_-]{40,}+={0,2})"),
    (
        "json_web_token",
        "eyJ",
        r"eyJ(?:(?<![\w-]eyJ)|(?<=\\[nrt]eyJ)|(?<=%[0-9A-F]{2}eyJ))[\w-]{8,8192}+\.(?:eyJ)?[\w-]{8,65536}+\.[\w-]{16,}+",
    ),
    ("databricks_token", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?(?![0-9A-Za-z])"),
    ("heroku_key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,}+"),
    ("linear_key", "lin_", r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,}+"),
    ("notion_token", "secret_ ntn_", r"(?:secret|ntn)_[A-Za-z0-9]{40,}+"),
    ("vault_token", "hv", r"hv[sbr]\.[A-Za-z0-9_-]{24,}+"),
    (
        "doppler_token",
        "dp.",
        r"dp\.(?:ct|pt|st|sa|said|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}+",
    ),
    ("fly_token", "fm1 fm2_ fo1_", r"f(?:m1[ar]|m2|o1)_[A-Za-z0-9+/=_-]{40,}+"),
    ("supabase_key", "sbp_ sb_secret_", r"sb(?:p_[a-f0-9]{40,}+|_secret_[A-Za-z0-9_-]{20,}+)"),
    ("cloudflare_key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+"),
    ("cloudflare_key", "cfk_ cfut_ cfat_", r"cf(?:k|ut|at)_[A-Za-z0-9]{36,}+"),
    ("vault_token", "s.", r"(?<![\w.])s\.(?=[A-Za-z0-9]{0,23}\d)[A-Za-z0-9]{24}(?![\w(.])"),
    ("docker_token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{24,}+"),
    ("age_key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}+"),
    ("groq_key", "gsk_", r"gsk_[A-Za-z0-9]{40,}+"),
    ("xai_key", "xai-", r"xai-[A-Za-z0-9]{60,}+"),
    ("perplexity_key", "pplx-", r"pplx-[A-Za-z0-9]{40,}+"),
    ("replicate_token", "r8_", r"r8_[A-Za-z0-9]{36,}+"),
    ("atlassian_token", "ATATT3 ATCTT3 ATBB", r"AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{24,}+"),
    ("grafana_token", "glc_ glsa_", r"gl(?:c_[A-Za-z0-9+/]{32,}+={0,2}|sa_[A-Za-z0-9]{32}_[a-f0-9]{8})"),
    ("sentry_token", "sntry", r"sntry[su]_[A-Za-z0-9+/=_]{40,}+"),
    ("newrelic_key", "NRAK-", r"NRAK-[A-Z0-9]{27,}+"),
    ("postman_key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34,}+"),
    ("figma_token", "figd_", r"figd_[A-Za-z0-9_-]{36,}+"),
    ("airtable_token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("planetscale_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}+"),
    ("terraform_token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}+"),
    ("rubygems_key", "rubygems_", r"rubygems_[a-f0-9]{48,}+"),
    ("tailscale_key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}+"),
    ("netlify_token", "nfp_", r"nfp_[A-Za-z0-9]{36,}+"),
    ("onepassword_token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/_-]{100,}+={0,2}"),
    ("circleci_token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}+_[a-f0-9]{40,}+"),
    (
        "buildkite_token",
        "bkua_ bkct_ bkaj_ bkar_ bkat_ bkps_ bkpt_",
        r"bk(?:ua|ct|aj|ar|at|ps|pt)_[A-Za-z0-9]{32,}+",
    ),
    # In base64 a run such as this may follow + or /.
    ("facebook_token", "EAA", r"EAA(?<![+/]EAA)[A-Za-z0-9]{80,}+"),
    ("facebook_token", "|", r"\|(?<=\d{13}\|)(?P<secret>[A-Za-z0-9_-]{27})(?![\w|-])"),
    ("mws_token", "amzn.mws.", r"amzn\.mws\.[0-9a-f-]{36}"),
    ("alibaba_key", "LTAI", r"LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"),
    ("dropbox_token", "sl.", r"sl\.(?:u\.)?[A-Za-z0-9_-]{100,}+"),
    ("dynatrace_token", "dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    ("pulumi_token", "pul-", r"pul-[a-f0-9]{40}(?![0-9A-Za-z])"),
    ("typeform_token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{40,}+"),
    ("contentful_token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{40,}+"),
    ("adafruit_key", "aio_", r"aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])"),
    ("prefect_key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("clojars_token", "CLOJARS_", r"CLOJARS_[a-f0-9]{56,}+"),
    ("easypost_key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54,}+"),
    ("readme_key", "rdme_", r"rdme_[a-z0-9]{64,}+"),
    ("shippo_key", "shippo_", r"shippo_(?:live|test)_[a-f0-9]{40,}+"),
    ("sonar_token", "squ_ sqp_ sqa_", r"sq[upa]_[a-f0-9]{40}"),
    ("mapbox_token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{40,}+\.[A-Za-z0-9_-]{20,}+"),
    ("docker_token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}+"),
    ("nuget_key", "oy2", r"(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("newrelic_key", "NRAL", r"(?<![0-9a-f])[0-9a-f]{36}NRAL(?![A-Za-z0-9])"),
    ("artifactory_key", "AKCp", r"AKCp[A-Za-z0-9]{60,}+"),
    ("artifactory_key", "cmVmdGtu", r"cmVmdGtu[A-Za-z0-9]{50,}+"),
    ("crates_token", "cio", r"(?<![A-Za-z0-9])cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("linear_key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}+"),
    ("flutterwave_key", "FLWSECK", r"FLWSECK(?:_TEST|_PROD)?-[A-Za-z0-9]{12,}+(?:-X)?"),
)

_LITERAL = r"[\"'](?P<value>[^\"'\s]{6,256}+)[\"']"

# Places where the value is a secret although no name stands beside it: kind, a needle in the lowered text,
# a pattern for the lowered text. What stands there must still look like a password or a token.
CONTEXTS = (
    (
        "password",
        ".login(",
        r"\.login\((?:[^\n(),]|\([^\n()]{0,40}+\)){1,120}+,\s{0,8}+" + _LITERAL + r"\s{0,8}+\)",
    ),
    (
        "password",
        "convertto-securestring",
        r"convertto-securestring(?:[ \t]{1,4}+-[a-z]{1,20}+){0,4}+[ \t]{1,4}+"
        r"[\"']?(?P<value>[^\s\"'$()-][^\s\"'()]{5,256}+)",
    ),
    ("password", "identified", r"identified\s{1,4}+by\s{1,4}+" + _LITERAL),
    (
        "secret",
        "variable",
        r"variable\s{1,4}+\"(?=[^\"\n]{0,60}(?:passw(?:or)?d|passphrase|pwd|secret|token|[_-]key|credentials?)\")[^\"\n]{1,80}+\""
        r"\s{0,4}+\{(?:(?!\bdefault\b)[^{}]){0,600}+default\s{0,16}+=\s{0,4}+" + _LITERAL,
    ),
    ("fernet_key", "fernet(", r"fernet\(\s{0,8}+b?[\"'](?P<value>[\w-]{43}=)[\"']"),
    (
        "secret",
        "value",
        r"(?:name|key|id)=[\"'](?=[^\"'\n]{0,60}(?:passw(?:or)?d|passphrase|pwd|secret|token|key)[\"'])[^\"'\n]{1,80}+[\"']"
        r"\s{1,8}+value=" + _LITERAL,
    ),
    # A call that logs in: a literal after the first argument.
    *(
        (
            "password",
            needle,
            rf"{needle}[a-z]{{0,12}}+\s{{0,2}}+[(=][(\s]{{0,4}}+[^\n()]{{1,120}}?,\s{{0,8}}+" + _LITERAL,
        )
        for needle in ("auth", "connect", "credential", "pdo", "signin", "logon")
    ),
    ("secret", "jwt.", r"jwt\.(?:sign|verify|encode|decode)\([^\n()]{1,80}?,\s{0,8}+" + _LITERAL),
    ("password", "password(", r"(?<![\w.])password\(\s{0,4}+" + _LITERAL),
    (
        "secret",
        "</key>",
        r"<key>[^<\n]{0,60}(?:password|passwd|secret|token|apikey|api_key)</key>\s{0,16}+<string>(?P<value>[^<\s]{6,256}+)",
    ),
    (
        "secret",
        "define",
        r"define\(\s{0,4}+[\"'][^\"'\n]{0,60}(?:passw(?:or)?d|pass|pwd|secret|token|key|salt)[\"']\s{0,4}+,\s{0,8}+"
        + _LITERAL,
    ),
    (
        "secret",
        "setdefault",
        r"(?:setdefault|setproperty|putenv|setenv)\(\s{0,4}+[\"'][^\"'\n]{0,60}(?:passw(?:or)?d|pass|pwd|secret|token|key|salt)[\"']\s{0,4}+,\s{0,8}+"
        + _LITERAL,
    ),
    ("authorization", '"auth"', r"\"auth\"\s{0,4}+:\s{0,4}+\"(?P<value>[a-z0-9+/]{16,512}+={0,2})\""),
    # Calls that take a user and a password, one behind the other.
    *(
        (
            "password",
            needle,
            needle
            + r"\w{0,12}\((?:[^\n()]{0,160}?,)?\s{0,8}+[\"'][^\"'\n]{0,80}[\"']\s{0,4}+,\s{0,8}+"
            + _LITERAL,
        )
        for needle in ("getconnection", "pdo", "mysqli", "networkcredential", "plainauth", "usernamepassword")
    ),
    (
        "token",
        "vault_token",
        r"vault_token[\"']?[ \t]{0,4}+[=:][ \t]{0,4}+[\"']?(?P<value>s\.[a-z0-9]{24})(?![a-z0-9])",
    ),
    ("password", "@tcp(", r"[\"'`][\w.-]{1,64}+:(?P<value>[^\s\"'@]{4,128}+)@tcp\("),
    (
        "api_key",
        "-key:",
        r"(?<![\w-])[a-z][a-z0-9-]{1,40}?-key:[ \t]{1,4}+(?P<value>[a-z0-9+/_-]{24,512}+={0,2})",
    ),
    ("password", "setpassword", r"setpassword\(\s{0,4}+" + _LITERAL),
    ("secret", "privatekey", r"(?<![a-z])privatekey[ \t]{0,4}+=[ \t]{0,4}+(?P<value>[a-z0-9+/]{43}=)"),
    # Whatever the scheme is called: SSWS, Token token=, GenieKey.
    (
        "authorization",
        "authorization",
        r"authorization[\"']?[ \t]{0,4}+[:=,][ \t]{0,4}+[\"']?[a-z][a-z0-9-]{2,16}+[ \t]{1,4}+(?:token=)?[\"']?"
        r"(?P<value>[a-z0-9+/_.~-]{16,1024}+={0,2})",
    ),
    ("secret", "fernet", r"[\"'](?P<value>[a-z0-9_-]{43}=)[\"']"),
    # The one argument of a program that logs in.
    (
        "token",
        " login ",
        r"(?<![\w-])[a-z][a-z0-9-]{1,16}+ login[ \t]{1,4}+[\"']?(?P<value>[a-z0-9_.-]{24,512}+)(?![\w/@:])",
    ),
    ("token", ".login", r"\.login[ \t]{0,4}+[=:][ \t]{0,4}+(?P<value>[0-9a-f]{32,64}+)(?![\w-])"),
    (
        "api_key",
        "key",
        r"(?:api|access|secret|private|auth|master|signing)[ _-]?key(?: (?:for|of|to) [\w.-]{1,40}+)?"
        r" (?:is|ist|lautet|est|es|è|é)[ \t:]{1,4}+[\"'`]?(?P<value>[^\s\"'`,;]{8,256}+)",
    ),
    (
        "cookie",
        "cookie",
        r"cookie:[^\n]{0,400}?(?:sess\w{0,12}|sid|auth\w{0,12}|token|jwt)=(?P<value>[\w.%+/-]{16,1024}+)",
    ),
    ("password", "psk", r"(?<![a-z])psk\s{0,4}+[=:]\s{0,4}+[\"']?(?P<value>[^\s\"']{8,64}+)"),
    ("password", "community", r"snmp-server community[ \t]{1,4}+(?P<value>[^\s]{6,64}+)"),
    ("password", "pw", r"(?<![a-z0-9_-])pw[ \t]{0,4}+[:=][ \t]{0,4}+[\"']?(?P<value>[^\s\"',;]{6,128}+)"),
    # The lines of a .pgpass file: host, port, database, user.
    (
        "password",
        ":",
        r"(?<!\S)[^\s:]{1,128}+:(?:\d{2,5}|\*):[^\s:/]{1,64}+:[^\s:/]{1,64}+:(?P<value>[^\s:]{6,128}+)(?!\S)",
    ),
    # An environment variable that holds a key, whatever it is the key of.
    (
        "api_key",
        "_key=",
        r"(?<![a-z0-9])(?!(?:[a-z0-9]+_)*(?:cache|primary|foreign|sort|partition|public|routing|index|issue|project|map)_key=)"
        r"[a-z0-9_]{2,40}?_key=[\"']?(?:base64:)?(?P<value>[a-z0-9+/_-]{24,512}+={0,2})",
    ),
    ("token", "_pat=", r"[a-z0-9]_pat=[\"']?(?P<value>[a-z0-9_-]{20,256}+)"),
    (
        "secret",
        "configure set",
        r"configure set[ \t]{1,4}+[\w.]{0,40}(?:secret|token|key)\w{0,16}+[ \t]{1,4}+(?P<value>[^\s\"']{16,512}+)",
    ),
    ("password", "requirepass", r"requirepass[ \t]{1,8}+[\"']?(?P<value>[^\s\"']{6,256}+)"),
    ("password", "pass:", r"(?<!\S)(?:-pass(?:in|out)?[ \t]{1,4}+)[\"']?pass:(?P<value>[^\s\"']{6,256}+)"),
)

# A command with its arguments, over continued lines; and where in it a password stands.
COMMANDS = (
    (
        ("curl ", "wget ", "http ", "https ", "etcdctl ", "xh "),
        r"(?:curl|wget|https?|etcdctl|xh) (?:[^\n\\]|\\[\s\S]){1,2000}+",
        r"(?<!\S)(?:-u|--user|-a|--auth)[ =]{0,2}+[\"']?[^\s:/\"']{1,128}+:(?P<value>(?!\[redacted)[^\s\"']{3,256}+)",
    ),
    (
        ("sshpass ", "docker login "),
        r"(?:sshpass|docker login) (?:[^\n\\]|\\[\s\S]){1,2000}+",
        r"(?<!\S)-p[ =]?[\"']?(?P<value>(?![-\[])[^\s\"']{3,256}+)",
    ),
    # Here a password clings to its letter: after a space stands the name of a database.
    (
        ("mysql", "mariadb"),
        r"(?:mysql[a-z]{0,8}|mariadb[a-z-]{0,8}) (?:[^\n\\]|\\[\s\S]){1,2000}+",
        r"(?<!\S)-p[\"']?(?P<value>(?![-\[])[^\s\"']{3,256}+)",
    ),
    (
        ("zip ",),
        r"(?<!\S)zip (?:[^\n\\]|\\[\s\S]){1,2000}+",
        r"(?<!\S)(?:-P[ =]?|--password[ =])[\"']?(?P<value>(?![-\[$])[^\s\"']{4,256}+)",
    ),
    (
        ("7z ", "7za ", "rar "),
        r"(?:7za?|(?:un)?rar) (?:[^\n\\]|\\[\s\S]){1,2000}+",
        r"(?<!\S)-p[\"']?(?P<value>(?![-\[$])[^\s\"']{4,256}+)",
    ),
    (
        ("sqlplus ",),
        r"sqlplus [^\n]{1,512}+",
        r"(?<=[ \t])[\w.-]{1,64}+/(?P<value>[^\s@/]{4,128}+)@",
    ),
    (
        ("schtasks ", "cmdkey ", "sc config"),
        r"(?:schtasks|cmdkey|sc config) [^\n]{1,512}+",
        r"(?i)(?<!\S)(?:/rp[ \t]{1,4}+|/p(?:ass)?:|password=[ \t]{0,4}+)(?P<value>[^\s\"'*]{4,128}+)",
    ),
    (
        ("redis-cli ",),
        r"redis-cli (?:[^\n\\]|\\[\s\S]){1,2000}+",
        r"(?<!\S)(?:-a|--pass)[ =]{1,2}+[\"']?(?P<value>(?![-\[$])[^\s\"']{3,256}+)",
    ),
    (
        ("htpasswd ",),
        r"htpasswd (?:-[a-zA-Z]{1,8}[ \t]{1,4}){0,4}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t][^\n|;&]{1,512}+",
        r"(?<=[ \t])[\"']?(?P<value>[^\s\"'$\[-][^\s\"']{3,256}+)[\"']?[ \t]{0,4}$",
    ),
    (
        ("net use",),
        r"net use[r]? [^\n]{1,512}+",
        r"(?:(?<=net user )[^\s/]{1,64}+|(?<!\S)/user:\S{1,128}+)[ \t]{1,4}+[\"']?"
        r"(?P<value>(?=[^\s\d!#%+~]{0,64}+[\d!#%+~])[^\s\"'/$*\[][^\s\"']{3,256}+)",
    ),
    (
        ("machine ",),
        r"machine [^\n]{1,512}+(?:\n[^\n]{1,256}+){0,4}+",
        r"(?<!\S)login\s{1,8}+\S{1,128}+\s{1,8}+password\s{1,8}+(?P<value>(?!\[redacted)\S{4,256}+)",
    ),
)

# What announces a password, in prose of several languages and in the arguments of programs; for the lowered text.
ANNOUNCED = (
    r"pass(?:wor[dt]|wd|phrase|code)?(?![a-z])|kennwort|zugangsdaten|mot de passe|contrase[ñn]a|\bclave\b|wachtwoord"
    r"|senha|parola|has[łl]o|парол|パスワード|暗証|密码|密碼|口令|비밀번호|mật khẩu|l[öo]senord|adgangskode"
    r"|salasana|şifre|jelszó|heslo|κωδικός|סיסמה|كلمة|credentials?|\bcreds\b|anmeldedaten|identifiants|login|logon"
    r"|chpasswd|add_user|change_password|sudo -s|(?:^|\s)-[a-z]{0,3}[pwku](?=[ \t\"'])"
    r"|(?:^|\s)(?:7z|7za|rar|unrar)[ \t][^\n]{0,40}?-p|\s/p(?:w|ass)?:|\s-u[ \t]+[\w.\\-]+%"
)
ANNOUNCED_WITHIN = 64
# Letters, at least two digits, and a sign inside: nobody writes a word or a formula so.
PASSWORD_SHAPE = (
    r"(?<![\w/.\\@])(?P<value>(?=[^\s\"'`,;]{0,40}\d[^\s\"'`,;]{0,40}?\d)(?=[^\s\"'`,;]{0,40}[A-Za-z])"
    r"[A-Za-z0-9_.-]{1,40}[!#%*~^?$&+][A-Za-z0-9!#%*~^?$&+_.-]{0,40})(?![\w/(=\[{:@])"
)

# A block may lack its end (cut off by a log), hold \n as two characters, or be quoted or diffed.
KEY_BLOCK = (
    r"-----BEGIN (?:[A-Z0-9]{2,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?P<body>(?:[^-]|-(?!----)){0,65536}+)-{5,6}END [A-Z0-9 ]{0,64}-----"
    r"|(?P<rest>(?:(?:\\n|\s){1,4}+[A-Z][A-Za-z-]{2,20}+: [^\n\\]{1,120}+){0,4}+"
    r"(?:(?:\\[nrt]|[\s\"'+>|,\\-]){0,64}+[A-Za-z0-9+/=]{32,}+)+"
    r"(?:(?:\\n|[\r\n])[ \t>+|]{0,32}+[A-Za-z0-9+/=]{4,}+(?![ .,:]))?))"
)
PUTTY_KEY = r"Private-Lines: \d{1,4}(?P<body>(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{4,}+(?!-)){1,200}+)(?P<rest>)"
# Words that documentation puts where a password goes, alone or numbered.
STAND_IN = (
    r"(?:my|your|the|some|test|user|admin|new|old|db|root|default|super|top|a)?[_-]?"
    r"(?:pass(?:word|wd|phrase|code)?|pw|pwd|secret|token|key|test(?:ing)?|foo|bar|baz|admin|user(?:name)?|demo|guest|root"
    r"|abc|qwerty|tiger|letmein|changeme|postgres|string|value|none|null|true|false|hidden|x+)[_-]?\d{0,5}[!.]?"
)
# Names that speak about a secret without holding one: token_type, password_field, secretName.
ABOUT = (
    r"(?:type|ur[il]|count|limit|names?|file|path|field|len|length|size|expiry|expires|ttl|class|form|input|regex"
    r"|pattern|re|prefix|suffix|hint|header|policy|index|arn|version|at|label|help|title|message|msg|error|doc|status"
    r"|state|scope|format|template|kind|idx|start|end|pos|line|map|env|var|id|ids|set|list|hash|digest|algorithm)$"
)
