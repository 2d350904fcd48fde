from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewcheck.engine.redaction import Redactor
from crewcheck.engine.secret_rules import rule_of


def body(length: int, of: str = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0") -> str:
    """Something like the random part of a key; no key of this file is in it as a whole."""
    return (of * (length // len(of) + 1))[:length]


OPENAI = "sk-proj-" + body(40)
HEX = "0123456789abcdef"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,77\n\n"
    + "\n".join([body(64)] * 3)
    + "\n-----END RSA PRIVATE KEY-----"
)
JWT = ".".join(["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", body(43)])


def text(s: str) -> str:
    return Redactor().text(s)


def value(obj: Any, key: str | None = None) -> Any:
    return Redactor().value(obj, key)


def mask(kind: str, secret: str = "") -> str:
    if len(secret) < 16:
        return f"<redacted {kind}>"
    return f"<redacted {kind} #{sha256(secret.encode()).hexdigest()[:4]}>"


KEYS = {
    OPENAI: "openai key",
    "sk-" + body(48): "openai key",
    "sk-fake-corpus-0123456789abcdef": "openai key",
    "sk-test-12345678": "openai key",
    "sk-ant-" + "api03-" + body(60): "anthropic key",
    "sk-or-" + "v1-" + body(64, HEX): "openrouter key",
    "AKIA" + "Q3EGRZ7XWM2LKT5B": "aws key",
    "ASIA" + "Q3EGRZ7XWM2LKT5B": "aws key",
    "ghp_" + body(36): "github token",
    "gho_" + body(36): "github token",
    "github_pat_" + body(22) + "_" + body(59): "github token",
    "glpat-" + body(20): "gitlab token",
    "xoxb-" + "123456789012-" + body(24): "slack token",
    "hooks.slack.com/services/" + "T01ABCDEF/B01ABCDEF/" + body(24): "webhook",
    "AIza" + body(35): "google key",
    "hf_" + body(34): "huggingface token",
    "gsk_" + body(52): "api key",
    "sk_" + "live_" + body(24): "stripe key",
    "npm_" + body(36): "package token",
    "pypi-" + "AgEIcHlwaS5vcmc" + body(60): "package token",
    "SG." + body(22) + "." + body(43): "sendgrid key",
    "SK" + body(32, HEX): "twilio key",
    "123456789:AA" + body(33): "telegram token",
    "tvly-dev-" + body(32): "api key",
    "lsv2_pt_" + body(32, HEX) + "_0123456789": "api key",
    JWT: "jwt",
}


@pytest.mark.parametrize(("key", "kind"), KEYS.items(), ids=lambda part: str(part)[:12])
def test_well_known_keys_are_found_in_any_text(key: str, kind: str) -> None:
    hidden = mask(kind, key)
    assert text(key) == hidden
    assert text(f"The key is {key}, keep it.") == f"The key is {hidden}, keep it."
    assert text(f"密钥{key}。") == f"密钥{hidden}。"
    assert text(f'{{"note": "use \'{key}\'"}}') == f'{{"note": "use \'{hidden}\'"}}'
    assert text(rf"escaped\n{key}\n") == rf"escaped\n{hidden}\n"
    assert text(f"x=%22{key}%22") == f"x=%22{hidden}%22"
    assert text(f"\x1b[31m{key}\x1b[0m") == f"\x1b[31m{hidden}\x1b[0m"
    assert value({"a": [{"b": f"see {key}"}]}) == {"a": [{"b": f"see {hidden}"}]}
    assert value({"api_key": key}) == {"api_key": hidden}


@pytest.mark.parametrize(
    ("before", "secret", "after", "kind"),
    [
        ("postgresql://bob:", "hunter2", "@db.example.com:5432/app", "password"),
        ("see redis://:", "hunter2", "@localhost, then", "password"),
        ("https://u:", "p@ss:wd", "@host/x", "password"),
        ("https://u:", "pa/ss", "@host/x", "password"),
        ("https://", "f9f0b47bb5b943269ac46b85dfd5ba5f", "@o1.example.com/1", "url credential"),
        ("api_key=", "abc123def", "", "api key"),
        ("?page=2&access_token=", "abc123def", "&x=1", "token"),
        ("https://x.example/c?sv=2020&sig=", body(40), "&se=2030", "signature"),
        ("password: ", "hunter2", "\nnext", "password"),
        ("Password: ", "swordfish", "", "password"),
        ("the password: ", "hunter2", " works", "password"),
        ("My password is ", "hunter2", ".", "password"),
        ("**API key:** ", "abc123-def456", "", "api key"),
        ("passphrase = '", "correct horse battery staple", "'", "passphrase"),
        ('os.environ["GROQ_API_KEY"] = "', "abc-def", '"', "api key"),
        ('{"api_key": "', "abc", '", "max_tokens": 5}', "api key"),
        (r"{\"password\": \"", "correct horse", r"\", \"a\": 1}", "password"),
        ('{"password": ', "12345678", "}", "password"),
        ("Authorization: Bearer ", "abcdef1234567890", "\r\n", "bearer token"),
        ("curl -H 'authorization: Basic ", "dXNlcjpwYXNz", "' x", "authorization"),
        ("use Bearer ", "abcdef1234", " for it", "bearer token"),
        ("Set-Cookie: ", "sid=abc; Path=/", "\n", "cookie"),
        ("x --password ", "hunter2", " --user bob", "password"),
        ("x --api-key=", "abc123def", " run", "api key"),
        ("AccountName=a;AccountKey=", body(40) + "==", ";EndpointSuffix=core", "api key"),
        ("Server=tcp:x,1433;User ID=sa;Password=", "p@ss,w0rd", ";Encrypt=true", "password"),
        ("host=db password=", "hunter2", " user=bob", "password"),
        ("<password>", "hunter2", "</password>", "password"),
        ("export DB_PASSWORD=", "hunter2", "\n", "password"),
        ("id: ", PEM, "\nrest", "private key"),
        ("-H 'X-Api-Key: ", "abc123def456", "'", "api key"),
    ],
)
def test_secrets_by_what_is_written_before_them(
    before: str, secret: str, after: str, kind: str
) -> None:
    joined = re.sub(r"\s", "", secret)
    hidden = mask(kind, joined if len(joined) >= 16 else "")
    assert text(before + secret + after) == before + hidden + after


@pytest.mark.parametrize(
    "harmless",
    [
        "3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e",
        "token 3f2b8c1e4d5a4b6c8d7e9f0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e",
        "20261129T174258_d8a1e6e8_p-20261129T174257_789776cb",
        "data:image/png;base64," + b64encode(bytes(range(256)) * 8).decode(),
        "Set OPENAI_API_KEY, or api_key=OPENAI_API_KEY",
        "OPENAI_API_KEY=YOUR_KEY_HERE\nGROQ_API_KEY=<api key>\nX_API_KEY=${API_KEY}",
        "api_key={api_key} api_key: sk-... password: xxxxx password: *** password=None",
        '{"api_key": null, "token": "${TOKEN}", "password": "********", "secret": ""}',
        "sk-your-openai-key-goes-here sk-xxxxxxxxxxxxxxxxxxxxxxxx ghp_" + "x" * 36,
        "a risk-averse-strategies-2024 task-1234567890abcdef desk-0123456789abcdef",
        "sk-learn-compatible-estimators sk-fading-circle12",
        "Password: must be at least 8 characters. The password is required.",
        "max_tokens=4096 total_tokens: 1500 token_usage: 12 tokens: 5 next token: cat123456",
        "secret_santa: Bob primary_key: user_id_2024 tokenizer: cl100k_base keyboard=qwerty12",
        "connect(password=password, api_key=settings.api_key, token=get_token('x9'))",
        "api_key: str | None = os.environ.get('X_API_KEY')",
        "http://localhost:8080/a@b mailto:bob@example.com https://example.com/@user",
        "postgresql://<user>:<password>@host/db and https://u:${PASS}@host",
        "Bearer authentication is used; the bearer token: see below",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ public",
        "the secret is patience, the key: practice",
        "cookie: chocolate chip",
        "keys: a=b; author=Bob; path=/usr/lib PWD=/home/bob",
    ],
)
def test_look_alikes_stay(harmless: str) -> None:
    assert text(harmless) == harmless
    assert value([harmless]) == [harmless]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("api_key", "api key"),
        ("apiKey", "api key"),
        ("apikey", "api key"),
        ("X-API-KEY", "api key"),
        ("openaiApiKey", "api key"),
        ("SERPER_API_KEY", "api key"),
        ("openai_key", "api key"),
        ("aws_secret_access_key", "api key"),
        ("aws_access_key_id", "access key id"),
        ("api_key_2", "api key"),
        ("access_token", "token"),
        ("platform_token", "token"),
        ("refreshToken", "token"),
        ("token", "token"),
        ("Authorization", "authorization"),
        ("Proxy-Authorization", "authorization"),
        ("password", "password"),
        ("dbPassword", "password"),
        ("dbpassword", "password"),
        ("PGPASSWORD", "password"),
        ("smtp_pass", "password"),
        ("passwd", "password"),
        ("passphrase", "passphrase"),
        ("secret", "secret"),
        ("client_secret", "secret"),
        ("private_key", "private key"),
        ("credentials", "credentials"),
        ("connection_string", "connection string"),
        ("connectionString", "connection string"),
        ("dsn", "connection string"),
        ("Set-Cookie", "cookie"),
    ],
)
def test_what_is_under_a_secret_name_is_hidden_whole(name: str, kind: str) -> None:
    assert value({name: "swordfish"}) == {name: mask(kind)}
    assert value("swordfish", name) == mask(kind)
    assert value({name: {"x": ["swordfish"]}}) == {name: {"x": [mask(kind)]}}
    assert value({name: "sword-and-fish-and-sea"}) == {name: mask(kind, "sword-and-fish-and-sea")}
    assert value({name: ""}) == {name: ""}
    for stays in (None, True, False):
        assert value({name: stays}) == {name: stays}


