"""Secrets are hidden wherever a checkpoint is shown, printed or exported.

A mask says what kind of secret was there and, for long ones, four hex digits of its hash:
``<redacted openai key #ab12>``. So two keys still show as different, and one key as the
same wherever it is. Masking twice changes nothing; time grows with the text's length.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from crewcheck.engine import secret_rules as rules
from crewcheck.engine.secret_rules import Rule, rule_of

_Span = tuple[int, int, str]  # a secret's place in a text, and its kind
_RUN = b"a" * 15  # no well-known key is shorter
_CLASSES = bytes(97 if chr(at).isalnum() or chr(at) in "_-+/=.:" else 32 for at in range(128))
_CLASSES += b" " * 128
_SCHEME = r"(?i)(Bearer|Basic|Token|ApiKey|Digest|Negotiate)[ \t]+"
_LEAD = r"[=>]{0,2}[ \t]{0,8}\*{0,2}[ \t]{0,8}(\r?\n[ \t]{0,16}|)(?:[fbru]{0,2}(\\{0,7}[\"'`])|)"
_ALONE = r"[.,)\]}!]*[ \t]*(?:$|[\n\r&;\"'`<,|-]|\\[nr])"


class Redactor:
    """Masks secrets in texts and JSON values; with ``show`` it leaves everything as it is."""

    def __init__(self, show: bool = False) -> None:
        self.show = show
        self._seen: dict[str, str | None] = {}  # short texts come again and again

    def text(self, s: str) -> str:
        """A text with the secrets in it masked."""
        if self.show or (len(s) < len(_RUN) and not (":" in s or "=" in s or ">" in s)):
            return s
        if s in self._seen:
            return self._seen[s] or s
        masked = s
        for _ in range(3):  # a mask may bare what the secret before it had hidden
            parts, end = [""], 0
            for start, stop, kind in _secrets_in(masked):
                parts += masked[end:start], _mask(kind, masked[start:stop])
                end = stop
            if not end:
                break
            masked = "".join([*parts, masked[end:]])
        if len(s) < 2000 and len(self._seen) < 4000:
            self._seen[s] = None if masked == s else masked
        return masked

    def value(self, obj: Any, key: str | None = None) -> Any:
        """A JSON value, found under ``key``, with its secrets masked; the rest is shared."""
        if self.show:
            return obj
        rule, loose = (rule_of(key), rules.holds_headers(key)) if key else (None, False)
        stack = [_Frame([obj], rule, loose)]
        while True:
            frame = stack[-1]
            for at, child in frame.items:
                if isinstance(child, str):
                    rule = frame.rule_at(at)
                    masked = self.text(child) if rule is None else self._whole(child, rule)
                    if masked is not child:
                        frame.changes[at] = masked
                elif isinstance(child, (dict, list, tuple)):
                    if child:
                        frame.at = at
                        loose = frame.loose or (isinstance(at, str) and rules.holds_headers(at))
                        stack.append(_Frame(child, frame.rule_at(at), loose))
                        break
                elif type(child) in (int, float):
                    rule = frame.rule_at(at)
                    if rule and rule.numbers:
                        frame.changes[at] = _mask(rule.kind, str(child))
            else:
                result = stack.pop().result()
                if not stack:
                    return result[0]
                if result is not frame.source:
                    stack[-1].changes[stack[-1].at] = result

    def _whole(self, s: str, rule: Rule) -> str:
        """A text that is a secret by its name."""
        core = s.strip()
        scheme = re.match(_SCHEME, core)
        start = scheme.end() if scheme else 0
        if not core or rules.is_stand_in(core[start:]) or not rules.can_be(rule, core[start:]):
            return self.text(s)
        found = _secrets_in(core)
        if len(found) == 1 and found[0][:2] == (start, len(core)):
            return _mask(found[0][2], core[start:])
        bearer = scheme is not None and scheme[1].lower() == "bearer"
        return _mask((rules.BEARER if bearer else rule).kind, core[start:])


class _Frame:
    """An object or list on the way through a JSON value, and what changes in it."""

    def __init__(self, source: Any, rule: Rule | None, loose: bool) -> None:
        is_dict = isinstance(source, dict)
        self.source = source
        self.rule = rule
        self.loose = loose
        self.plain = rules.plain_in(source, rule) if is_dict else frozenset()
        self.at: Any = None
        self.changes: dict[Any, Any] = {}
        self.items = iter(source.items()) if is_dict else enumerate(source)
        # {"name": "API_KEY", "value": ...}
        name = source.get("name") or source.get("key") if is_dict and "value" in source else None
        self.pair = rule_of(name, True) if isinstance(name, str) else None

    def rule_at(self, at: Any) -> Rule | None:
        """The rule for what is at a key or place here."""
        if isinstance(at, str):
            if at in self.plain:
                return None
            return (self.pair if at == "value" else None) or rule_of(at, self.loose) or self.rule
        if at and self.rule is None and isinstance(self.source, (list, tuple)):
            # ["--api-key", "..."], and among headers ["Authorization", "..."]
            before = self.source[at - 1]
            if isinstance(before, str) and (before.startswith("--") or (self.loose and at == 1)):
                return rule_of(before, self.loose)
        return self.rule

    def result(self) -> Any:
        """The source itself where nothing changed."""
        source, changes = self.source, self.changes
        if not isinstance(source, dict):
            items = (changes.get(at, item) for at, item in enumerate(source))
            return type(source)(items) if changes else source
        keys = {key: masked for key in source if (masked := _masked_key(key)) != key}
        if not keys:
            return {**source, **changes} if changes else source
        changed: dict[Any, Any] = {}
        for key, item in source.items():
            name = keys.get(key, key)
            while name in changed:
                name = f"{name}'"
            changed[name] = changes.get(key, item)
        return changed


@lru_cache(maxsize=4096)
def _masked_key(key: Any) -> Any:
    return Redactor().text(key) if isinstance(key, str) else key


def _mask(kind: str, secret: str) -> str:
    joined = re.sub(r"\s+|\\[nrt]", "", secret)
    if len(joined) < 16:  # it could be guessed from its hash
        return f"<redacted {kind}>"
    from hashlib import sha256

    return f"<redacted {kind} #{sha256(joined.encode('utf-8', 'surrogatepass')).hexdigest()[:4]}>"


def _secrets_in(s: str, depth: int = 0) -> list[_Span]:
    """The secrets in a text, in order and apart from each other."""
    raw = s.encode("latin-1", "replace")  # as many bytes as there are characters
    low = raw.lower()
    spans: list[_Span] = []
    runs = raw.translate(_CLASSES) + b" "
    at = runs.find(_RUN)
    while at >= 0:
        end = runs.find(b" ", at)
        # pictures are passed over
        if raw[max(0, at - 7) : at] != b"base64," and rules.beginnings().search(s, at, end):
            spans += _shapes(s, at, end, depth)
        at = runs.find(_RUN, end)
    spans += _named(s, low)
    spans += _marked(s, low) if b" " in low else ()
    spans.sort(key=lambda span: span[0])
    apart: list[_Span] = []
    for start, stop, kind in spans:
        if apart and start < apart[-1][1]:
            before, end, was = apart[-1]  # of two of one size the first is a known shape
            apart[-1] = (before, max(end, stop), kind if stop - start > end - before else was)
        else:
            apart.append((start, stop, kind))
    return apart


def _shapes(s: str, start: int, end: int, depth: int) -> Iterator[_Span]:
    """Well-known keys in a part of a text that has no blanks."""
    for found in rules.shapes().finditer(s, start, end):
        kind, stop = str(found.lastgroup).replace("_", " "), found.end()
        if kind == "encoded secret":
            code = found[0].rstrip("=")[:8000]
            plain = a2b_base64(code[: len(code) // 4 * 4])
            if depth or not plain.isascii() or not _secrets_in(plain.decode(), 1):
                continue
        elif rules.is_dull(found[0]):
            continue
        elif found.start() and s[found.start() - 1] in "\"'`":
            # within quotes it may go on in the next line
            more = r"(?:\\?\r?\n|\\r\\n|\\n)[ \t]*[\w-]+(?=\s*\\*[\"'`])"
            stop += len(wrapped[0]) if (wrapped := re.match(more, s[stop : stop + 300])) else 0
        yield found.start(), stop, kind


def _named(s: str, low: bytes) -> Iterator[_Span]:
    """``name: value``, ``name=value``, ``<name>value</name>``, ``//user:password@``."""
    for sign in (b":", b"=", b">"):
        at = low.find(sign)
        while at >= 0:
            span = None
            if sign == b":" and low.startswith(b"//", at + 1):
                span = _in_url(s, at + 3) if low.find(b"@", at, at + 500) > 0 else None
            elif low[max(0, at - 24) : at].rstrip(b" \t\"'\\`*])_-0123456789")[-3:] in rules.ENDS:
                said = s[max(0, at - 64) : at].rstrip(" \t\"'\\`*])")
                name = re.split(r"\\[nrt]|[^\w .-]", said)[-1]
                before = said[: len(said) - len(name)][-1:]
                rule = rule_of(name.strip(), name == "sig" and before in "?&", False)
                if rule and sign != b">":
                    span = _assigned(s, at + 1, rule, sign == b"=")
                elif rule and before == "<" and " " not in name:
                    value = re.match("([^<>]+)</", s[at + 1 : at + 4000])
                    if value and rules.can_be(rule, value[1]):
                        span = (at + 1, at + value.end() - 1, rule.kind)
            if span:
                yield span
            at = low.find(sign, max(at + 1, span[1] if span else 0))


