"""What counts as a secret: names of keys, shapes of keys, and what only looks like one.

Names are judged by their last words, whatever their spelling: ``apiKey``, ``X-API-KEY`` and
``the api key`` are one; ``max_tokens``, ``secret_santa`` and ``primary_key`` are none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any


class Rule:
    """What is under a name. ``sure``: whatever it is; else only what looks random."""

    __slots__ = ("kind", "numbers", "sure")

    def __init__(self, kind: str, sure: bool = True, numbers: bool = False) -> None:
        self.kind = kind
        self.sure = sure
        self.numbers = numbers


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PASSWORD, PASSPHRASE = Rule("password", numbers=True), Rule("passphrase", numbers=True)
_PASS, _SOME_KEY = Rule("password", sure=False), Rule("key", sure=False)
_API_KEY, _TOKEN, BEARER = Rule("api key", numbers=True), Rule("token"), Rule("bearer token")
_SOME_AUTH, _SIGNATURE = Rule("authorization", sure=False), Rule("signature")
#: A name's last word or last two words, and the rule.
_NAMES = {
    name: rule
    for rule, names in (
        (PASSWORD, "password passwords passwd pwd passcode pin_code pass_word passwort contrasena"),
        (PASSPHRASE, "passphrase pass_phrase"),
        (_API_KEY, "apikey apikeys secretkey accesskey accountkey"),
        (Rule("private key"), "privatekey private_key private_keys ssh_key rsa_key pgp_key"),
        (Rule("secret", numbers=True), "secret secrets clientsecret"),
        (_TOKEN, "bearer jwt authtoken accesstoken refreshtoken"),
        (Rule("credentials"), "credential credentials creds"),
        (Rule("cookie"), "cookie cookies"),
        (Rule("connection string"), "dsn connstr connectionstring connection_string conn_str"),
        (Rule("authorization"), "authorization authorisation basic_auth"),
        (_SOME_AUTH, "auth"),
        (_SIGNATURE, "amz_signature access_signature"),
        (Rule("seed phrase"), "mnemonic seed_phrase seed_words recovery_phrase"),
    )
    for name in names.split()
}
#: Names that are also the end of one word, as in ``dbpassword``.
_GLUED = "password passwd apikey secretkey accesskey privatekey clientsecret authtoken accesstoken"
#: What makes a ``... key`` a secret one, what does not, and the same for tokens.
_KEY_OF = _words(
    "api apis secret access encryption signing auth account master subscription license shared"
    " storage admin webhook hmac aes jwt fernet service client developer app application session"
    " x openai anthropic azure google gemini groq serper serpapi tavily mistral cohere deepseek"
    " openrouter perplexity exa firecrawl pinecone qdrant weaviate langfuse langsmith huggingface"
    " hf aws github gitlab slack stripe sendgrid twilio replicate nvidia xai composio brave"
)
_NO_KEY = _words(
    "public primary foreign cache sort partition idempotency row hash index dedup routing object"
    " dict map group hot lookup unique composite websocket agent crew task shortcut"
)
_NO_TOKEN = _words(
    "next page eos bos pad unk sep mask cls stop start end special first last per max min input"
    " output prompt completion continuation cancel cancellation cached reasoning each single"
    " text image audio previous"
)
_TOKENS_OF = _words("access refresh auth api bearer id oauth bot")
_PASS_OF = _words("db database user smtp imap mysql postgres redis http proxy admin root email ftp")
#: Said after a name without changing it; before it, asking about it.
_AFTER = _words("value values raw plain plaintext new old current default header")
_ASKS = _words("has is needs require requires required use uses no show hide forgot missing enable")
_BARE = _words("key keys token tokens pass signature sig key_id")
#: The cheap question, asked before a name is looked at: its last three lower-case bytes.
ENDS = frozenset(name.encode()[-3:] for name in [*_NAMES, *_AFTER, *_BARE])
_WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+"


@lru_cache(maxsize=4096)
def rule_of(name: str, loose: bool = False, whole: bool = True) -> Rule | None:
    """The rule for what is under a name, None for most names.

    ``loose``: among headers or environment variables, where a bare ``key`` is one.
    ``whole``: not the end of a sentence, so that a first word like ``has`` counts.
    """
    end = name[-40:].encode("latin-1", "replace").lower().rstrip(b"0123456789_- ")
    if len(name) > 200 or end[-3:] not in ENDS or "<" in name or "---" in name:
        return None
    words = [word.lower() for word in re.findall(_WORD, name)]
    if words[-3:] == ["access", "key", "id"]:
        return Rule("access key id")
    while words and (words[-1].isdigit() or words[-1] in _AFTER):
        words.pop()
    if not words or (whole and len(words) > 1 and words[0] in _ASKS):
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    found = _NAMES.get(f"{before}_{last}") or _NAMES.get(last)
    if found and not (loose and found is _SOME_AUTH):
        return found
    if last in ("key", "keys"):
        if before in _KEY_OF:
            return _API_KEY
        if before in _NO_KEY or last == "keys":
            return None
        return _API_KEY if loose else _SOME_KEY
    if last in ("token", "tokens"):
        secret = before in _TOKENS_OF if last == "tokens" else before not in _NO_TOKEN
        return _TOKEN if secret else None
    if last == "pass":
        return PASSWORD if before in _PASS_OF or loose else None if before else _PASS
    if loose and last in ("auth", "signature", "sig"):
        return _SIGNATURE if last[:3] == "sig" else Rule(last)
    return next((_NAMES[glued] for glued in _GLUED.split() if last.endswith(glued)), None)


def holds_headers(name: str) -> bool:
    """Whether an object of this name holds HTTP headers or environment variables."""
    return name[-20:].lower().endswith(("headers", "header", "env", "environ", "environment"))


# -- shapes -----------------------------------------------------------------------------------

_U, _A, _END = "[A-Za-z0-9_-]", "[A-Za-z0-9]", "(?![A-Za-z0-9])"
#: Kinds of well-known keys: how they begin, and what follows.
_SHAPES = {
    "anthropic key": ("sk-ant-", _U + "{12,}"),
    "openrouter key": ("sk-or-", _U + "{12,}"),
    "openai key": ("sk-", _U + "{12,}"),
    "api key": (
        "csk- xai- pplx- gsk_ fw_ tvly- r8_ jina_ fc- e2b_ dapi lsv2_pt_ lsv2_sk_ pcsk_ nvapi-"
        " xkeysib- NRAK- PMAK- tskey- phx_ pul- sb_secret_ glsa_ hvs. hvb. dp.pt. dp.st.",
        r"[A-Za-z0-9_.-]{20,}",
    ),
    "access token": (
        "ATATT3 ATCTT3 dop_v1_ doo_v1_ lin_api_ ntn_ figd_ shpat_ shpss_ sbp_ rubygems_ dckr_pat_",
        r"[A-Za-z0-9_=-]{20,}",
    ),
    "aws key": ("AKIA ASIA ABIA ACCA", "[0-9A-Z]{16}" + _END),
    "github token": ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", "[A-Za-z0-9_]{20,}"),
    "gitlab token": ("glpat- gldt- glrt- glptt- glcbt- glft- glsoat-", _U + "{16,}"),
    "slack token": ("xoxa- xoxb- xoxc- xoxd- xoxe- xoxp- xoxr- xoxs- xoxe. xapp-", r"[\w.-]{9,}"),
    "webhook": ("hooks.slack.com/services/ discord.com/api/webhooks/", r"[\w/-]{16,}"),
    "google key": ("AIza", _U + "{35}" + _END),
    "google token": ("ya29. GOCSPX-", _U + "{16,}"),
    "huggingface token": ("hf_ api_org_", _A + "{20,}"),
    "stripe key": ("sk_live_ sk_test_ rk_live_ rk_test_", _A + "{10,}"),
    "webhook secret": ("whsec_", r"[A-Za-z0-9+/=]{16,}"),
    "package token": ("npm_ pypi-", _U + "{30,}"),
    "sendgrid key": ("SG.", _U + r"{16,100}\." + _U + "{16,}"),
    "twilio key": ("SK", "[0-9a-f]{32}" + _END),
    "mailgun key": ("key-", "[0-9a-f]{32}" + _END),
    "private key": ("AGE-SECRET-KEY-1", "[0-9A-Z]{40,}"),
    "jwt": ("eyJ", r"[\w-]{8,1000}\.[\w-]{8,}(?:\.[\w-]*)*"),
    # the same beginnings in base64: what follows is decoded to see
    "encoded secret": (
        "c2st c2tf QUtJQ Z2hwX Z2l0aHViX Z2xwYXQt eG94 QUl6 Z3NrX aGZf LS0tLS1CRUdJT QmVhcmVyI"
        " cG9zdGdyZX cmVkaXM6 bXlzcWw6 bW9uZ29kYj eyJ",
        "[A-Za-z0-9+/]{12,}={0,2}",
    ),
}
_TELEGRAM = r"(?P<telegram_token>(?:(?<![0-9])|(?<=%[0-9A-F]{2}))[0-9]{8,10}:AA[\w-]{32,})"


@lru_cache(maxsize=1)
def beginnings() -> re.Pattern[str]:
    """How well-known keys begin: the quick look."""
    starts = " ".join([":AA", *(starts for starts, _ in _SHAPES.values())]).split()
    by_letter = {at[0]: [re.escape(s[1:]) for s in starts if s[0] == at[0]] for at in starts}
    return re.compile("|".join(f"{at}(?:{'|'.join(ends)})" for at, ends in by_letter.items()))


@lru_cache(maxsize=1)
def shapes() -> re.Pattern[str]:
    """Well-known keys; the group that matched has the kind as its name."""
    kinds = [
        f"(?P<{kind.replace(' ', '_')}>(?:{'|'.join(map(re.escape, starts.split()))}){body})"
        for kind, (starts, body) in _SHAPES.items()
    ]
    # not within a word, but after an escaped line end, character or colour
    before = (
        r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9a-f]{4})"
        r"|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m)|(?<=;[0-9]{2}m))"
    )
    return re.compile(f"{before}(?:{'|'.join(kinds)})|{_TELEGRAM}", re.ASCII)


# -- what only looks like one -------------------------------------------------------------------

_NOTHING = _words(
    "none null nil undefined n/a na empty dummy unset missing required option optional invalid"
    " incorrect expired valid hidden redacted masked placeholder todo string str secretstr int"
    " integer number bool boolean bytes any object array true false yes no on off not_specified"
    " new not-needed not-set not_set no-key tbd"
)
_STAND_IN = (
    r"<[^<>]*>|\$\{[^{}]*\}|\{[^\"':]*\}?|\$\(?[A-Za-z_]\w*\)?|%\(?\w+(?:%|\)s)|%[sdr]"
    r"|\[[A-Za-z_ -]*\]|[*•·.…_#?:-]+|(?:[a-z]+[-_]?)?[xX]{3,}"
    r"|[\w-]{0,16}(?:\*{3,}|\.{3,}|…|•{3,})[\w-]{0,8}"
    r"|(?:[a-z]+[-_])*(?i:your|(?:enter|insert|put|add|replace)[-_ ])[\w -]*"
    r"(?i:keys?|tokens?|secrets?|passwords?|here|me|this|it)"
    r"|(?:os\.environ|process\.env|env|op|vault|secretref|keyring)[.:/\[].*"
)
_CODE = (
    r"[A-Za-z_]\w*(?:\.\w+)*[(\[].*|[A-Za-z_]+(?:\.[A-Za-z_]+)+"
    r"|(?:self|os|config|settings|process|env|args|cfg|secrets|st)\..*|https?://[^@]*"
)
_MIXED = r"[0-9]|[^\w.,:/()-]|[a-z][A-Z]"
_SCHEMA = _words(
    "title description type format $ref anyOf oneOf allOf items minLength maxLength pattern"
    " writeOnly readOnly deprecated required nullable properties additionalProperties"
)
_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


def plain_in(obj: dict[Any, Any], rule: Rule | None) -> frozenset[str]:
    """The keys of an object that hold no secret whatever their name or the object's."""
    if rule is None:
        return frozenset(("token",) if "logprob" in obj else ())  # a piece of a model's answer
    # JSON schema: it describes a secret
    schema = obj.get("type") in _TYPES or not obj.keys().isdisjoint(("$ref", "anyOf", "allOf"))
    return _SCHEMA if schema else frozenset()