@pytest.mark.parametrize(
    "name",
    [
        "max_tokens", "token_usage", "total_tokens", "tokens", "token_count", "tokenizer",
        "eos_token", "token_type", "next_page_token", "secret_santa", "secret_name", "is_secret",
        "keyboard", "primary_key", "public_key", "agent_key", "cache_key", "key", "keys",
        "password_policy", "has_password", "passenger", "compass", "author", "authors",
        "security_config", "cookie_policy", "api_key_env", "credentials_file", "id", "name", "",
    ],
)  # fmt: skip
def test_other_names_are_none(name: str) -> None:
    assert value({name: "swordfish"}) == {name: "swordfish"}
    assert value({name: 12345678}) == {name: 12345678}


def test_numbers_are_hidden_under_passwords_and_never_counts() -> None:
    assert value({"password": 12345678, "pin_code": 1234}) == {
        "password": mask("password"),
        "pin_code": mask("password"),
    }
    counts = {"token": 5, "access_token": 7, "token_cost_process": {"total_tokens": 15}}
    assert value(counts) is counts


def test_a_random_value_under_a_name_that_may_be_a_key() -> None:
    assert value({"serperdev_key": body(40)}) == {"serperdev_key": mask("key", body(40))}
    harmless = {"agent_key": body(32, HEX), "s3_key": "Reports/2024/a/B.pdf", "key": "user-12"}
    assert value(harmless) is harmless


