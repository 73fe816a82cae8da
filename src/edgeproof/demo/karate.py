"""Zachary's karate club: 34 members, 78 friendships, and the two sides that they took when the club split.

W. W. Zachary, An information flow model for conflict and fission in small groups, Journal of Anthropological
Research 33, 1977. Member 0 is the instructor, member 33 the club's administrator.
"""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np

from ..model.graph import Graph
from ..model.network import Network

SIDES = ("instructor", "administrator")
FEATURES = ("is the instructor", "is the administrator", "1 or 2 friends", "3 or 4 friends", "5 friends or more")

# The friends of each member that have a larger number.
_FRIENDS = {
    0: (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31), 1: (2, 3, 7, 13, 17, 19, 21, 30),
    2: (3, 7, 8, 9, 13, 27, 28, 32), 3: (7, 12, 13), 4: (6, 10), 5: (6, 10, 16), 6: (16,), 8: (30, 32, 33),
    9: (33,), 13: (33,), 14: (32, 33), 15: (32, 33), 18: (32, 33), 19: (33,), 20: (32, 33), 22: (32, 33),
    23: (25, 27, 29, 32, 33), 24: (25, 27, 31), 25: (31,), 26: (29, 33), 27: (33,), 28: (31, 33), 29: (32, 33),
    30: (32, 33), 31: (32, 33), 32: (33,),
}  # fmt: skip
_WITH_THE_INSTRUCTOR = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21)


def karate_graph() -> Graph:
    """The club as an undirected graph; labels are the sides that the members really took."""
    pairs = np.array([(u, v) for u, friends in _FRIENDS.items() for v in friends])
    edges = np.concatenate([pairs, pairs[:, ::-1]]).T
    n = 34
    friends = np.bincount(edges[1], minlength=n)
    features = np.zeros((n, len(FEATURES)))
    features[0, 0] = features[33, 1] = 1
    features[np.arange(n), 2 + np.searchsorted([3, 5], friends, side="right")] = 1
    labels = np.ones(n, dtype=np.int64)
    labels[list(_WITH_THE_INSTRUCTOR)] = 0
    return Graph(edges, features, directed=False, labels=labels, name="karate club")


def karate_network() -> Network:
    """What `tools/train_karate.py` made."""
    with as_file(files(__package__) / "karate.safetensors") as path:
        return Network.load(path)
