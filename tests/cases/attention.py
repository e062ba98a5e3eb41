"""Cases of kernels/attention.py and kernels/linear_attention.py."""

from __future__ import annotations

import numpy as np

from .case import Case, floats, int64, integers

Q, K, V = floats(2, 4, 3, 8), floats(2, 2, 5, 8, seed=1), floats(2, 2, 5, 6, seed=2)  # two heads of Q share one of K and V
FLAT = [floats(2, 3, 32), floats(2, 5, 16, seed=1), floats(2, 5, 12, seed=2)]
HEADS = {"q_num_heads": 4, "kv_num_heads": 2}
PAST = [floats(2, 2, 4, 8, seed=3), floats(2, 2, 4, 6, seed=4)]
SEEN = integers(3, 5, low=0, high=2).astype(bool)
SEEN[0] = False  # a query that sees nothing
LENGTHS = int64(5, 3)
VERSIONS = (23, 24)
CACHE = [floats(2, 2, 6, 3), floats(2, 2, 3, 3, seed=1)]
X = floats(2, 3, 5, 8)
ANGLES = floats(10, 4, low=-3, high=3)
TURN = [np.round(np.cos(ANGLES), 3), np.round(np.sin(ANGLES), 3)]  # rounded: the same numbers on every platform
PLACES = integers(2, 5, low=0, high=10)
BY_PLACE = [cache[PLACES] for cache in TURN]
STATE, DECAY, BETA = floats(2, 2, 4, 3, seed=5), floats(2, 5, 8, seed=6, low=-1, high=0), floats(2, 5, 2, seed=7, low=0, high=1)
SUMS = "float32 sums over five steps, in another order in each of the three"
LINEAR = [floats(2, 5, 16), floats(2, 5, 8, seed=1), floats(2, 5, 6, seed=2)]
SIGNAL, FILTERS = floats(2, 3, 6), floats(3, 1, 4, seed=1)

CASES = [
    *(Case("shared_heads", "Attention", since, [Q, K, V]) for since in VERSIONS),
    *(Case("three_axes", "Attention", since, FLAT, HEADS) for since in VERSIONS),
    *(Case("causal", "Attention", since, [Q, K, V], {"is_causal": 1}) for since in VERSIONS),
    *(Case("scale_softcap", "Attention", since, [Q, K, V], {"scale": 0.3, "softcap": 2.0}) for since in VERSIONS),
    *(Case("mask", "Attention", since, [Q, K, V, floats(2, 1, 3, 5, seed=5)]) for since in VERSIONS),
    *(Case("bools", "Attention", since, [Q, K, V, SEEN | (np.arange(5) == 2)]) for since in VERSIONS),
    *(Case("past", "Attention", since, [Q, K, V, None, *PAST], {"is_causal": 1}, outputs=3) for since in VERSIONS),
    *(
        Case(f"mode_{mode}", "Attention", 24, [Q, K, V, floats(3, 5, seed=5)], {"qk_matmul_output_mode": mode}, outputs=4)
        for mode in range(4)
    ),
    Case("nothing_seen", "Attention", 25, [Q, K, V, SEEN]),
    Case("lengths", "Attention", 25, [Q, K, V, None, None, None, LENGTHS], {"is_causal": 1}),
    Case("windows", "Attention", 25, [Q, K, V], {"left_window_size": 1, "right_window_size": 0}),
    Case("short_mask", "Attention", 25, [Q, K, V, floats(3, 4, seed=5)]),
    *(Case(f"interleaved{way}", "RotaryEmbedding", 23, [X, *TURN, PLACES], {"interleaved": way}) for way in (0, 1)),
    Case("by_place", "RotaryEmbedding", 23, [X, *BY_PLACE]),
    Case("part", "RotaryEmbedding", 23, [X, *(cache[:, :2] for cache in TURN), PLACES], {"rotary_embedding_dim": 4, "num_heads": 3}),
    Case("three_axes", "RotaryEmbedding", 23, [floats(2, 5, 24), *TURN, PLACES], {"num_heads": 3}),
    Case("linear", "TensorScatter", 24, [*CACHE, int64(1, 3)]),
    Case("circular", "TensorScatter", 24, [*CACHE, int64(5, 2)], {"mode": "circular"}),
    Case("from_the_start", "TensorScatter", 24, [floats(2, 6, 3), floats(2, 3, 3, seed=1)], {"axis": 1}),
    *(
        Case(
            rule,
            "LinearAttention",
            27,
            [*LINEAR, STATE, decay, beta],
            {**HEADS, "update_rule": rule},
            outputs=2,
            rtol=1e-4,
            atol=1e-5,
            reason=SUMS,
        )
        for rule, decay, beta in (("linear", None, None), ("gated", DECAY, None), ("delta", None, BETA), ("gated_delta", DECAY, BETA))
    ),
    Case("one_decay", "LinearAttention", 27, [*LINEAR, None, DECAY[..., :2], BETA[..., :1]], {**HEADS, "scale": 0.4}, outputs=2),
    Case("plain", "CausalConvWithState", 27, [SIGNAL, FILTERS], outputs=2),
    Case("silu", "CausalConvWithState", 27, [SIGNAL, FILTERS, floats(3), floats(2, 3, 3, seed=2)], {"activation": "silu"}, outputs=2),
    Case("short", "CausalConvWithState", 27, [SIGNAL[..., :2], FILTERS], outputs=2),
]