def test_headers_and_environments() -> None:
    document: dict[str, Any] = {
        "default_headers": {
            "Authorization": "Bearer swordfish",
            "X-Key": "swordfish",
            "Cookie": "a=b",
            "Content-Type": "application/json",
            "User-Agent": "crew/1.0",
        },
        "headers": [["Authorization", "Token swordfish"], ["Accept", "text/html"]],
        "env": [{"name": "GROQ_API_KEY", "value": "swordfish"}, {"name": "HOME", "value": "/x"}],
        "args": ["serve", "--api-key", "swordfish", "--port", "80"],
    }
    assert value(document) == {
        "default_headers": {
            "Authorization": mask("bearer token"),
            "X-Key": mask("api key"),
            "Cookie": mask("cookie"),
            "Content-Type": "application/json",
            "User-Agent": "crew/1.0",
        },
        "headers": [["Authorization", mask("authorization")], ["Accept", "text/html"]],
        "env": [{"name": "GROQ_API_KEY", "value": mask("api key")}, document["env"][1]],
        "args": ["serve", "--api-key", mask("api key"), "--port", "80"],
    }


def test_a_schema_describes_a_secret_and_holds_none_but_its_default() -> None:
    schema = {"title": "Api Key", "type": "string", "description": "your key"}
    document = {"properties": {"api_key": schema, "password": {"anyOf": [{"type": "string"}]}}}
    assert value(document) is document
    assert value({"password": {**schema, "default": "swordfish"}}) == {
        "password": {**schema, "default": mask("password")}
    }
    pieces = [{"token": "Hello", "logprob": -0.1}]
    assert value(pieces) is pieces


