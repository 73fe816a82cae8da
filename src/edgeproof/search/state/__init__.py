"""What a search node holds: arrays that kernels change and restore."""
