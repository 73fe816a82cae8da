"""The paper's experiments: definitions, runs on the sweep machinery, tables and figures under the paper's names."""