def _in_url(s: str, start: int) -> _Span | None:
    """The password before a URL's host."""
    found = re.match(r"[^\s\"'<>`?@]*@(?:[^\s/?#\"'<>`@]*@)*", s[start : start + 500])
    stop = start + found.end() - 1 if found else start
    user, _, password = s[start:stop].partition(":")
    port = re.match(r"[^:]*(:[0-9]*)?/", s[start:stop])
    if not user + password or port or rules.is_stand_in(password):
        return None
    if password:
        return stop - len(password), stop, "password"
    token = len(user) >= 20 and re.search("[0-9]", user) and "." not in user
    return (start, stop, "url credential") if token else None


def _assigned(s: str, at: int, rule: Rule, tight: bool | None) -> _Span | None:
    """The value from ``at`` on; ``tight`` after an equals sign, None in a sentence."""
    lead = re.match(_LEAD, s[at : at + 60])
    line, quote, start = (lead[1], lead[2], at + lead.end()) if lead else ("", "", at)
    if scheme := re.match(_SCHEME, s[start : start + 20]):
        start, tight = start + scheme.end(), True
        rule = rules.BEARER if scheme[1].lower() == "bearer" else rule
    if quote:
        stop = s.find(quote, start, start + 4096)
        while stop > 0 and len(quote) == 1 and s[stop - 1] == "\\":
            stop = s.find(quote, stop + 1, start + 4096)
        if stop < 0 or s.count("\n", start, stop) > 2:
            stop = _until(s, start, "\n" + quote[-1])
        good = rules.can_be_quoted(rule, s[start:stop].strip())
    elif rule.kind == "cookie":
        stop = _until(s, start, "\n\r\\\\\"'`<>") if "=" in s[start : start + 100] else start
        good = not line and rules.can_be_quoted(rule, s[start:stop])
    else:
        word = re.match(r"[^\s\"'`;&<>]*", s[start : start + 128])
        ends = r"\\[nrt\"'\\]|,\w+[=:]"
        value = re.split(ends, word[0] if word else "", maxsplit=1)[0].rstrip(".,)]}:!?")
        stop = start + len(value)
        alone = tight is not None and re.match(_ALONE, s[stop : stop + 60]) is not None
        code = not scheme and s[stop : stop + 2].startswith((")", ", "))
        next_line = alone and re.search("[0-9]", value) if line else True
        good = bool(next_line) and rules.can_be_said(rule, value, bool(tight), alone, code)
        stop = _until(s, stop, "\\s\"'`;&<>") if good and len(value) == 128 else stop
    return (start, stop, rule.kind) if good else None