def test_keys_that_are_secrets() -> None:
    other = "sk-proj-" + body(40)[::-1]
    assert value({OPENAI: 1, other: {"a": 2}}) == {
        mask("openai key", OPENAI): 1,
        mask("openai key", other): {"a": 2},
    }
    both = {f"password={n}hunter2-and-more": n for n in "ab"}
    assert sorted(value(both).values()) == ["a", "b"]
    short = {"password=hunter2": 1, "password=hunter3": 2}
    assert list(value(short).items()) == [
        ("password=<redacted password>", 1),
        ("password=<redacted password>'", 2),
    ]


def test_two_secrets_still_differ_and_one_is_the_same_everywhere() -> None:
    other = OPENAI[:-1] + "x"
    masks = {text(OPENAI), value({"api_key": OPENAI})["api_key"], text(f"a {OPENAI} b")[2:-2]}
    assert masks == {mask("openai key", OPENAI)}
    assert text(other) != text(OPENAI)
    assert text("password: hunter2") == text("password: hunter3")


def test_a_key_wrapped_over_two_lines() -> None:
    half, rest = OPENAI[:30], OPENAI[30:]
    hidden = mask("openai key", OPENAI)
    for gap in ("\n", "\r\n  ", r"\n", "\\\n"):
        assert text(f'see "{half}{gap}{rest}" there')[:26] == f'see "{hidden}'[:26]
        assert rest not in text(f'see "{half}{gap}{rest}" there')
    assert value({"api_key": f"{half}\n{rest}"}) == {"api_key": mask("api key", OPENAI)}
    assert text('api_key: "abc123\n   def456"') == f'api_key: "{mask("api key")}"'


def test_what_is_in_base64() -> None:
    for plain in (OPENAI, "password: hunter2, bob", f'{{"api_key": "{body(20)}"}}', PEM):
        coded = b64encode(plain.encode()).decode()
        known = plain != "password: hunter2, bob"  # only beginnings of keys are looked for
        assert text(f"data: {coded}") == (
            f"data: {mask('encoded secret', coded)}" if known else f"data: {coded}"
        )
    assert text(b64encode(b'{"a": "nothing to hide in here"}').decode()).startswith("eyJ")


def test_show_shows() -> None:
    shown = Redactor(show=True)
    document = {"api_key": OPENAI, OPENAI: 1}
    assert shown.text(OPENAI) == OPENAI
    assert shown.value(document) is document


