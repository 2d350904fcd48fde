"""What the demo's model knows: a few products, in hand-made words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Product:
    """What there is to say about one kind of product. `{name}` and `{audience}` are filled in."""

    words: tuple[str, ...]
    """The product is of this kind when its description has one of these words."""
    facts: tuple[tuple[str, str], ...]
    """Finding and reason, strongest first."""
    angles: tuple[tuple[str, str], ...]
    """Headline and promise; which one is taken depends on the inputs."""
    lines: tuple[str, ...]
    """Sentences for the brief, most important first."""
    summary: str
    """The sentence that a writer adds and an editor cuts."""
    closing: str


PRODUCTS = (
    Product(
        words=("lamp", "light", "alarm"),
        facts=(
            (
                "A ringing alarm wakes the whole home.",
                "{Audience} rarely get up alone, so silence is worth more to them than volume.",
            ),
            (
                "Half an hour of rising light is enough.",
                "Nine of twelve testers were up before the backup alarm went off.",
            ),
            (
                "The sun keeps office hours.",
                "{Audience} need a dawn that comes at the time they set, day or night.",
            ),
        ),
        angles=(
            (
                "Your own sunrise, at any hour",
                "{name} wakes you gently, and nobody else.",
            ),
            (
                "Wake up without the alarm",
                "With {name}, morning begins with light instead of noise.",
            ),
            (
                "Morning starts when you say so",
                "{name} brings a morning that fits the day you really have.",
            ),
        ),
        lines=(
            "{name} brightens over thirty minutes, the way the sky does, so the body is awake before the mind objects.",
            "It makes no sound at all.",
            "The person beside you sleeps on.",
            "One dial sets the time, and there is no app to learn.",
            "Fully lit, it is a reading lamp that is kind to tired eyes.",
            "It keeps the time through a power cut.",
        ),
        summary="In short, it is a lamp that knows when your day begins.",
        closing="The first five hundred lamps ship on the first of March, and the waiting list is open today.",
    ),
    Product(
        words=("bike", "bicycle", "scooter"),
        facts=(
            (
                "The last mile takes longest.",
                "{Audience} lose twelve minutes a day between the station and the door.",
            ),
            (
                "A folded bike is luggage.",
                "No ticket, no rack and no rule keeps it off the train.",
            ),
            (
                "People stop riding what they have to repair.",
                "{Audience} asked for a belt instead of a chain before they asked for a lower weight.",
            ),
        ),
        angles=(
            (
                "Home before the bus leaves",
                "{name} gives the last mile back.",
            ),
            (
                "Fold it, board, unfold, arrive",
                "{name} turns two queues into one easy ride.",
            ),
        ),
        lines=(
            "{name} folds in eight seconds and stands on its own in the space of a suitcase.",
            "It boards every train as luggage.",
            "A belt drive keeps trousers clean and needs no oil.",
            "At eleven kilos it goes up the stairs without a speech.",
            "The lights charge while you ride.",
            "Every part that wears can be changed with one key.",
        ),
        summary="In short, it is a bike that behaves like a bag.",
        closing="Test rides begin on the first of March, at the station, from seven in the morning.",
    ),
    Product(
        words=("garden", "plant", "herb"),
        facts=(
            (
                "Most herbs die of too much care.",
                "{Audience} water on Sunday and forget on Monday; a reservoir forgives both.",
            ),
            (
                "The first harvest decides.",
                "Whoever eats something within three weeks plants again.",
            ),
            (
                "A window sill is twelve centimetres deep.",
                "{Audience} have no balcony, so anything wider stays in the shop.",
            ),
        ),
        angles=(
            (
                "Something green, every week",
                "{name} brings a first harvest in three weeks.",
            ),
            (
                "The garden that waters itself",
                "{name} forgives a busy week.",
            ),
        ),
        lines=(
            "{name} fits on any window sill and carries six pots.",
            "Its reservoir lasts ten days.",
            "Basil comes first, after three weeks.",
            "A small float shows when it is thirsty, so nobody has to guess.",
            "The pots come out for the kitchen table.",
            "Seeds come in paper tape that is laid down like a bookmark.",
        ),
        summary="In short, it is a garden for people who have no garden.",
        closing="The spring set ships on the first of March, and the waiting list is open today.",
    ),
    Product(  # anything else
        words=(),
        facts=(
            (
                "The first ten minutes decide.",
                "{Audience} keep what helps on the first day, and return what needs a manual.",
            ),
            (
                "People ask a friend before they ask a shop.",
                "One good story travels further than ten features.",
            ),
            (
                "A clear price beats a long list.",
                "{Audience} compare two numbers, and then they decide.",
            ),
        ),
        angles=(
            (
                "Good from the first minute",
                "{name} helps on the very first day.",
            ),
            (
                "One thing, done well",
                "{name} takes one worry off the list.",
            ),
        ),
        lines=(
            "{name} does one thing, and it does it on the first day.",
            "There is nothing to set up.",
            "It says what it costs before you ask.",
            "People from the neighbourhood tried it first, and their notes are printed on the box.",
            "If something breaks, a person answers.",
            "Whatever you enter stays yours.",
        ),
        summary="In short, it is the helpful kind of new.",
        closing="It is out on the first of March, and the waiting list is open today.",
    ),
)

MOMENTS = {
    "shift workers": "Shift workers start their day when the street goes to bed.",
    "students": "Students share a small room and a smaller budget.",
    "new parents": "New parents count their sleep in minutes.",
    "commuters": "Commuters live by a timetable that somebody else wrote.",
    "night owls": "Night owls do their best thinking when the shops are closed.",
}
ANY_MOMENT = "{Audience} have a full day already, and no patience for promises."
FILLERS = ("in short", "of course", "put simply", "all in all")