@lru_cache(maxsize=1000)
def is_stand_in(value: str) -> bool:
    """Whether it says that something belongs here: ``<api key>``, ``OPENAI_API_KEY``."""
    if len(value) > 100:
        return False
    if value.lower() in _NOTHING or re.fullmatch(_STAND_IN, value):
        return True
    name = value.isupper() and "_" in value and value[0].isalpha() and value.isidentifier()
    return name and rule_of(value, True) is not None


def is_dull(body: str) -> bool:
    """Whether what follows a known beginning is no key: words, or one character repeated."""
    rest = re.sub(r"(.)\1{5,}", "", body)
    if len(rest) < min(16, len(body)) or re.search("[-_]your", body):
        return True
    longest = max(map(len, re.split(r"[-_./]", body)))
    return longest < 16 and sum(map(str.isdigit, body)) < 3


def looks_random(value: str) -> bool:
    """Long, and letters and digits in a mix that no word, id, path or hash has."""
    return (
        20 <= len(value) <= 500
        and re.fullmatch(r"[\w+/=.-]+", value, re.ASCII) is not None
        and all(re.search(some, value) for some in ("[a-z]", "[A-Z]", "[0-9]"))
        and not re.search(r"[a-zA-Z]/[a-zA-Z]*/|\.[a-z]{2,4}$|^[0-9]{4}-", value)
    )