def _until(s: str, start: int, ends: str) -> int:
    return found.start() if (found := re.compile(f"[{ends}]").search(s, start)) else len(s)


def _marked(s: str, low: bytes) -> Iterator[_Span]:
    """``Bearer value``, ``--name value``, ``name is value``, private keys in PEM."""
    for sign in (b"bearer ", b"--", b"word is ", b"token is ", b"key is ", b"secret is "):
        at = low.find(sign)
        while at >= 0:
            span: _Span | None = None
            after, rule = at + len(sign), None
            if sign == b"bearer ":
                rule = rules.BEARER
            elif sign != b"--":
                rule = rule_of(s[max(0, at - 40) : after - 4], whole=False)
            elif flag := re.match(r"--([A-Za-z][\w-]{1,40})[ \t]+(?=[^\s-])", s[at : at + 80]):
                rule, after = rule_of(flag[1]), at + flag.end()
            elif re.match(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY", s[at : at + 80]):
                stop = s.find("-----END", at, at + 8000)
                rest = r"[A-Za-z0-9+/=\s\\:,-]*" if stop < 0 else "-----END[A-Z0-9 ]*-*"
                tail = re.compile(rest).match(s, max(at, stop))
                span = (at, tail.end() if tail else stop, "private key")
            if rule:
                span = _assigned(s, after, rule, False if sign == b"--" else None)
            if span:
                yield span
            at = low.find(sign, max(after, span[1] if span else 0))
