"""One question as flat arrays: the part of the graph that can matter, its pairs, and folded weights."""