def can_be(rule: Rule, value: str) -> bool:
    """Whether what is under a name is the secret: all of it is, where the name is sure."""
    if rule is PASSWORD and re.match(r"/|~/|[A-Z]:\\", value):
        return False  # PWD is also a working folder
    if rule is _PASS:
        return len(value) > 5 and re.search(_MIXED, value) is not None and " " not in value
    return rule.sure or looks_random(value)


def can_be_quoted(rule: Rule, value: str) -> bool:
    """The same within quotes in a text, where names mean more things than in JSON."""
    if not value or value[0] in ")\n,;+" or is_stand_in(value) or not can_be(rule, value):
        return False
    if rule.kind == "cookie":
        return "=" in value
    if rule in (PASSWORD, PASSPHRASE):
        return True
    if len(value) < 3 or (rule is _TOKEN and len(value) < 20 and not re.search("[0-9]", value)):
        return False
    one = re.fullmatch(r"[!-~]+(?:[ \t]*\r?\n[ \t]*[!-~]+)*", value)
    return one is not None and not re.fullmatch(_CODE, value)


def can_be_said(rule: Rule, value: str, tight: bool, alone: bool, call: bool) -> bool:
    """The same for a word in prose or code, where it must not be just any word.

    ``tight``: right after an equals sign; ``alone``: nothing follows on its line; ``call``:
    something like a closing parenthesis follows.
    """
    if len(value) < 3 or value[0] in "()[]" or is_stand_in(value) or re.fullmatch(_CODE, value):
        return False
    if not can_be(rule, value):
        return False
    plain = value.isidentifier() and not any(map(str.isdigit, value))
    if plain and (call or "pass" in value.lower() or rule_of(value, True)):
        return False
    if rule in (PASSWORD, PASSPHRASE):
        mixed = re.search(_MIXED, value.rstrip("?!"))
        return tight or (len(value) > 3 and (alone or bool(mixed)))
    if (plain and not tight) or ("." in value and value.replace(".", "_").isidentifier()):
        return False
    random = re.search(r"[0-9]|[a-z][A-Z]", value) and not value.isdigit()
    return len(value) >= 20 or (bool(random) and len(value) > (5 if tight else 7))
