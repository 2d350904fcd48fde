"""The app's own two themes. Styles name tokens only; any theme of textual fits as well."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="crewcheck-dark",
    primary="#7aa2f7",
    secondary="#b4a7e5",
    accent="#73c7c0",
    foreground="#d5d9e5",
    background="#12141b",
    surface="#161922",
    panel="#1f2430",
    success="#8fc37f",
    warning="#e0b06a",
    error="#ec7b88",
    dark=True,
    variables={
        "text-muted": "#8b91a5",
        "text-disabled": "#565d73",
        "border": "#2c3242",
        "border-blurred": "#2c3242",
        "block-cursor-background": "#2b3a5e",
        "block-cursor-foreground": "#f2f5ff",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#20263a",
        "scrollbar": "#2c3242",
        "scrollbar-hover": "#3b435a",
        "scrollbar-active": "#7aa2f7",
        "input-selection-background": "#7aa2f7 35%",
    },
)

LIGHT = Theme(
    name="crewcheck-light",
    primary="#2f5fc4",
    secondary="#6b4fb3",
    accent="#0f7f7a",
    foreground="#23283a",
    background="#eceef3",
    surface="#fafbfd",
    panel="#e2e5ee",
    success="#3c7f2f",
    warning="#9a6400",
    error="#c0303f",
    dark=False,
    variables={
        "text-muted": "#646b80",
        "text-disabled": "#9aa1b3",
        "border": "#c6ccda",
        "border-blurred": "#c6ccda",
        "block-cursor-background": "#cbdaf8",
        "block-cursor-foreground": "#10141f",
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": "#e3e9f5",
    },
)

THEMES = (DARK, LIGHT)
