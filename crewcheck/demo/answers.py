"""What the demo's model answers: which task a prompt is about, and a fitting text.

The same prompt always gets the same answer, and an answer is made of what the prompt was
given, so that an edited input or output visibly changes everything after it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from crewcheck.demo.products import ANY_MOMENT, FILLERS, MOMENTS, PRODUCTS, Product

DEFAULT_LIMIT = 120


@dataclass(frozen=True)
class Request:
    """What a prompt asks for."""

    task: str
    """The task's own words, without context and format rules."""
    context: tuple[str, ...]
    """The earlier outputs it was given, oldest first."""
    product: str
    audience: str
    limit: int
    """The most words that are wanted."""
    model: str

    @property
    def name(self) -> str:
        """The product's name without what explains it."""
        return (
            re.split(r"\s*[,:(]\s*|\s+[-\u2013\u2014]\s+", self.product, maxsplit=1)[0]
            or self.product
        )

    @property
    def kind(self) -> Product:
        """What is known about such a product."""
        found = set(re.findall(r"\w+", self.product.lower()))
        return next((p for p in PRODUCTS if found & set(p.words)), PRODUCTS[-1])

    def fill(self, text: str) -> str:
        """The text with this request's product and audience."""
        return text.format(name=self.name, audience=self.audience, Audience=capital(self.audience))

    def pick(self, count: int) -> int:
        """A number below `count` that is always the same for the same inputs."""
        seed = f"{self.model}\n{self.product}\n{self.audience}"
        return hashlib.sha256(seed.encode()).digest()[0] % count


def capital(text: str) -> str:
    """The text with a capital first letter, the rest as it was."""
    return text[:1].upper() + text[1:]


