"""The presets: what differs from the defaults, as tables of values (REQUIREMENTS, section 3).

The context issue completes them; what stands here is what the settings know today.
"""

Values = dict[str, dict[str, str | int | float | bool]]

PRESETS: dict[str, Values] = {
    "default": {},
    # O2, O10, O19, Os18: recall before history, no memories block of its own beyond its caps.
    "octopus": {
        "context": {"layout": "octopus", "window": 100_000, "counter": "octopus"},
        "skills": {"threshold": 0.80},
    },
    # P6, Ps1, Ps5: 8,192 for the answer and four times that as window unless configured.
    "picoclaw": {
        "context": {"window": 32_768, "output_reserve": 8_192, "counter": "picoclaw"},
    },
    # C18: Claude (all) 200,000.
    "octo": {"context": {"window": 200_000}},
    # Z5, Z10, Z11, Z13, Z19.
    "zeus": {
        "context": {"window": 64_000},
        "recall": {"plain_cosine": True, "top_k": 5, "memory_characters": 2_000},
    },
}