def test_the_original_is_kept_and_what_is_unchanged_is_shared() -> None:
    clean = {"a": [1, {"b": "c"}]}
    document = {"llm": {"api_key": OPENAI, "model": "gpt-4o"}, "clean": clean, "list": [clean, "x"]}
    before = json.dumps(document)
    masked = value(document)
    assert json.dumps(document) == before
    assert masked["clean"] is clean
    assert masked["list"] is document["list"]
    assert list(masked) == list(document)
    assert value(clean) is clean
    assert value((OPENAI, 1)) == (mask("openai key", OPENAI), 1)


def test_deep_nesting() -> None:
    document: Any = {"password": "swordfish"}
    for _ in range(5000):
        document = {"a": [document]}
    masked = value(document)
    for _ in range(5000):
        masked = masked["a"][0]
    assert masked == {"password": mask("password")}


def test_lone_surrogates_and_controls() -> None:
    assert text("\ud83d password: hunter2\x00") == "\ud83d password: <redacted password>"
    odd = "swordfish\udfff and more"
    assert value({"password": odd})["password"].startswith("<redacted password #")
    assert value({"\ud83d": "\ud83d"}) == {"\ud83d": "\ud83d"}


FRAGMENTS = st.sampled_from(
    [
        "password", "api_key", "token", "Bearer ", "Authorization", "cookie", ": ", "=", '"', "'",
        "\\", "\\n", "\n", " ", "://", "@", "user", "--", "<", ">", "</", "hunter2", OPENAI, JWT,
        "sk-", "eyJ", ".", ",", ";", "&", "?", "is ", "{", "}", "xxx", "-----END",
        "-----BEGIN PRIVATE KEY-----", "<redacted password>", "é", "日", "secret", "sig",
        "abc123def456", "%20", "a=b", "'", "next",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_masking_twice_changes_nothing_and_no_known_key_is_left(s: str) -> None:
    once = text(s)
    assert text(once) == once
    for key in (OPENAI, JWT):
        assert not re.search(rf"(?<![A-Za-z0-9]){re.escape(key)}", once)


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8) | FRAGMENTS
NAMES = st.sampled_from(["api_key", "a", "headers", "value", "name", "type", "token"]) | FRAGMENTS


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
        max_leaves=12,
    )
)
def test_values_of_any_shape(obj: Any) -> None:
    before = json.dumps(obj)
    once = value(obj)
    assert json.dumps(obj) == before
    assert value(once) == once
    assert json.loads(json.dumps(once)) == once


@pytest.mark.parametrize(
    "piece",
    ["x", ":", "=", "sk-", "eyJ-", "eyJabcdefghi.", "password=", "://", "://@", "c2st", "-", "\\",
     "Cookie: a;", "token: '", "bearer ", "-----BEGIN PRIVATE KEY-----!", "password=a(", "SG.a"],
)  # fmt: skip
def test_time_grows_with_the_length_only(piece: str) -> None:
    def seconds(length: int) -> float:
        hostile = (piece * (length // len(piece) + 1))[:length]
        begin = time.process_time()
        text(hostile)
        return time.process_time() - begin

    # eight times the length in far less than 64 times the time
    assert seconds(200_000) < 30 * max(seconds(25_000), 0.003)


def test_importing_is_cheap() -> None:
    seen = subprocess.run(
        [sys.executable, "-c", "import crewcheck.engine.redaction, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not {"hashlib", "json", "pydantic", "rich", "base64", "unicodedata"} & set(seen)


def test_rules_of_names_are_by_words() -> None:
    assert rule_of("the staging API key", whole=False) is rule_of("apiKey")
    assert rule_of("has_api_key") is None
    assert rule_of("x" * 300 + "_password") is None


def test_what_holds_no_secret_is_given_back_itself() -> None:
    """Also where equal keys are several objects, as some parsers make them."""
    twice = {"".join(["con", "text"]): "a"}, {"".join(["con", "text"]): "b"}
    assert next(iter(twice[0])) is not next(iter(twice[1]))
    redactor = Redactor()
    assert [redactor.value(one) is one for one in twice] == [True, True]
