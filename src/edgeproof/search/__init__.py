"""The search engine: one verb a file, in the order in which a search node is lived."""
