"""The shape of a model, and the name of its file: the paper's has none of it in the name, others do."""

from __future__ import annotations

from typing import NamedTuple

from .experiments import GRAPH_DATASETS

LAYERS, NODE_WIDTH, GRAPH_WIDTH = 4, 32, 16


class Architecture(NamedTuple):
    """None: as in the paper, 4 layers, 32 wide for nodes and 16 for graphs."""

    layers: int | None = None
    width: int | None = None

    def on(self, dataset: str) -> tuple[int, int]:
        """Layers and width of a model for this dataset."""
        paper = GRAPH_WIDTH if dataset in GRAPH_DATASETS else NODE_WIDTH
        return self.layers or LAYERS, self.width or paper

    def file_name(self, dataset: str, aggregation: str) -> str:
        """`Cora_sum.npz`; with 6 layers of width 64 `Cora_sum_6x64.npz`."""
        shape = self.on(dataset)
        return f"{dataset}_{aggregation}{'' if shape == Architecture().on(dataset) else '_{}x{}'.format(*shape)}.npz"


PAPER = Architecture()