def message_text(content: object) -> str:
    """The text of a message's `content`, which can also be a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return ""


def read_request(body: dict[str, Any]) -> Request:
    """Take a chat-completions body apart, by the words that CrewAI puts around a task."""
    asked = [
        m for m in body.get("messages") or [] if isinstance(m, dict) and m.get("role") == "user"
    ]
    text = message_text(asked[-1].get("content")) if asked else ""
    # An agent that was told to go on has its task in an earlier message.
    for message in reversed(asked):
        if "Current Task:" in message_text(message.get("content")):
            text = message_text(message["content"])
            break
    task = text.split("Current Task:", 1)[-1]
    task, _, rest = task.partition("This is the expected criteria")
    _, _, given = rest.partition("This is the context you're working with:")
    given = re.split(
        r"\n\s*(?:Provide your complete response|Begin! This is VERY important)", given
    )[0]
    blocks = (block.strip() for block in re.split(r"\n\s*-{5,}\s*\n", given))
    limit = re.search(r"(\d+)\s+words", task)
    return Request(
        task=task.strip(),
        context=tuple(block for block in blocks if block),
        product=field(task, "Product") or "The product",
        audience=field(task, "Audience") or "customers",
        limit=int(limit.group(1)) if limit else DEFAULT_LIMIT,
        model=str(body.get("model") or ""),
    )


def field(text: str, label: str) -> str:
    """What stands behind `label:` on a line of its own, or nothing."""
    found = re.search(rf"^[ \t]*{label}:[ \t]*(.+?)[ \t]*$", text, re.MULTILINE)
    return found.group(1) if found else ""


def answer(body: dict[str, Any]) -> str:
    """The answer to a chat-completions body."""
    request = read_request(body)
    asked = request.task.lower()
    if "facts" in asked:
        return facts(request)
    if re.search(r"\bedit\b", asked):
        return edited(request)
    if "brief" in asked:
        return brief(request)
    if "angle" in asked:
        return angle(request)
    return something(request)


def facts(request: Request) -> str:
    """Three findings, and which of them matters most."""
    rows = [f"{n}. **{fact}** {reason}" for n, (fact, reason) in enumerate(request.kind.facts, 1)]
    closing = "The first one matters most: it came up in every interview, without being asked for."
    return request.fill("\n".join(rows) + f"\n\n{closing}")


def angle(request: Request) -> str:
    """A headline, its promise, and the finding it stands on."""
    options = request.kind.angles
    headline, promise = options[request.pick(len(options))]
    finding = heading(request.context[-1]) if request.context else request.kind.facts[0][0]
    return request.fill(f"**{headline}**\n\nFor: {{audience}}\nPromise: {promise}\n") + (
        f"Proof: \u201c{stopped(finding)}\u201d Everyone we asked had a story about it.\n"
        "Tone: calm and concrete, without exclamation marks."
    )


def brief(request: Request) -> str:
    """A brief that opens with the words of its angle, within the length asked for."""
    kind = request.kind
    source = request.context[-1] if request.context else f"**{request.fill(kind.angles[0][0])}**"
    lead = heading(source)
    rest = sentences(body_of(source))
    promise = field(source, "Promise") or (rest[0] if rest else request.fill(kind.angles[0][1]))
    lines = [request.fill(line) for line in kind.lines]
    moment = request.fill(MOMENTS.get(request.audience.lower(), ANY_MOMENT))
    # Paragraphs as they are read, each sentence with its rank: low ranks stay when room is short.
    paragraphs = (
        ((3, moment), (1, stopped(promise))),
        (
            (0, lines[0]),
            *((rank, line) for rank, line in zip((4, 5, 6, 8, 9), lines[1:], strict=False)),
        ),
        ((7, request.fill(kind.summary)), (2, request.fill(kind.closing))),
    )
    left = request.limit - words(lead)
    kept: set[int] = set()
    for rank, sentence in sorted(item for paragraph in paragraphs for item in paragraph):
        if words(sentence) <= left:
            left -= words(sentence)
            kept.add(rank)
    texts = (" ".join(text for rank, text in paragraph if rank in kept) for paragraph in paragraphs)
    return "\n\n".join([f"**{lead}**", *(text for text in texts if text)])


def edited(request: Request) -> str:
    """The draft without fillers and within the length, its shortest line at the top."""
    draft = request.context[-1] if request.context else brief(request)
    lead = heading(draft)
    lines = [line for line in sentences(body_of(draft)) if not line.lower().startswith(FILLERS)]
    opening = min((line for line in lines if words(line) > 3), key=words, default="")
    left = request.limit - words(lead) - words(opening)
    paragraphs: list[str] = []
    for paragraph in body_of(draft).split("\n\n"):
        stay: list[str] = []
        for line in sentences(paragraph):
            if line in lines and line != opening and words(line) <= left:
                left -= words(line)
                stay.append(line)
        if stay:
            paragraphs.append(" ".join(stay))
    text = "\n\n".join([f"**{lead}**", *([f"*{opening}*"] if opening else []), *paragraphs])
    before, after = words(draft), words(text)
    done = (
        f"{before} words became {after}"
        if after < before
        else f"all {after} words earn their place"
    )
    return f"{text}\n\nEditor\u2019s note: {done}; the shortest line now opens the page."


def something(request: Request) -> str:
    """A helpful answer to a question that this server knows nothing about."""
    first = request.task.strip().splitlines()[0] if request.task.strip() else "your question"
    seen = f" It builds on \u201c{heading(request.context[-1])}\u201d." if request.context else ""
    return (
        f"A first answer to \u201c{first.rstrip('.')}\u201d: start with the smallest version "
        f"that helps somebody, show it to one of the {request.audience}, and change one thing "
        f"at a time.{seen} "
        "This demo model only knows the launch brief well; a real one has more to say."
    )


def heading(text: str) -> str:
    """The first bold phrase of a text, else its first sentence, without the final stop."""
    bold = re.search(r"\*\*(.+?)\*\*", text)
    first = bold.group(1) if bold else next(iter(sentences(text)), "A good start")
    return first.strip().rstrip(".")


def body_of(text: str) -> str:
    """What follows the heading."""
    first = heading(text)
    _, _, rest = text.partition(first)
    return rest.lstrip("*. \n")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its own punctuation."""
    parts = re.split(r"(?<=[.!?\u201d])\s+(?=[A-Z0-9\u201c])|\n+", text)
    return [part.strip() for part in parts if part.strip()]


def stopped(text: str) -> str:
    """The text with a full stop, unless it ends with a mark of its own."""
    return text if text.endswith((".", "!", "?", "\u2026")) else f"{text}."


def words(text: str) -> int:
    """How many words a text has."""
    return len(re.findall(r"[^\s*]+", text))


def tokens(text: str) -> int:
    """About how many tokens a model would count."""
    return max(1, round(len(text) / 4))
